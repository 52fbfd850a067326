// What goes along lines, TopK, norms and softmax in double, and tables of columns, against their definitions.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/number.h"
#include "kernels/cpu/columns.h"
#include "kernels/cpu/grid_sample.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/line_norm.h"
#include "kernels/cpu/scale.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/topk.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

// Few different values, so that there are equal ones, and odd ones among floating numbers.
template <class T>
std::vector<T> mixed(std::int64_t n, unsigned seed, int range) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    const auto draw = static_cast<int>(engine() % static_cast<unsigned>(range));
    x = static_cast<T>(draw - (std::is_unsigned_v<T> ? 0 : range / 2));
    if constexpr (std::is_floating_point_v<T>) {
      if (draw == 3) x = -T{0};
      if (engine() % 97 == 0) x = std::numeric_limits<T>::quiet_NaN();
      if (engine() % 97 == 0) x = engine() % 2 == 0 ? INFINITY : -INFINITY;
    }
  }
  return v;
}

// As ranks: NaN above all others, both zeros equal.
template <class T>
bool is_above(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a || b != b) return a != a && b == b;
  return a > b;
}

template <class T>
void check_topk(DataType type) {
  struct Line {
    std::int64_t n, k, outer = 3;
  };
  for (const auto& [n, k, outer] : {Line{1, 1},
                                    {5, 3},
                                    {200, 1},
                                    {200, 20},
                                    {1000, 7},
                                    {1000, 500},
                                    {300, 300},
                                    {1301, 2},
                                    {3234, 300, 1},
                                    {1700, 1650, 1},
                                    {9001, 5, 2},
                                    {5, 3, 150},
                                    {8, 8, 64},
                                    {9, 1, 150},
                                    {4, 1, 70}})
    for (const std::int64_t inner : {1, 3, 67})
      for (const bool largest : {true, false})
        for (const int range : {2, 120}) {
          const TopKConfig c{type, largest, k, outer, n, inner};
          auto x = mixed<T>(outer * n * inner, static_cast<unsigned>(n + k), range);
          ASSERT_EQ(topk_candidates().back().refuses(c), "");
          ASSERT_EQ(topk_candidates()[0].refuses(c).empty(), k == 1 && (largest || std::is_integral_v<T>));
          Constants constants;
          std::vector<T> values(static_cast<std::size_t>(outer * k * inner));
          for (const auto& candidate : topk_candidates()) {
            if (!candidate.refuses(c).empty()) continue;
            const auto kernel = candidate.make(c, constants);
            const auto at = run_at_widths(*kernel, {x.data(), values.data()},
                                          std::vector<std::int64_t>(static_cast<std::size_t>(outer * k * inner)));
            for (std::int64_t o = 0; o < outer; ++o)
              for (std::int64_t i = 0; i < inner; ++i) {
                const auto element = [&](std::int64_t p) {
                  return x[static_cast<std::size_t>((o * n + p) * inner + i)];
                };
                std::vector<std::int64_t> order(static_cast<std::size_t>(n));
                std::iota(order.begin(), order.end(), 0);
                std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                  return largest ? is_above(element(a), element(b)) : is_above(element(b), element(a));
                });
                for (std::int64_t j = 0; j < k; ++j) {
                  const auto to = static_cast<std::size_t>((o * k + j) * inner + i);
                  ASSERT_EQ(at[to], order[static_cast<std::size_t>(j)])
                      << n << " " << k << " " << inner << largest << candidate.name;
                  const T want = element(at[to]);
                  ASSERT_EQ(std::memcmp(&values[to], &want, sizeof want), 0);
                }
              }
          }
        }
}

TEST(TopK, EveryType) {
  check_topk<float>(DataType::Float);
  check_topk<double>(DataType::Double);
  check_topk<std::int8_t>(DataType::Int8);
  check_topk<std::uint8_t>(DataType::Uint8);
  check_topk<std::int16_t>(DataType::Int16);
  check_topk<std::uint16_t>(DataType::Uint16);
  check_topk<std::int32_t>(DataType::Int32);
  check_topk<std::uint32_t>(DataType::Uint32);
  check_topk<std::int64_t>(DataType::Int64);
  check_topk<std::uint64_t>(DataType::Uint64);
}

