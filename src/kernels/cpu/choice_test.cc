// Comparisons, logic and Where against their definitions, element by element, with every kind of broadcast.
#include "kernels/cpu/choice.h"

#include <bit>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

const Shape kOut = {2, 5, 7, 300};
const std::vector<Shape> kShapes = {{2, 5, 7, 300}, {}, {1}, {300}, {7, 1}, {5, 1, 1}, {1, 5, 1, 300}, {2, 1, 7, 1}};

// The position that an output position meets in an operand.
std::size_t met(const Shape& dims, std::int64_t index) {
  const auto strides = layout_strides(dims, Layout::Dense);
  const std::size_t lead = kOut.size() - dims.size();
  std::int64_t at = 0;
  for (std::size_t d = kOut.size(); d-- > 0; index /= kOut[d])
    if (d >= lead && dims[d - lead] != 1) at += index % kOut[d] * strides[d - lead];
  return static_cast<std::size_t>(at);
}

template <class T>
std::vector<T> some(const Shape& dims, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(element_count(dims)));
  for (T& x : v) x = static_cast<T>(engine() % 4);
  return v;
}

template <class T>
void check_pairs(DataType type) {
  for (const Shape& a_dims : kShapes)
    for (const Shape& b_dims : {kOut, a_dims, Shape{}, Shape{300}}) {
      auto a = some<T>(a_dims, 1), b = some<T>(b_dims, 2);
      if constexpr (std::is_floating_point_v<T>) a[0] = std::numeric_limits<T>::quiet_NaN();
      for (const auto& [op, holds] : std::initializer_list<std::pair<PairOp, bool (*)(T, T)>>{
               {PairOp::Equal, [](T x, T y) { return x == y; }},
               {PairOp::Less, [](T x, T y) { return x < y; }},
               {PairOp::LessOrEqual, [](T x, T y) { return x <= y; }},
               {PairOp::Greater, [](T x, T y) { return x > y; }},
               {PairOp::GreaterOrEqual, [](T x, T y) { return x >= y; }}}) {
        const PairConfig config{op, type, a_dims, b_dims, kOut};
        const auto& candidate = pair_candidates()[0];
        ASSERT_EQ(candidate.refuses(config), "");
        Constants constants;
        const auto got = run_at_widths(*candidate.make(config, constants), {a.data(), b.data()},
                                       std::vector<std::uint8_t>(static_cast<std::size_t>(element_count(kOut)), 7));
        for (std::size_t i = 0; i < got.size(); ++i) {
          const auto at = static_cast<std::int64_t>(i);
          ASSERT_EQ(got[i], holds(a[met(a_dims, at)], b[met(b_dims, at)])) << to_string(a_dims) << to_string(b_dims);
        }
      }
    }
}

TEST(Choice, Comparisons) {
  check_pairs<float>(DataType::Float);
  check_pairs<double>(DataType::Double);
  check_pairs<std::int64_t>(DataType::Int64);
  check_pairs<std::uint8_t>(DataType::Uint8);
}

// Every number of a half type with some others: both zeros, subnormal numbers, infinities, NaN of both signs.
template <class Widen>
void check_halves(DataType type, Widen widen) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const std::uint16_t other : {0x0000, 0x8000, 0x0001, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7c01,
                                    0x7f7f, 0x7f80, 0xff80, 0xff81}) {
    std::uint16_t b = other;
    for (const auto& [op, holds] : std::initializer_list<std::pair<PairOp, bool (*)(float, float)>>{
             {PairOp::Equal, [](float x, float y) { return x == y; }},
             {PairOp::Less, [](float x, float y) { return x < y; }},
             {PairOp::LessOrEqual, [](float x, float y) { return x <= y; }},
             {PairOp::Greater, [](float x, float y) { return x > y; }},
             {PairOp::GreaterOrEqual, [](float x, float y) { return x >= y; }}}) {
      const PairConfig config{op, type, {65536}, {}, {65536}};
      ASSERT_EQ(pair_candidates()[0].refuses(config), "");
      Constants constants;
      const auto got = run_at_widths(*pair_candidates()[0].make(config, constants), {all.data(), &b},
                                     std::vector<std::uint8_t>(65536, 7));
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], holds(widen(all[i]), widen(b))) << static_cast<int>(op) << " " << i << " " << b;
    }
  }
}
TEST(Choice, ComparisonsOfHalves) {
  check_halves(DataType::Float16, [](std::uint16_t v) { return base::half_to_float(v); });
  check_halves(DataType::BFloat16,
               [](std::uint16_t v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v) << 16); });
}

