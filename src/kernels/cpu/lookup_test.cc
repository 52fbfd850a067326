// Tables of labels, of every type of key.
#include "kernels/cpu/lookup.h"

#include <bit>
#include <limits>

#include "kernels/cpu/kernel_test.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

Tensor floats_of(const std::vector<float>& values) {
  Tensor t(DataType::Float, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as_mutable<float>());
  return t;
}

template <class X>
std::vector<float> looked_up(LookupTable table, std::vector<X> x) {
  const std::size_t size = x.size();
  LookupConfig c{pack_lookup(std::move(table)), static_cast<std::int64_t>(size)};
  EXPECT_EQ(lookup_candidates()[0].refuses(c), "");
  Constants constants;
  return run_at_widths(*lookup_candidates()[0].make(c, constants), {x.data()}, std::vector<float>(size));
}

LookupTable table_of(DataType x, std::vector<std::int64_t> keys) {
  LookupTable table;
  table.x = x;
  std::vector<float> values;
  for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(static_cast<float>(i));
  table.keys = std::move(keys);
  table.values = floats_of(values);
  table.otherwise = floats_of({-1});
  return table;
}

TEST(Lookup, Integers) {
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 5000; ++i) keys.push_back(i * i * i - (i % 3) * (INT64_MAX / 4));
  keys.push_back(INT64_MIN);
  std::vector<std::int64_t> x;
  std::vector<float> want;
  for (std::size_t i = 0; i < 40000; ++i) {
    const std::size_t k = i * 7919 % keys.size();
    x.push_back(i % 5 == 0 ? 11 : keys[k]);
    const auto at = std::find(keys.begin(), keys.end(), x.back());
    want.push_back(at == keys.end() ? -1 : static_cast<float>(at - keys.begin()));
  }
  EXPECT_EQ(looked_up(table_of(DataType::Int64, keys), x), want);
  EXPECT_EQ(looked_up(table_of(DataType::Int32, {5, -5}), std::vector<std::int32_t>{-5, 4, 5}),
            (std::vector<float>{1, -1, 0}));
  EXPECT_EQ(looked_up(table_of(DataType::Int16, {}), std::vector<std::int16_t>{-5}), std::vector<float>{-1});
}

TEST(Lookup, Floats) {
  const double nan = std::nan("");
  const auto bits = [](double v) { return std::bit_cast<std::int64_t>(v); };
  EXPECT_EQ(looked_up(table_of(DataType::Float, {bits(0.0), bits(nan), bits(1.5)}),
                      std::vector<float>{-0.0f, 0.0f, std::nanf("7"), 1.5f, 2}),
            (std::vector<float>{0, 0, 1, 2, -1}));
  EXPECT_EQ(looked_up(table_of(DataType::Double, {bits(0.0), bits(nan)}), std::vector<double>{-0.0, -nan, 0.1}),
            (std::vector<float>{0, 1, -1}));
  LookupTable bitwise =
      table_of(DataType::Float, {std::bit_cast<std::int32_t>(-0.0f), std::bit_cast<std::int32_t>(1.0f)});
  bitwise.bitwise = true;
  EXPECT_EQ(looked_up(std::move(bitwise), std::vector<float>{0.0f, -0.0f, 1.0f}), (std::vector<float>{-1, 0, 1}));
}

TEST(Lookup, Strings) {
  LookupTable table = table_of(DataType::String, {});
  table.names = {"", "a", "longer than what fits into a string itself"};
  table.values = floats_of({0, 1, 2});
  EXPECT_EQ(
      looked_up(std::move(table), std::vector<std::string>{"a", "b", "", "longer than what fits into a string itself"}),
      (std::vector<float>{1, -1, 0, 2}));
}

TEST(Lookup, OneHot) {
  LookupTable table = table_of(DataType::Int64, {7, -1});
  table.values = Tensor(DataType::Int64, {2});
  table.values.as_mutable<std::int64_t>()[0] = 2;
  table.values.as_mutable<std::int64_t>()[1] = 0;
  std::vector<std::int64_t> x = {-1, 5, 7};
  OneHotConfig c{pack_lookup(table), 3, 3, true};
  ASSERT_EQ(one_hot_candidates()[0].refuses(c), "");
  Constants constants;
  EXPECT_EQ(run_at_widths(*one_hot_candidates()[0].make(c, constants), {x.data()}, std::vector<float>(9, 5)),
            (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 1}));
  c.zeros = false;
  std::vector<float> y(9);
  void* operands[] = {x.data(), y.data()};
  EXPECT_THROW(one_hot_candidates()[0].make(c, constants)->run(operands, nullptr), Error);
  table.x = DataType::Float;  // cut to integers
  c = {pack_lookup(table), 5, 3, true};
  std::vector<float> floats = {7.9f, -1.5f, std::nanf(""), 1e30f, -0.5f};
  EXPECT_EQ(run_at_widths(*one_hot_candidates()[0].make(c, constants), {floats.data()}, std::vector<float>(15, 5)),
            (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  table.x = DataType::Int16;
  EXPECT_NE(one_hot_candidates()[0].refuses({pack_lookup(table), 3, 3, true}), "");
}

}  // namespace
}  // namespace norn::kernels