// Lines beyond the second cache are lanes that go by: drawn with many equal ones, ascending, and with a NaN.
TEST(TopK, LongLines) {
  constexpr std::int64_t n = 140'003;
  std::vector<float> x(2 * n);
  for (std::int64_t i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % 1009);
    x[static_cast<std::size_t>(n + i)] = static_cast<float>(i);
  }
  x[77'777] = NAN;
  for (const bool largest : {true, false})
    for (const std::int64_t k : {2, 8}) {
      const TopKConfig c{DataType::Float, largest, k, 2, n, 1};
      Constants constants;
      const auto size = static_cast<std::size_t>(2 * k);
      std::vector<float> values(size);
      std::vector<std::vector<std::int64_t>> places;
      for (const auto& candidate : topk_candidates())
        if (candidate.refuses(c).empty())
          places.push_back(
              run_at_widths(*candidate.make(c, constants), {x.data(), values.data()}, std::vector<std::int64_t>(size)));
      ASSERT_EQ(places.size(), 2u);
      EXPECT_EQ(places[0], places[1]) << largest << k;
      EXPECT_EQ(places[0][0], largest ? 77'777 : 0);
      EXPECT_EQ(places[0][static_cast<std::size_t>(k)], largest ? n - 1 : 0);
    }
}

TEST(TopK, EndsOfTypes) {
  using L = std::numeric_limits<std::int64_t>;
  std::vector<std::int64_t> x = {0, L::min(), -1, L::max(), 1};
  std::vector<std::uint64_t> u = {0, std::uint64_t{1} << 63, 1, ~std::uint64_t{0}, (std::uint64_t{1} << 63) - 1};
  Constants constants;
  const auto order = [&](DataType type, void* from, bool largest) {
    return run_at_widths(*topk_candidates().back().make({type, largest, 5, 1, 5, 1}, constants), {from, nullptr},
                         std::vector<std::int64_t>(5));
  };
  EXPECT_EQ(order(DataType::Int64, x.data(), true), (std::vector<std::int64_t>{3, 4, 0, 2, 1}));
  EXPECT_EQ(order(DataType::Int64, x.data(), false), (std::vector<std::int64_t>{1, 2, 0, 4, 3}));
  EXPECT_EQ(order(DataType::Uint64, u.data(), true), (std::vector<std::int64_t>{3, 1, 4, 2, 0}));
  // The bound is the greatest key there is.
  std::vector<std::int64_t> alike(3000, L::max());
  for (std::size_t i = 0; i < alike.size(); i += 3) alike[i] = 5;
  const auto first = run_at_widths(*topk_candidates().back().make({DataType::Int64, true, 4, 1, 3000, 1}, constants),
                                   {alike.data(), nullptr}, std::vector<std::int64_t>(4));
  EXPECT_EQ(first, (std::vector<std::int64_t>{1, 2, 4, 5}));
}

TEST(TopK, Halves) {
  const float inf = INFINITY;
  const std::vector<float> x = {1, -2, std::nanf(""), inf, -inf, 0.5f, -0.0f, 0, 65504, 1};
  Constants constants;
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    std::vector<std::uint16_t> halves;
    for (const float v : x)
      halves.push_back(type == DataType::Float16 ? base::float_to_half(v)
                                                 : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16));
    const auto at = run_at_widths(*topk_candidates().back().make({type, true, 10, 1, 10, 1}, constants),
                                  {halves.data(), nullptr}, std::vector<std::int64_t>(10));
    EXPECT_EQ(at, (std::vector<std::int64_t>{2, 3, 8, 0, 9, 5, 6, 7, 1, 4}));
  }
}

