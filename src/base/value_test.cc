#include "norn/value.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/given_up.h"
#include "norn/element.h"
#include "norn/types.h"

namespace norn {
namespace {

TEST(Types, NamesAndSizesAgree) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(data_type_from_name(data_type_name(type)), type);
    EXPECT_GT(element_size(type), 0u);
    if (type == DataType::String) continue;
    EXPECT_EQ(element_size(type), storage_bits(type) < 8 ? 1u : static_cast<unsigned>(storage_bits(type)) / 8);
  }
  EXPECT_EQ(data_type_from_name("undefined"), DataType::Undefined);
  EXPECT_EQ(data_type_from_name("Float"), DataType::Undefined);
  EXPECT_EQ(data_type_name(static_cast<DataType>(200)), "undefined");
}

TEST(Types, ElementCount) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3}), 6);
  EXPECT_EQ(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(element_count({std::numeric_limits<std::int64_t>::max()}), std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(element_count({std::int64_t{1} << 32, std::int64_t{1} << 32}), Error);
  EXPECT_THROW(element_count({0, -1}), Error);
}

TEST(Tensor, MemoryIsAlignedAndOwned) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    for (const Shape& dims : {Shape{}, Shape{0, 5}, Shape{3, 7}}) {
      Tensor t(static_cast<DataType>(i), dims);
      ASSERT_NE(t.data(), nullptr);
      if (t.dtype() != DataType::String) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0u);
      }
      EXPECT_TRUE(t.owns());
      EXPECT_EQ(t.clone().dims(), dims);
    }
  }
}

TEST(Tensor, RefusesWhatCannotBe) {
  EXPECT_THROW(Tensor(DataType::Float, {-1}), Error);
  EXPECT_THROW(Tensor(DataType::Undefined, {1}), Error);
  EXPECT_THROW(Tensor(DataType::Double, {std::int64_t{1} << 61}), Error);
  EXPECT_THROW(Tensor(DataType::Float, {2, 3}).reshaped({7}), Error);
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor t(DataType::String, {2});
  t.as_mutable<std::string>()[1] = std::string(100, 'x');
  Tensor shared = t.reshaped({1, 2}), deep = t.clone();
  t.as_mutable<std::string>()[1] = "y";
  EXPECT_EQ(shared.as<std::string>()[1], "y");
  EXPECT_EQ(deep.as<std::string>()[1], std::string(100, 'x'));
}

// Which of the types that people write may read a tensor of each element type.
TEST(Tensor, ElementsAreReadAsWhatTheyAre) {
  const auto readable = [](const Tensor& t) {
    std::string as;
    const auto take = [&](const char* name, auto read) {
      try {
        EXPECT_EQ(static_cast<const void*>(read()), t.data());
        as += std::string(as.empty() ? "" : " ") + name;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::InvalidArgument);
        if (t.defined()) {
          EXPECT_NE(e.message().find(data_type_name(t.dtype())), std::string::npos) << e.message();
        }
      }
    };
    take("f32", [&] { return t.as<float>(); });
    take("f64", [&] { return t.as<double>(); });
    take("c64", [&] { return t.as<std::complex<float>>(); });
    take("c128", [&] { return t.as<std::complex<double>>(); });
    take("bool", [&] { return t.as<bool>(); });
    take("i8", [&] { return t.as<std::int8_t>(); });
    take("u8", [&] { return t.as<std::uint8_t>(); });
    take("i16", [&] { return t.as<std::int16_t>(); });
    take("u16", [&] { return t.as<std::uint16_t>(); });
    take("i32", [&] { return t.as<std::int32_t>(); });
    take("u32", [&] { return t.as<std::uint32_t>(); });
    take("i64", [&] { return t.as<long long>(); });
    take("u64", [&] { return t.as<unsigned long>(); });
    take("str", [&] { return t.as<std::string>(); });
    if (t.defined() && t.dtype() != DataType::String)
      EXPECT_EQ(t.as<std::byte>(), t.data());
    else
      EXPECT_THROW(t.as<std::byte>(), Error);
    return as;
  };
  const std::pair<DataType, const char*> wanted[] = {
      {DataType::Float, "f32"},     {DataType::Double, "f64"},        {DataType::Complex64, "f32 c64"},
      {DataType::Bool, "bool u8"},  {DataType::Uint8, "u8"},          {DataType::Int8, "i8"},
      {DataType::Uint16, "u16"},    {DataType::Int16, "i16"},         {DataType::Complex128, "f64 c128"},
      {DataType::Uint32, "u32"},    {DataType::Int32, "i32"},         {DataType::Uint64, "u64"},
      {DataType::Int64, "i64"},     {DataType::String, "str"},        {DataType::Float16, "u16"},
      {DataType::BFloat16, "u16"},  {DataType::Float8E4M3FN, "u8"},   {DataType::Float8E4M3FNUZ, "u8"},
      {DataType::Float8E5M2, "u8"}, {DataType::Float8E5M2FNUZ, "u8"}, {DataType::Float8E8M0, "u8"},
      {DataType::Float6E2M3, "u8"}, {DataType::Float6E3M2, "u8"},     {DataType::Float4E2M1, "u8"},
      {DataType::Uint4, "u8"},      {DataType::Int4, "i8"},           {DataType::Uint2, "u8"},
      {DataType::Int2, "i8"}};
  EXPECT_EQ(std::size(wanted), static_cast<std::size_t>(kDataTypeCount - 1));
  for (const auto& [type, as] : wanted) EXPECT_EQ(readable(Tensor(type, {2})), as) << data_type_name(type);
  EXPECT_EQ(readable(Tensor()), "");
  EXPECT_THROW(Tensor(DataType::Float, {1}).as_mutable<double>(), Error);
}

