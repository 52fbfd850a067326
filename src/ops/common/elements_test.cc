#include "ops/common/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace norn::ops {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double through(DataType type, double value) {
  Tensor t(type, {1});
  store<double>(t, 0, 1, &value);
  double back;
  load<double>(t, 0, 1, &back);
  return back;
}

TEST(Elements, FloatsRoundOnce) {
  EXPECT_EQ(through(DataType::Double, 0.1), 0.1);
  EXPECT_EQ(through(DataType::Float, 0.1), static_cast<double>(0.1f));
  EXPECT_EQ(through(DataType::Float16, 65504), 65504);
  EXPECT_EQ(through(DataType::Float16, 65520), kInf);
  EXPECT_EQ(through(DataType::Float16, 65519), 65504);
  // Exactly between 1 and the next half when seen through float, above it in double.
  const double tie = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(through(DataType::Float16, tie), 1 + std::ldexp(1, -10));
  EXPECT_EQ(through(DataType::BFloat16, 1 + std::ldexp(1, -8)), 1);
  EXPECT_EQ(through(DataType::Float8E4M3FN, 1000), 448);
  EXPECT_EQ(through(DataType::Float8E5M2, 3), 3);
  EXPECT_EQ(through(DataType::Float4E2M1, 5.1), 6);
  EXPECT_EQ(through(DataType::Float6E2M3, 7.5), 7.5);
  EXPECT_EQ(through(DataType::Float6E3M2, 28), 28);
  EXPECT_EQ(through(DataType::Float8E8M0, 8), 8);
  for (DataType type :
       {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16, DataType::Float8E4M3FN}) {
    EXPECT_TRUE(std::isnan(through(type, NAN))) << data_type_name(type);
    EXPECT_EQ(round_to(type, 1.5), 1.5);
  }
  EXPECT_TRUE(std::signbit(through(DataType::Float16, -0.0)));
}

TEST(Elements, IntegersWrapModulo) {
  const auto wrap = [](DataType type, std::int64_t value) {
    Tensor t(type, {1});
    store<std::int64_t>(t, 0, 1, &value);
    return load_all<std::int64_t>(t)[0];
  };
  EXPECT_EQ(wrap(DataType::Int8, 128), -128);
  EXPECT_EQ(wrap(DataType::Int16, -32769), 32767);
  EXPECT_EQ(wrap(DataType::Int32, std::int64_t{1} << 32), 0);
  EXPECT_EQ(wrap(DataType::Int64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(wrap(DataType::Int4, 8), -8);
  EXPECT_EQ(wrap(DataType::Int4, -9), 7);
  EXPECT_EQ(wrap(DataType::Int2, 2), -2);
  EXPECT_EQ(wrap(DataType::Int2, 1), 1);
  const auto wrap_unsigned = [](DataType type, std::uint64_t value) {
    Tensor t(type, {1});
    store<std::uint64_t>(t, 0, 1, &value);
    return load_all<std::uint64_t>(t)[0];
  };
  EXPECT_EQ(wrap_unsigned(DataType::Uint8, 257), 1u);
  EXPECT_EQ(wrap_unsigned(DataType::Uint16, 65536), 0u);
  EXPECT_EQ(wrap_unsigned(DataType::Uint32, ~std::uint64_t{0}), 0xffffffffu);
  EXPECT_EQ(wrap_unsigned(DataType::Uint64, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(wrap_unsigned(DataType::Uint4, 17), 1u);
  EXPECT_EQ(wrap_unsigned(DataType::Uint2, 7), 3u);
  EXPECT_EQ(wrap_unsigned(DataType::Bool, 256), 1u);
}

TEST(Elements, ComplexAndStrings) {
  Tensor c(DataType::Complex64, {2});
  store_all<std::complex<double>>(c, {{1, 2}, {3, -4}});
  EXPECT_EQ(load_all<std::complex<double>>(c)[1], std::complex<double>(3, -4));
  Tensor s(DataType::String, {2});
  store_all<std::string>(s, {"a", std::string("b\0c", 3)});
  EXPECT_EQ(load_all<std::string>(s)[1].size(), 3u);
}

TEST(Elements, EveryTypeHasADomainAndRejectsOthers) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    SCOPED_TRACE(data_type_name(type));
    Tensor t(type, {3});
    visit_domain(domain_of(type), [&](auto zero) { store_all<decltype(zero)>(t, {zero, zero, zero}); });
    if (domain_of(type) != Domain::String) {
      EXPECT_THROW(load_all<std::string>(t), Error);
    }
    if (domain_of(type) != Domain::F64) {
      EXPECT_THROW(load_all<double>(t), Error);
    }
    double one = 1;
    EXPECT_THROW(load<double>(t, 3, 1, &one), Error);
  }
  EXPECT_THROW(domain_of(DataType::Undefined), Error);
  EXPECT_THROW(visit_real(Domain::String, [](auto) {}), Error);
}

TEST(Elements, CopiesBySize) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    SCOPED_TRACE(data_type_name(type));
    Tensor from(type, {6}), to(type, {3});
    visit_domain(domain_of(type), [&](auto zero) {
      using D = decltype(zero);
      std::vector<D> values(6);
      if constexpr (std::is_same_v<D, std::string>)
        values = {"0", "1", "2", "3", "4", "5"};
      else
        for (int k = 0; k < 6; ++k) values[static_cast<std::size_t>(k)] = static_cast<D>(k % 2);
      store_all<D>(from, values);
      const auto stored = load_all<D>(from);  // float8e8m0 has no zero
      copy_elements(to, 0, from, 1, 3, 2);
      EXPECT_EQ(load_all<D>(to), (std::vector<D>{stored[1], stored[3], stored[5]}));
      copy_elements(to, 0, from, 5, 3, -1);
      EXPECT_EQ(load_all<D>(to), (std::vector<D>{stored[5], stored[4], stored[3]}));
      copy_elements(to, 1, from, 0, 2);
      EXPECT_EQ(load_all<D>(to), (std::vector<D>{stored[5], stored[0], stored[1]}));
      copy_elements(to, 0, from, 4, 3, 0);
      EXPECT_EQ(load_all<D>(to), (std::vector<D>{stored[4], stored[4], stored[4]}));
    });
    EXPECT_THROW(copy_elements(to, 0, from, 4, 3), Error);
    EXPECT_THROW(copy_elements(to, 2, from, 0, 2), Error);
    copy_elements(to, 3, from, 6, 0);
  }
  Tensor ints(DataType::Int32, {1}), halves(DataType::Float16, {1}), words(DataType::Uint32, {1});
  EXPECT_THROW(copy_elements(ints, 0, halves, 0, 1), Error);
  words.as_mutable<std::uint32_t>()[0] = 7;
  copy_elements(ints, 0, words, 0, 1);
  EXPECT_EQ(ints.as<std::int32_t>()[0], 7);
}

}  // namespace
}  // namespace norn::ops