template <class T>
void check_line_norm(DataType type, double tolerance) {
  for (const auto& [outer, n, inner] : {std::tuple{1, 1, 1},
                                        {700, 3, 1},
                                        {5, 333, 1},
                                        {2, 400, 5},
                                        {2, 7, 70},
                                        {1, 3, 2100},
                                        {1100, 10, 1},
                                        {65, 16, 1},
                                        {70, 4, 1},
                                        {3, 6, 1},
                                        {200, 21, 1},
                                        {131, 64, 1},
                                        {66, 2, 1},
                                        {70, 65, 1},
                                        {70, 8, 3},
                                        {65, 2, 32},
                                        {9, 100, 3},
                                        {5, 30, 40}})
    for (const int p : {1, 2})
      for (const double scale :
           {1.0, type == DataType::Float ? 1e38 : 1e200, type == DataType::Float ? 1e-38 : 1e-200}) {
        const LineNormConfig c{type, p, outer, n, inner};
        std::vector<T> x;
        for (const float v : random_floats(std::int64_t{outer} * n * inner, 9)) x.push_back(static_cast<T>(v * scale));
        for (int k = 0; k < n; ++k) x[static_cast<std::size_t>(k * inner)] = 0;
        ASSERT_EQ(line_norm_candidates()[0].refuses(c), "");
        Constants constants;
        const auto got =
            run_at_widths(*line_norm_candidates()[0].make(c, constants), {x.data()}, std::vector<T>(x.size()));
        for (int o = 0; o < outer; ++o)
          for (int i = 0; i < inner; ++i) {
            long double sum = 0;
            const auto at = [&](int k) { return static_cast<std::size_t>((o * n + k) * inner + i); };
            for (int k = 0; k < n; ++k)
              sum += p == 1 ? std::fabs(static_cast<long double>(x[at(k)]))
                            : static_cast<long double>(x[at(k)]) * static_cast<long double>(x[at(k)]);
            const long double norm = p == 1 ? sum : std::sqrt(sum);
            for (int k = 0; k < n; ++k) {
              const auto want = static_cast<double>(norm == 0 ? 0 : static_cast<long double>(x[at(k)]) / norm);
              ASSERT_NEAR(static_cast<double>(got[at(k)]), want, tolerance) << outer << " " << n << " " << inner;
            }
          }
      }
}
TEST(LineNorm, EverySize) {
  check_line_norm<float>(DataType::Float, 2e-6);
  check_line_norm<double>(DataType::Double, 1e-13);
}

TEST(SoftmaxDouble, RowsAndColumns) {
  for (const auto& [outer, n, inner] : {std::tuple{1, 1, 1},
                                        {70, 5, 1},
                                        {3, 1300, 1},
                                        {2, 9, 700},
                                        {1, 100, 3},
                                        {2, 1001, 5},
                                        {3, 7, 9},
                                        {2, 30, 63},
                                        {1, 40, 64},
                                        {130, 2, 2},
                                        {300, 5, 9},
                                        {129, 64, 1},
                                        {200, 4, 16}})
    for (const bool log : {false, true}) {
      const SoftmaxConfig c{outer, n, inner, log, DataType::Double};
      std::vector<double> x;
      for (const float v : random_floats(std::int64_t{outer} * n * inner, 2, -40, 40)) x.push_back(v);
      if (n > 2) x[static_cast<std::size_t>(inner)] = -1e6;
      ASSERT_EQ(softmax_candidates()[0].refuses(c), "");
      Constants constants;
      const auto got =
          run_at_widths(*softmax_candidates()[0].make(c, constants), {x.data()}, std::vector<double>(x.size()));
      for (int o = 0; o < outer; ++o)
        for (int i = 0; i < inner; ++i) {
          const auto at = [&](int k) { return static_cast<std::size_t>((o * n + k) * inner + i); };
          double top = -INFINITY, sum = 0;
          for (int k = 0; k < n; ++k) top = std::max(top, x[at(k)]);
          for (int k = 0; k < n; ++k) sum += std::exp(x[at(k)] - top);
          for (int k = 0; k < n; ++k) {
            const double want = log ? x[at(k)] - top - std::log(sum) : std::exp(x[at(k)] - top) / sum;
            ASSERT_NEAR(got[at(k)], want, 1e-13 * (1 + std::fabs(want)));
          }
        }
    }
}

TEST(Softmax, FewColumns) {
  const std::int64_t n = 150, inner = 5;
  auto x = random_floats(3 * n * inner, 2, -9, 9);
  Constants constants;
  const auto got = run_at_widths(*softmax_candidates()[0].make({3, n, inner, false}, constants), {x.data()},
                                 std::vector<float>(x.size()));
  for (std::int64_t o = 0; o < 3; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      const auto at = [&](std::int64_t k) { return static_cast<std::size_t>((o * n + k) * inner + i); };
      double sum = 0;
      for (std::int64_t k = 0; k < n; ++k) sum += std::exp(static_cast<double>(x[at(k)]));
      for (std::int64_t k = 0; k < n; ++k) ASSERT_NEAR(got[at(k)], std::exp(static_cast<double>(x[at(k)])) / sum, 1e-6);
    }
}