TEST(Value, ElementsAsNumbers) {
  struct {
    DataType type;
    std::uint64_t bits;
    double number;
  } const elements[] = {{DataType::Float, 0xbf800000, -1},
                        {DataType::Double, 0x3ff8000000000000, 1.5},
                        {DataType::Float16, 0x3c00, 1},
                        {DataType::BFloat16, 0xc000, -2},
                        {DataType::Int8, 0xff, -1},
                        {DataType::Uint8, 0xff, 255},
                        {DataType::Int16, 0xffff, -1},
                        {DataType::Uint16, 0xffff, 65535},
                        {DataType::Int32, 0xffffffff, -1},
                        {DataType::Uint32, 0xffffffff, 4294967295.0},
                        {DataType::Int64, ~std::uint64_t{0}, -1},
                        {DataType::Uint64, ~std::uint64_t{0}, 0x1p64},
                        {DataType::Bool, 1, 1},
                        {DataType::Int4, 0xf8, -8},
                        {DataType::Uint4, 15, 15},
                        {DataType::Int2, 0xfe, -2},
                        {DataType::Uint2, 3, 3},
                        {DataType::Float8E4M3FN, 0x7e, 448},
                        {DataType::Float8E4M3FNUZ, 0x7f, 240},
                        {DataType::Float8E5M2, 0x7b, 57344},
                        {DataType::Float8E5M2FNUZ, 0x7f, 57344},
                        {DataType::Float8E8M0, 128, 2},
                        {DataType::Float6E2M3, 31, 7.5},
                        {DataType::Float6E3M2, 31, 28},
                        {DataType::Float4E2M1, 15, -6}};
  EXPECT_EQ(std::size(elements) + 3, static_cast<std::size_t>(kDataTypeCount - 1));
  for (const auto& e : elements) {
    Tensor tensor(e.type, {2});
    std::memset(tensor.mutable_data(), 0, tensor.bytes());
    std::memcpy(tensor.as_mutable<std::byte>() + element_size(e.type), &e.bits, element_size(e.type));
    EXPECT_EQ(number_at(tensor, 1), e.number) << data_type_name(e.type);
  }
  for (const DataType type : {DataType::String, DataType::Complex64, DataType::Complex128})
    EXPECT_FALSE(number_at(Tensor(type, {1}), 0)) << data_type_name(type);
}