// Runs far longer than a tile, of rows that meet one element each as well.
TEST(Choice, LongRuns) {
  const std::int64_t n = 70001;
  const auto a = random_floats(3 * n, 1), b = random_floats(3 * n, 2);
  for (const Shape& b_dims : {Shape{3, n}, Shape{3, 1}, Shape{}, Shape{n}}) {
    const PairConfig config{PairOp::Less, DataType::Float, {3, n}, b_dims, {3, n}};
    Constants constants;
    const auto got = run_at_widths(*pair_candidates()[0].make(config, constants),
                                   {const_cast<float*>(a.data()), const_cast<float*>(b.data())},
                                   std::vector<std::uint8_t>(a.size(), 7));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto row = i / static_cast<std::size_t>(n), column = i % static_cast<std::size_t>(n);
      const std::size_t at = b_dims.size() == 2 ? (b_dims[1] == 1 ? row : i) : b_dims.empty() ? 0 : column;
      ASSERT_EQ(got[i], a[i] < b[at]) << to_string(b_dims) << " " << i;
    }
  }
}

TEST(Choice, Logic) {
  std::vector<std::uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  const auto run = [&](PairOp op) {
    Constants constants;
    return run_at_widths(*pair_candidates()[0].make({op, DataType::Bool, {4}, {4}, {4}}, constants),
                         {a.data(), b.data()}, std::vector<std::uint8_t>(4, 7));
  };
  using Bits = std::vector<std::uint8_t>;
  EXPECT_EQ(run(PairOp::And), (Bits{0, 0, 0, 1}));
  EXPECT_EQ(run(PairOp::Or), (Bits{0, 1, 1, 1}));
  EXPECT_EQ(run(PairOp::Xor), (Bits{0, 1, 1, 0}));
  EXPECT_EQ(run(PairOp::Equal), (Bits{1, 0, 0, 1}));
  a = {0, 0, 2, 128};
  b = {0, 4, 0, 1};  // any byte but 0 is true
  EXPECT_EQ(run(PairOp::And), (Bits{0, 0, 0, 1}));
  EXPECT_EQ(run(PairOp::Or), (Bits{0, 1, 1, 1}));
  EXPECT_EQ(run(PairOp::Xor), (Bits{0, 1, 1, 0}));
  EXPECT_EQ(run(PairOp::Equal), (Bits{1, 0, 0, 1}));
  EXPECT_NE(pair_candidates()[0].refuses({PairOp::And, DataType::Float, {4}, {4}, {4}}), "");
  EXPECT_NE(pair_candidates()[0].refuses({PairOp::Equal, DataType::Float, {3}, {4}, {4}}), "");
}

template <class T>
void check_where() {
  for (const Shape& c_dims : kShapes)
    for (const Shape& x_dims : {kOut, Shape{}, Shape{7, 1}})
      for (const Shape& y_dims : {kOut, Shape{}, Shape{300}}) {
        auto c = some<std::uint8_t>(c_dims, 3);
        for (auto& bit : c) bit &= 1;
        auto x = some<T>(x_dims, 4), y = some<T>(y_dims, 5);
        const WhereConfig config{c_dims, x_dims, y_dims, kOut, sizeof(T)};
        ASSERT_EQ(where_candidates()[0].refuses(config), "");
        Constants constants;
        const auto got = run_at_widths(*where_candidates()[0].make(config, constants), {c.data(), x.data(), y.data()},
                                       std::vector<T>(static_cast<std::size_t>(element_count(kOut)), 9));
        for (std::size_t i = 0; i < got.size(); ++i) {
          const auto at = static_cast<std::int64_t>(i);
          ASSERT_EQ(got[i], c[met(c_dims, at)] ? x[met(x_dims, at)] : y[met(y_dims, at)]) << to_string(c_dims);
        }
      }
}

TEST(Choice, Where) {
  check_where<std::uint8_t>();
  check_where<std::uint16_t>();
  check_where<float>();
  check_where<double>();
}

}  // namespace
}  // namespace norn::kernels