template <class T>
void check_pick() {
  const auto x = mixed<T>(7 * 50, 4, 100);
  Constants constants;
  std::vector<std::int64_t> places;
  for (const std::vector<std::int64_t>& some :
       {std::vector<std::int64_t>{7}, {-50, -1}, {0, 49, 3}, {5, 5, 6, 7, 8, 9, 4, 40, 1}, {49, 0, -47, 3}}) {
    places = some;
    const std::size_t n = places.size();
    const auto kernel = pick_candidates()[0].make({7, 50, std::ssize(places), sizeof(T)}, constants);
    const auto got = run_at_widths(*kernel, {const_cast<T*>(x.data()), places.data()}, std::vector<T>(7 * n));
    for (std::size_t r = 0; r < 7; ++r)
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_EQ(got[n * r + k], x[50 * r + static_cast<std::size_t>((places[k] + 50) % 50)]);
  }
  const auto kernel = pick_candidates()[0].make({7, 50, 4, sizeof(T)}, constants);
  for (const std::int64_t wrong : {std::int64_t{-51}, std::int64_t{50}}) {
    places[2] = wrong;
    std::vector<T> out(28);
    void* operands[] = {const_cast<T*>(x.data()), places.data(), out.data()};
    EXPECT_THROW(kernel->run(operands, nullptr), Error);
  }
}
TEST(Columns, Picked) {
  check_pick<std::uint8_t>();
  check_pick<std::int16_t>();
  check_pick<std::int32_t>();
  check_pick<std::int64_t>();
}

template <class T>
void check_impute(DataType type, float float_mark) {
  for (const bool one : {true, false}) {
    auto by = std::make_shared<Imputed>();
    by->float_mark = float_mark;
    by->int_mark = 3;
    for (int i = 0; i < (one ? 1 : 33); ++i) {
      by->floats.push_back(100.5f + static_cast<float>(i));
      by->ints.push_back(1000 + i);
    }
    auto x = mixed<T>(170 * 33, 5, 12);
    const ImputeConfig c{by, type, 170, 33};
    ASSERT_EQ(impute_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*impute_candidates()[0].make(c, constants), {x.data()}, std::vector<T>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto v = static_cast<double>(x[i]);
      const bool marked = std::is_integral_v<T> ? v == 3 : std::isnan(float_mark) ? std::isnan(v) : v == float_mark;
      const double with = std::is_integral_v<T> ? 1000 : 100.5;
      if (marked)
        ASSERT_EQ(static_cast<double>(got[i]), with + static_cast<double>(one ? 0 : i % 33));
      else
        ASSERT_EQ(std::memcmp(&got[i], &x[i], sizeof(T)), 0);
    }
  }
}
TEST(Columns, Imputed) {
  check_impute<float>(DataType::Float, std::nanf(""));
  check_impute<float>(DataType::Float, 2);
  check_impute<double>(DataType::Double, std::nanf(""));
  check_impute<std::int32_t>(DataType::Int32, 0);
  check_impute<std::int64_t>(DataType::Int64, 0);
}