TEST(Value, KindsAndDescriptions) {
  EXPECT_EQ(Value().describe(), "none");
  EXPECT_EQ(Value(Tensor(DataType::BFloat16, {2, 0})).describe(), "bfloat16[2,0]");
  EXPECT_EQ(Value(Sequence{{Value(), Value()}}).describe(), "seq of 2");
  EXPECT_EQ(Value(Map{}).describe(), "map of 0");
  EXPECT_THROW(Value().tensor(), Error);
  EXPECT_THROW(Value(Map{}).sequence(), Error);
}

TEST(Error, TextHasPlaceAndHint) {
  Error e(ErrorCode::InvalidGraph, "no", "input 1");
  e.within("node 2").within("graph \"g\"").help("do").help("ignored");
  EXPECT_STREQ(e.what(), "no\n  at: graph \"g\" / node 2 / input 1\n  help: do");
  EXPECT_EQ(error_code_name(e.code()), "InvalidGraph");
}

TEST(Value, ItemsOfAListAreTakenWhereItIsGivenUp) {
  const auto list = [] { return Value(Sequence{{Tensor(DataType::Float, {2}), Tensor(DataType::Float, {3})}}); };
  const auto items = [](const Value& v) { return v.sequence().items.size(); };
  const Value kept = list();
  EXPECT_EQ(items(base::without_item(kept, 1)), 1U);  // it was not given up
  EXPECT_EQ(items(kept), 2U);
  const Value shared = list();
  Value other = shared;
  {
    const base::GivenUp up(shared);
    EXPECT_EQ(items(base::without_item(shared, 0)), 1U);
    EXPECT_EQ(items(other), 2U);
  }
  const Value alone = list();
  {
    const base::GivenUp up(alone);
    const Value copy = alone;  // what hands the list on shares it
    EXPECT_EQ(items(base::with_item(alone, 0, Tensor(DataType::Float, {1}))), 3U);
    EXPECT_EQ(items(copy), 2U);
  }
  EXPECT_EQ(items(base::without_item(alone, 1)), 1U);  // the time is over
  ASSERT_EQ(items(alone), 2U);
  const void* const first = alone.sequence().items.data();
  {
    const base::GivenUp up(alone);
    const Value rest = base::without_item(alone, 1);
    EXPECT_EQ(rest.sequence().items.data(), first);
    EXPECT_TRUE(alone.sequence().items.empty());
  }
  const base::GivenUp nothing((Value()));
}

// Against a plain vector: items anywhere, looked at as a whole now and then, and shared now and then.
TEST(Value, AListIsChangedAtAnyPlace) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const auto number = [](const Value& item) { return item.tensor().dims()[0]; };
  for (int mix = 0; mix < 4; ++mix) {
    std::vector<std::int64_t> truth;
    Value list{Sequence{}};
    for (std::int64_t k = 0; k < 3000; ++k) {
      const bool adds = truth.empty() || below(5) < (k < 1500 ? 3U : 2U);
      const std::size_t ends = truth.size() + (adds ? 1 : 0);
      const std::size_t at = mix == 0 ? 0 : mix == 1 ? ends - 1 : mix == 2 ? (below(2) ? 0 : ends - 1) : below(ends);
      const Value before = std::exchange(list, Value());
      std::optional<Value> other;
      if (below(50) == 0) other = before;
      const base::GivenUp up(before);
      list = adds ? base::with_item(before, at, Tensor(DataType::Uint8, {k})) : base::without_item(before, at);
      if (other) {
        ASSERT_EQ(base::length_of(*other), truth.size());
        for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_EQ(number(base::item_of(*other, i)), truth[i]);
      }
      if (adds)
        truth.insert(truth.begin() + static_cast<std::ptrdiff_t>(at), k);
      else
        truth.erase(truth.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_EQ(base::length_of(list), truth.size());
      if (!truth.empty()) {
        ASSERT_EQ(number(*base::first_item(list)), truth[0]);
      }
      if (below(100) != 0) continue;
      ASSERT_EQ(list.sequence().items.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_EQ(number(list.sequence().items[i]), truth[i]);
    }
  }
}

}  // namespace
}  // namespace norn