template <class T>
void check_scales(DataType type) {
  auto x = mixed<T>(50 * 9, 6, 40);
  for (T& v : x)
    if (!std::isfinite(static_cast<double>(v))) v = 1;
  const auto offset = random_floats(9, 2), scale = random_floats(9, 3);
  Constants constants;
  const ScaleConfig scales{std::make_shared<ColumnScales>(ColumnScales{offset, scale}), type, 50, 9};
  ASSERT_EQ(scale_candidates()[0].refuses(scales), "");
  const auto moved =
      run_at_widths(*scale_candidates()[0].make(scales, constants), {x.data()}, std::vector<float>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(moved[i], (static_cast<double>(x[i]) - offset[i % 9]) * scale[i % 9], 1e-5);
  for (const RowNorm norm : {RowNorm::Max, RowNorm::L1, RowNorm::L2}) {
    const auto got = run_at_widths(*row_norm_candidates()[0].make({norm, type, 50, 9}, constants), {x.data()},
                                   std::vector<float>(x.size()));
    for (std::size_t r = 0; r < 50; ++r) {
      double by = norm == RowNorm::Max ? static_cast<double>(x[9 * r]) : 0;
      for (std::size_t k = 0; k < 9; ++k) {
        const auto v = static_cast<double>(x[9 * r + k]);
        by = norm == RowNorm::Max ? std::max(by, v) : norm == RowNorm::L1 ? by + std::fabs(v) : std::hypot(by, v);
      }
      for (std::size_t k = 0; k < 9; ++k) {
        const auto v = static_cast<double>(x[9 * r + k]);
        ASSERT_NEAR(got[9 * r + k], by == 0 ? v : v / by, 1e-5);
      }
    }
  }
}
TEST(Scale, EveryType) {
  check_scales<float>(DataType::Float);
  check_scales<double>(DataType::Double);
  check_scales<std::int32_t>(DataType::Int32);
  check_scales<std::int64_t>(DataType::Int64);
}

// A tent function over every element: independent of which ones lie around a point.
template <class T>
void check_grid(DataType type, bool nearest, std::int64_t rows, std::int64_t columns, std::int64_t points) {
  const std::int64_t plane = rows * columns;
  for (const GridPadding padding : {GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection})
    for (const bool align : {false, true}) {
      const GridSampleConfig c{type, padding, align, nearest, 2, 3, rows, columns, points};
      std::vector<T> x, grid;
      for (const float v : random_floats(6 * plane, 1)) x.push_back(v);
      for (const float v : random_floats(4 * points, 2, -2.5f, 2.5f)) grid.push_back(v);
      grid[0] = std::numeric_limits<T>::quiet_NaN();
      grid[2] = std::numeric_limits<T>::infinity();
      x[0] = std::numeric_limits<T>::quiet_NaN();  // read by points near it only
      ASSERT_EQ(grid_sample_candidates()[0].refuses(c), "");
      Constants constants;
      const auto got = run_at_widths(*grid_sample_candidates()[0].make(c, constants), {x.data(), grid.data()},
                                     std::vector<T>(static_cast<std::size_t>(6 * points)));
      const auto coordinate = [&](double g, std::int64_t n) {
        const auto size = static_cast<double>(n);
        double v = align ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
        if (nearest) v = std::nearbyint(v);
        if (padding == GridPadding::Border) v = std::min(std::max(v, 0.0), size - 1);
        for (int turn = 0; padding == GridPadding::Reflection && turn < 40; ++turn) {
          const double low = align ? 0 : -0.5, high = align ? size - 1 : size - 0.5;
          v = v < low ? 2 * low - v : v > high ? 2 * high - v : v;
        }
        return padding == GridPadding::Reflection ? std::min(std::max(v, 0.0), size - 1) : v;
      };
      for (std::int64_t n = 0; n < 2; ++n)
        for (std::int64_t p = n == 0 ? 2 : 0; p < points; ++p) {
          const double across =
              coordinate(static_cast<double>(grid[static_cast<std::size_t>(2 * (n * points + p))]), columns);
          const double down =
              coordinate(static_cast<double>(grid[static_cast<std::size_t>(2 * (n * points + p) + 1)]), rows);
          for (std::int64_t k = 0; k < 3; ++k) {
            double sum = 0;
            for (std::int64_t i = 0; i < rows; ++i)
              for (std::int64_t j = 0; j < columns; ++j) {
                const double weight = std::max(0.0, 1 - std::fabs(down - static_cast<double>(i))) *
                                      std::max(0.0, 1 - std::fabs(across - static_cast<double>(j)));
                if (weight > 1e-9)
                  sum +=
                      weight * static_cast<double>(x[static_cast<std::size_t>((n * 3 + k) * plane + i * columns + j)]);
              }
            const auto is = static_cast<double>(got[static_cast<std::size_t>((n * 3 + k) * points + p)]);
            if (std::isnan(sum))
              ASSERT_TRUE(std::isnan(is));
            else
              ASSERT_NEAR(is, sum, 1e-5);
          }
        }
      // NaN lies outside, or at the first element.
      for (std::int64_t k = 1; padding == GridPadding::Zeros && k < 3; ++k)
        EXPECT_EQ(got[static_cast<std::size_t>(k * points)], T{0});
    }
}
TEST(GridSample, LinearAndNearest) {
  for (const bool nearest : {false, true}) {
    for (const auto& [rows, columns, points] :
         {std::array<std::int64_t, 3>{5, 7, 150}, {4, 2, 533}, {1, 6, 37}, {6, 1, 40}}) {
      check_grid<float>(DataType::Float, nearest, rows, columns, points);
      check_grid<double>(DataType::Double, nearest, rows, columns, points);
    }
  }
}

}  // namespace
}  // namespace norn::kernels
