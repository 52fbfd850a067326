// Reductions, places of extrema and running sums in every type against plain loops.
#include "kernels/cpu/fold.h"

#include <functional>
#include <numeric>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
std::vector<T> digits(std::int64_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(engine() % 9 + 1);
  return v;
}

// Calls f(first, step) for each group of a reduction: brute force over all elements.
template <class T>
std::vector<std::vector<T>> groups(const std::vector<T>& x, const Shape& dims, const std::vector<std::int64_t>& axes) {
  Shape kept = dims;
  for (std::int64_t a : axes) kept[static_cast<std::size_t>(a)] = 1;
  const auto strides = layout_strides(kept, Layout::Dense);
  std::vector<std::vector<T>> found(static_cast<std::size_t>(element_count(kept)));
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d])
      if (kept[d] != 1) at += rest % dims[d] * strides[d];
    found[static_cast<std::size_t>(at)].push_back(x[static_cast<std::size_t>(i)]);
  }
  return found;
}

template <class T>
double fold_of(FoldKind kind, const std::vector<T>& g) {
  double sum = 0, squares = 0, product = 1, most = -1e300, least = 1e300, exponentials = 0;
  for (const T v : g) {
    const auto d = static_cast<double>(v);
    sum += d;
    squares += d * d;
    product *= d;
    most = std::max(most, d);
    least = std::min(least, d);
  }
  for (const T v : g) exponentials += std::exp(static_cast<double>(v) - most);
  switch (kind) {
    case FoldKind::Sum:
    case FoldKind::L1: return sum;
    case FoldKind::Mean: return sum / static_cast<double>(g.size());
    case FoldKind::Max: return most;
    case FoldKind::Min: return least;
    case FoldKind::Prod: return product;
    case FoldKind::SumSquare: return squares;
    case FoldKind::L2: return std::sqrt(squares);
    case FoldKind::LogSum: return std::log(sum);
    case FoldKind::LogSumExp: return std::log(exponentials) + most;
  }
  return 0;
}

template <class T>
void check_folds(DataType type, std::initializer_list<FoldKind> kinds) {
  for (const Shape& dims :
       {Shape{3, 70, 5}, Shape{2, 3, 4, 129}, Shape{7}, Shape{1500, 3}, Shape{2, 1, 2100}, Shape{90, 2, 33},
        Shape{131, 9}, Shape{65, 4}, Shape{3, 70, 16}, Shape{2, 9, 3, 520}, Shape{41, 3, 4, 5}})
    for (std::uint32_t chosen = 0; chosen < 1u << dims.size(); ++chosen) {
      FoldConfig c{.type = type, .x = dims};
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (chosen >> d & 1) c.axes.push_back(static_cast<std::int64_t>(d));
      auto x = digits<T>(element_count(dims), 3);
      const auto all = groups(x, dims, c.axes);
      for (const FoldKind kind : kinds) {
        if (kind == FoldKind::Prod && all[0].size() > 12) continue;
        c.kind = kind;
        const auto candidate = std::find_if(fold_candidates().begin(), fold_candidates().end(),
                                            [&](const auto& each) { return each.refuses(c).empty(); });
        ASSERT_NE(candidate, fold_candidates().end()) << static_cast<int>(kind);
        Constants constants;
        const auto got = run_at_widths(*candidate->make(c, constants), {x.data()}, std::vector<T>(all.size(), T{77}));
        for (std::size_t i = 0; i < all.size(); ++i) {
          const double want = fold_of(kind, all[i]);
          if (std::is_integral_v<T>) {
            ASSERT_EQ(got[i], static_cast<T>(static_cast<std::int64_t>(want))) << static_cast<int>(kind);
            continue;
          }
          const double scale = kind == FoldKind::LogSumExp ? 2 * (1 + std::abs(want)) : std::abs(want);
          ASSERT_NEAR(static_cast<double>(got[i]), want, scale * (sizeof(T) == 4 ? 1e-6 : 1e-14));
        }
      }
    }
}
std::unique_ptr<Kernel> wide_fold(const FoldConfig& c, Constants& constants) {
  EXPECT_EQ(fold_candidates()[1].refuses(c), "");
  return fold_candidates()[1].make(c, constants);
}

// Products whose parts leave the range of f32, and of which one has a 0 besides.
TEST(Fold, ProductsThatLeaveTheRangeOnTheWay) {
  struct Case {
    Shape dims;
    std::vector<std::int64_t> axes;
  };
  for (const Case& of : {Case{{140, 5}, {0}}, Case{{5, 140}, {1}}, Case{{4, 6, 20}, {1, 2}}, Case{{44, 3}, {0}},
                         Case{{3, 44}, {1}}, Case{{6, 4, 20}, {0, 2}}, Case{{2, 6, 4, 20}, {1, 3}},
                         Case{{40, 4, 3}, {1}}, Case{{20, 6, 3, 4}, {1, 3}}, Case{{44}, {0}}}) {
    std::vector<float> x(static_cast<std::size_t>(element_count(of.dims)));
    // Halves of a group: the numbers of its elements first.
    std::vector<float> numbers(x.size());
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    const auto places = groups(numbers, of.dims, of.axes);
    for (std::size_t g = 0; g < places.size(); ++g)
      for (std::size_t i = 0; i < places[g].size(); ++i)
        x[static_cast<std::size_t>(places[g][i])] = g == 1 && i + 1 == places[g].size() ? 0.0f
                                                    : i < places[g].size() / 2          ? 100.0f
                                                                                        : 0.01f;
    const FoldConfig c{.kind = FoldKind::Prod, .type = DataType::Float, .x = of.dims, .axes = of.axes};
    const auto all = groups(x, of.dims, of.axes);
    for (const auto& candidate : fold_candidates()) {
      if (!candidate.refuses(c).empty()) continue;
      Constants constants;
      const auto got = run_at_widths(*candidate.make(c, constants), {x.data()}, std::vector<float>(all.size(), 77));
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_FALSE(std::isnan(got[i])) << candidate.name << " " << to_string(of.dims) << " " << i;
        if (i == 1) {
          ASSERT_EQ(got[i], 0.0f) << candidate.name << " " << to_string(of.dims);
        }
      }
    }
  }
}

TEST(Fold, EveryType) {
  using enum FoldKind;
  check_folds<float>(DataType::Float, {Sum, Mean, Max, Min, Prod, SumSquare, L1, L2, LogSum, LogSumExp});
  check_folds<double>(DataType::Double, {Sum, Mean, Max, Min, Prod, SumSquare, L1, L2, LogSum, LogSumExp});
  check_folds<std::int32_t>(DataType::Int32, {Sum, Mean, Max, Min, Prod, SumSquare, L1, L2});
  check_folds<std::uint32_t>(DataType::Uint32, {L2});
  check_folds<std::int64_t>(DataType::Int64, {Mean, L2});
  check_folds<std::uint64_t>(DataType::Uint64, {Sum, Mean, Max, Min, Prod, SumSquare, L1, L2});
  check_folds<std::uint8_t>(DataType::Uint8, {Max, Min});
}

TEST(Fold, HalvesAreSummedInFloat) {
  std::vector<std::uint16_t> x(5000, base::float_to_half(1.0f));
  const FoldConfig c{FoldKind::Sum, DataType::Float16, {5000}, {0}};
  Constants constants;
  EXPECT_EQ(run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()}, std::vector<std::uint16_t>(1))[0],
            base::float_to_half(5000));
}

TEST(Fold, ShortRowsOfHalves) {
  for (const std::int64_t n : {3, 10, 16})
    for (const FoldKind kind : {FoldKind::Sum, FoldKind::L2, FoldKind::Max}) {
      const std::int64_t rows = 1100;
      auto wide = digits<float>(rows * n, 5);
      std::vector<std::uint16_t> x;
      for (const float v : wide) x.push_back(base::float_to_half(v));
      const FoldConfig c{kind, DataType::Float16, {rows, n}, {1}};
      const auto all = groups(wide, c.x, c.axes);
      Constants constants;
      const auto got =
          run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()}, std::vector<std::uint16_t>(all.size()));
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double want = fold_of(kind, all[i]);
        ASSERT_NEAR(base::half_to_float(got[i]), want, 1e-3 * want) << n << " " << static_cast<int>(kind) << " " << i;
      }
    }
}

// Each element is far below the sum that it is added to.
TEST(Fold, LongSumsOfFloats) {
  for (const auto& [dims, axes] :
       std::initializer_list<std::pair<Shape, std::vector<std::int64_t>>>{{{300001, 17}, {0}},
                                                                          {{300001, 3}, {0}},
                                                                          {{100001, 2, 3, 5}, {0, 2}},
                                                                          {{3, 700001}, {1}},
                                                                          {{100001, 2, 5}, {0, 2}}}) {
    FoldConfig c{.type = DataType::Float, .x = dims, .axes = axes};
    std::vector<float> x(static_cast<std::size_t>(element_count(dims)), 1.1f);
    std::int64_t kept = element_count(dims);
    for (const std::int64_t a : axes) kept /= dims[static_cast<std::size_t>(a)];
    const double each = 1.1f, count = static_cast<double>(element_count(dims) / kept);
    const std::pair<FoldKind, double> wanted[] = {{FoldKind::Sum, each * count},
                                                  {FoldKind::Mean, each},
                                                  {FoldKind::SumSquare, each * each * count},
                                                  {FoldKind::LogSumExp, std::log(count) + each}};
    for (const auto& [kind, want] : wanted) {
      c.kind = kind;
      const auto candidate = std::find_if(fold_candidates().begin(), fold_candidates().end(),
                                          [&](const auto& f) { return f.refuses(c).empty(); });
      Constants constants;
      const auto got = run_at_widths(*candidate->make(c, constants), {x.data()},
                                     std::vector<float>(static_cast<std::size_t>(kept), -1.0f));
      for (const float v : got) ASSERT_NEAR(v, want, 4e-6 * want) << static_cast<int>(kind);
    }
  }
}

TEST(Fold, SumsBeyond64Bits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const auto& [dims, axis] : {std::pair{Shape{3, 50}, 1}, std::pair{Shape{50, 3}, 0}}) {
    Constants constants;
    std::vector<std::int64_t> x(150, kMost - 4), y(150, -kMost);
    const FoldConfig mean{FoldKind::Mean, DataType::Int64, dims, {axis}};
    const auto made = wide_fold(mean, constants);
    const Kernel& kernel = *made;
    EXPECT_EQ(run_at_widths(kernel, {x.data()}, std::vector<std::int64_t>(3)), std::vector<std::int64_t>(3, kMost - 4));
    EXPECT_EQ(run_at_widths(kernel, {y.data()}, std::vector<std::int64_t>(3)), std::vector<std::int64_t>(3, -kMost));
    std::vector<std::uint64_t> u(150, ~std::uint64_t{0} - 1);
    const FoldConfig unsigned_mean{FoldKind::Mean, DataType::Uint64, dims, {axis}};
    EXPECT_EQ(run_at_widths(*wide_fold(unsigned_mean, constants), {u.data()}, std::vector<std::uint64_t>(3)),
              std::vector<std::uint64_t>(3, ~std::uint64_t{0} - 1));
    // The root of 50 * 2^58 is 3796250624.6.
    std::vector<std::int32_t> z(150, -(1 << 29));
    const FoldConfig norm{FoldKind::L2, DataType::Int32, dims, {axis}};
    EXPECT_EQ(run_at_widths(*wide_fold(norm, constants), {z.data()}, std::vector<std::int32_t>(3)),
              std::vector<std::int32_t>(3, static_cast<std::int32_t>(3796250624u)));
  }
}

// Below 2^52, up to 2^63 and beyond, in every order of axes, of magnitudes that differ within a row.
TEST(Fold, NormsOfWideIntegers) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [dims, axes] : {std::pair{Shape{6, 4}, std::vector<std::int64_t>{1}},
                                   {Shape{4, 6}, {0}},
                                   {Shape{3, 2, 2, 2}, {1, 3}},
                                   {Shape{2, 3, 2, 2}, {0, 2}}})
    for (const std::uint64_t size : {std::uint64_t{3}, std::uint64_t{1} << 21, (std::uint64_t{1} << 31) - 1,
                                     std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
      // Each group has four of them: the root of 4 v^2 is 2 v.
      std::vector<std::int64_t> x(24);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = i % 3 == 0 ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
      Constants constants;
      const FoldConfig c{FoldKind::L2, DataType::Int64, dims, axes};
      const auto got = run_at_widths(*wide_fold(c, constants), {x.data()}, std::vector<std::int64_t>(6));
      EXPECT_EQ(got, std::vector<std::int64_t>(6, static_cast<std::int64_t>(2 * size))) << size;
    }
  std::vector<std::uint64_t> u = {kMost, 0, 3, 4, 0, kMost, 5, 12};
  const FoldConfig c{FoldKind::L2, DataType::Uint64, {4, 2}, {1}};
  Constants constants;
  EXPECT_EQ(run_at_widths(*wide_fold(c, constants), {u.data()}, std::vector<std::uint64_t>(4)),
            (std::vector<std::uint64_t>{kMost, 5, kMost, 13}));
}
// Roots and quotients next to whole numbers, of small sums.
TEST(Fold, ResultsAreCutExactly) {
  std::vector<std::int64_t> x;
  for (std::int64_t k = 1; k < 26000000; k = k * 9 / 8 + 1)
    for (const std::int64_t v : {k, -k, k - 1}) x.insert(x.end(), {v, v, k});
  const auto rows = static_cast<std::int64_t>(x.size() / 3);
  Constants constants;
  const FoldConfig norm{FoldKind::L2, DataType::Int64, {rows, 3}, {1}},
      mean{FoldKind::Mean, DataType::Int64, {rows, 3}, {1}};
  const auto roots = run_at_widths(*wide_fold(norm, constants), {x.data()}, std::vector<std::int64_t>(x.size() / 3));
  const auto means = run_at_widths(*wide_fold(mean, constants), {x.data()}, std::vector<std::int64_t>(x.size() / 3));
  std::vector<std::int32_t> narrow(x.begin(), x.end());
  for (const DataType type : {DataType::Int32, DataType::Uint32}) {
    if (type == DataType::Uint32)
      for (std::int32_t& v : narrow) v = std::abs(v);
    const FoldConfig narrow_norm{FoldKind::L2, type, {rows, 3}, {1}};
    const auto got = run_at_widths(*wide_fold(narrow_norm, constants), {narrow.data()},
                                   std::vector<std::int32_t>(narrow.size() / 3));
    EXPECT_TRUE(std::equal(got.begin(), got.end(), roots.begin(), roots.end()));
  }
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const std::int64_t *v = x.data() + 3 * r, square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    ASSERT_LE(roots[r] * roots[r], square);
    ASSERT_GT((roots[r] + 1) * (roots[r] + 1), square);
    ASSERT_EQ(means[r], (v[0] + v[1] + v[2]) / 3);
  }
}

// On both sides of what is summed and divided in fewer bits, in short rows and down columns.
TEST(Fold, MeansOfEveryMagnitude) {
  std::mt19937_64 engine(9);
  for (std::int64_t n = 2; n <= 9; ++n)
    for (int bits = 29; bits <= 63; ++bits) {
      constexpr std::int64_t kGroups = 71;
      std::vector<std::int64_t> rows(static_cast<std::size_t>(n * kGroups)), columns(rows.size());
      std::vector<std::int64_t> want;
      for (std::int64_t g = 0; g < kGroups; ++g) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t v = static_cast<std::int64_t>(engine()) >> (64 - bits) >> (g % 5 == 0 ? 0 : 5);
          rows[static_cast<std::size_t>(g * n + k)] = columns[static_cast<std::size_t>(k * kGroups + g)] = v / n;
          sum += v / n;
        }
        want.push_back(sum / n);
      }
      Constants constants;
      for (const DataType type : {DataType::Int64, DataType::Uint64}) {
        if (type == DataType::Uint64) {  // sizes of them, so that no sum wraps
          for (auto* all : {&rows, &columns})
            for (std::int64_t& v : *all) v = std::abs(v);
          for (std::int64_t g = 0; g < kGroups; ++g) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < n; ++k) sum += rows[static_cast<std::size_t>(g * n + k)];
            want[static_cast<std::size_t>(g)] = sum / n;
          }
        }
        const FoldConfig across{FoldKind::Mean, type, {kGroups, n}, {1}}, down{FoldKind::Mean, type, {n, kGroups}, {0}};
        ASSERT_EQ(run_at_widths(*wide_fold(across, constants), {rows.data()}, std::vector<std::int64_t>(kGroups)), want)
            << n << " of " << bits;
        ASSERT_EQ(run_at_widths(*wide_fold(down, constants), {columns.data()}, std::vector<std::int64_t>(kGroups)),
                  want)
            << n << " of " << bits;
      }
    }
}

TEST(Fold, LogSumExpOfInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t axis : {0, 1}) {
    std::vector<float> x = {-inf, -inf, -inf, -inf, inf, 1, 1, -inf, -inf, 0, 0, -inf, 1000, -1000, 0, 1000};
    if (axis == 0)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < i; ++k) std::swap(x[4 * i + k], x[4 * k + i]);
    const FoldConfig c{FoldKind::LogSumExp, DataType::Float, {4, 4}, {axis}};
    Constants constants;
    const auto got = run_at_widths(*fold_candidates()[2].make(c, constants), {x.data()}, std::vector<float>(4));
    EXPECT_EQ(got[0], -inf);
    EXPECT_EQ(got[1], inf);
    EXPECT_NEAR(got[2], std::log(2.0), 1e-6);
    EXPECT_NEAR(got[3], 1000 + std::log(2.0), 1e-3);
  }
}

// Against the formula with a sum in long double, where its logarithm is not next to a whole number; rows with one
// largest element and nothing near it give this element.
template <class T>
void check_integer_exponentials(DataType type, std::initializer_list<T> tops) {
  struct Case {
    Shape dims;
    std::vector<std::int64_t> axes;
  };
  for (const Case& of :
       {Case{{300, 48}, {1}}, Case{{7, 1001}, {1}}, Case{{2, 5, 3, 60}, {1, 3}}, Case{{513}, {0}}, Case{{300, 7}, {1}},
        Case{{131, 47}, {1}}, Case{{1000, 2}, {1}}, Case{{9}, {0}}, Case{{43, 2, 4, 5}, {0, 3}}, Case{{60, 20}, {0}},
        Case{{20, 30, 20}, {0, 2}}, Case{{4, 17, 33}, {1}}, Case{{3, 9, 300}, {1}}, Case{{40, 260}, {0}}})
    for (const T top : tops)
      for (const unsigned spread : {1u, 3u, 40u, 2000u}) {
        std::mt19937 engine(spread);
        std::vector<T> x(static_cast<std::size_t>(element_count(of.dims)));
        for (T& v : x) v = static_cast<T>(top - static_cast<T>(engine() % spread));
        const FoldConfig c{FoldKind::LogSumExp, type, of.dims, of.axes};
        const auto& candidate = fold_candidates()[3];
        ASSERT_EQ(candidate.refuses(c), "");
        const auto all = groups(x, of.dims, of.axes);
        Constants constants;
        const auto got = run_at_widths(*candidate.make(c, constants), {x.data()}, std::vector<T>(all.size(), T{77}));
        for (std::size_t i = 0; i < all.size(); ++i) {
          const T most = *std::max_element(all[i].begin(), all[i].end());
          long double sum = 0;
          for (const T v : all[i]) sum += std::exp(static_cast<long double>(v) - static_cast<long double>(most));
          // The last sum is one of doubles, which have few places behind the point where integers are large.
          const double log = static_cast<double>(std::log(sum)), want = log + static_cast<double>(most);
          if (std::fabs(log - std::round(log)) < 1e-9 && sum != 1) continue;
          ASSERT_EQ(got[i], static_cast<T>(want)) << to_string(of.dims) << " " << spread << " " << i;
        }
      }
}
TEST(Fold, LogSumExpOfIntegers) {
  check_integer_exponentials<std::int32_t>(DataType::Int32, {5, -3, 2147483000, -2147480000});
  check_integer_exponentials<std::uint32_t>(DataType::Uint32, {2000, 4294967000u});
  check_integer_exponentials<std::int64_t>(DataType::Int64, {5, -3, std::int64_t{1} << 50, -(std::int64_t{1} << 51)});
  check_integer_exponentials<std::uint64_t>(DataType::Uint64, {2000, std::uint64_t{1} << 51});
  // Extremes beside each other, and integers that double does not have: they count as the ones that they are rounded
  // to.
  Constants constants;
  const FoldConfig c{FoldKind::LogSumExp, DataType::Int64, {2, 64}, {1}};
  std::vector<std::int64_t> x(128, std::numeric_limits<std::int64_t>::min());
  x[3] = 7;
  for (std::size_t i = 64; i < 128; ++i) x[i] = (std::int64_t{1} << 60) + static_cast<std::int64_t>(i - 64);
  EXPECT_EQ(run_at_widths(*fold_candidates()[3].make(c, constants), {x.data()}, std::vector<std::int64_t>(2)),
            (std::vector<std::int64_t>{7, std::int64_t{1} << 60}));
  // The same in short rows.
  const FoldConfig short_rows{FoldKind::LogSumExp, DataType::Int64, {16, 8}, {1}};
  const auto got =
      run_at_widths(*fold_candidates()[3].make(short_rows, constants), {x.data()}, std::vector<std::int64_t>(16));
  EXPECT_EQ(got[0], 7);
  EXPECT_EQ(got[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(got[15], std::int64_t{1} << 60);
  // And in columns.
  const FoldConfig down{FoldKind::LogSumExp, DataType::Int64, {8, 16}, {0}};
  std::vector<std::int64_t> turned(128);
  for (std::size_t i = 0; i < 128; ++i) turned[i % 8 * 16 + i / 8] = x[i];
  EXPECT_EQ(run_at_widths(*fold_candidates()[3].make(down, constants), {turned.data()}, std::vector<std::int64_t>(16)),
            got);
  const auto& refuses = fold_candidates()[3].refuses;
  EXPECT_NE(refuses({FoldKind::LogSumExp, DataType::Int32, {64, 2}, {0}}), "");
  EXPECT_NE(refuses({FoldKind::LogSumExp, DataType::Int32, {4, 3, 2}, {0, 2}}), "");
  EXPECT_NE(refuses({FoldKind::LogSumExp, DataType::Int32, {0, 64}, {1}}), "");
  EXPECT_NE(refuses({FoldKind::LogSumExp, DataType::Int8, {2, 64}, {1}}), "");
  EXPECT_NE(refuses({FoldKind::LogSumExp, DataType::Int32, {}, {}}), "");
}

TEST(Fold, NaNWins) {
  for (const Shape& dims : {Shape{200, 1}, Shape{200, 40}})
    for (const FoldKind kind : {FoldKind::Max, FoldKind::Min}) {
      std::vector<double> x(static_cast<std::size_t>(element_count(dims)), 2.0);
      x[static_cast<std::size_t>(100 * dims[1])] = std::nan("");
      const FoldConfig c{kind, DataType::Double, dims, {0}};
      Constants constants;
      const auto got = run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()},
                                     std::vector<double>(static_cast<std::size_t>(dims[1])));
      EXPECT_TRUE(std::isnan(got[0]));
      EXPECT_TRUE(dims[1] == 1 || got.back() == 2.0);
    }
}

// Rows that are taken many at a time, of integers whose sums and products are beyond them.
template <class T>
void check_wrapping(DataType type) {
  using U = std::make_unsigned_t<T>;
  for (const std::int64_t n : {16, 17, 20, 31, 64, 100, 513})
    for (const std::int64_t rows : {1, 15, 77}) {
      std::mt19937_64 engine(static_cast<std::uint64_t>(n));
      std::vector<T> x(static_cast<std::size_t>(rows * n));
      for (T& v : x) v = static_cast<T>(engine() | 1);  // products of odd numbers do not vanish
      for (const FoldKind kind : {FoldKind::Sum, FoldKind::Prod, FoldKind::SumSquare, FoldKind::L1}) {
        const FoldConfig c{kind, type, {rows, n}, {1}};
        Constants constants;
        const auto got = run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()},
                                       std::vector<T>(static_cast<std::size_t>(rows), T{7}));
        for (std::size_t r = 0; r < got.size(); ++r) {
          U want = kind == FoldKind::Prod ? 1 : 0;
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            const T v = x[r * static_cast<std::size_t>(n) + i];
            const U u = static_cast<U>(v), size = v < 0 ? U{0} - u : u;
            want = kind == FoldKind::Prod ? want * u
                                          : want + (kind == FoldKind::SumSquare ? u * u
                                                    : kind == FoldKind::L1      ? size
                                                                                : u);
          }
          ASSERT_EQ(static_cast<U>(got[r]), want) << static_cast<int>(kind) << " " << n << " " << r;
        }
      }
    }
}
TEST(Fold, RowsOfIntegersWrap) {
  check_wrapping<std::int32_t>(DataType::Int32);
  check_wrapping<std::uint32_t>(DataType::Uint32);
  check_wrapping<std::int64_t>(DataType::Int64);
  check_wrapping<std::uint64_t>(DataType::Uint64);
}
TEST(Fold, MeansOfRowsDoNotWrap) {
  std::vector<std::int32_t> x(50 * 20, std::numeric_limits<std::int32_t>::max());
  for (std::size_t i = 20; i < 40; ++i) x[i] = std::numeric_limits<std::int32_t>::min();
  x[0] -= 20;
  Constants constants;
  const auto got =
      run_at_widths(*fold_candidates()[0].make({FoldKind::Mean, DataType::Int32, {50, 20}, {1}}, constants), {x.data()},
                    std::vector<std::int32_t>(50));
  EXPECT_EQ(got[0], std::numeric_limits<std::int32_t>::max() - 1);
  EXPECT_EQ(got[1], std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(got[2], std::numeric_limits<std::int32_t>::max());
}

// NaN in few of many short rows, at each of their places; zeros of both signs and infinities.
template <class T>
void check_short_extrema(DataType type) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t n = 1; n <= kShortRow; ++n)
    for (const bool largest : {true, false}) {
      const std::int64_t rows = 1201;
      std::vector<T> x;
      for (const float v : random_floats(rows * n, 9, -5, 5)) x.push_back(static_cast<T>(v));
      for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>((600 + 3 * i) * n + i)] = nan;
      x[static_cast<std::size_t>(3 * n)] = inf;
      x[static_cast<std::size_t>(5 * n - 1)] = -inf;
      const FoldConfig c{largest ? FoldKind::Max : FoldKind::Min, type, {rows, n}, {1}};
      Constants constants;
      const auto got = run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()},
                                     std::vector<T>(static_cast<std::size_t>(rows)));
      for (std::int64_t r = 0; r < rows; ++r) {
        T want = x[static_cast<std::size_t>(r * n)];
        for (std::int64_t i = 0; i < n; ++i) {
          const T v = x[static_cast<std::size_t>(r * n + i)];
          if (std::isnan(v) || (largest ? v > want : v < want)) want = v;
          if (std::isnan(want)) break;
        }
        const T is = got[static_cast<std::size_t>(r)];
        ASSERT_TRUE(is == want || (std::isnan(is) && std::isnan(want))) << n << " " << r << ": " << is;
      }
    }
}
TEST(Fold, NaNAndExtremaInShortRows) {
  check_short_extrema<float>(DataType::Float);
  check_short_extrema<double>(DataType::Double);
}

TEST(Fold, NaNAndExtremaAnywhereInARow) {
  for (const std::int64_t n : {16, 17, 31, 50, 63, 64, 100, 513})
    for (const FoldKind kind : {FoldKind::Max, FoldKind::Min, FoldKind::Sum}) {
      const std::int64_t rows = n + 19;  // the last ones are by themselves
      std::vector<float> x(static_cast<std::size_t>(rows * n));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
      for (std::int64_t r = 0; r < n; ++r) x[static_cast<std::size_t>(r * n + r)] = r % 2 == 0 ? std::nanf("") : 77;
      const FoldConfig c{kind, DataType::Float, {rows, n}, {1}};
      Constants constants;
      const auto got = run_at_widths(*fold_candidates()[0].make(c, constants), {x.data()},
                                     std::vector<float>(static_cast<std::size_t>(rows)));
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * n), end = begin + static_cast<std::ptrdiff_t>(n);
        const float value = got[static_cast<std::size_t>(r)];
        if (r < n && r % 2 == 0) {
          ASSERT_TRUE(std::isnan(value)) << n << " " << r;
        } else {
          const float want = kind == FoldKind::Max   ? *std::max_element(begin, end)
                             : kind == FoldKind::Min ? *std::min_element(begin, end)
                                                     : std::accumulate(begin, end, 0.0f);
          ASSERT_EQ(value, want) << n << " " << r;
        }
      }
    }
}

// One element of each row is beyond the others, at every place in turn.
template <class T>
void check_rows(DataType type) {
  for (const std::int64_t n : {17, 31, 32, 33, 50, 100, 511})
    for (const bool largest : {true, false}) {
      std::vector<T> x(static_cast<std::size_t>(n * n));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 7 + 10);
      for (std::int64_t r = 0; r < n; ++r) x[static_cast<std::size_t>(r * n + r)] = static_cast<T>(largest ? 20 : 1);
      Constants constants;
      const auto value = run_at_widths(
          *fold_candidates()[0].make({largest ? FoldKind::Max : FoldKind::Min, type, {n, n}, {1}}, constants),
          {x.data()}, std::vector<T>(static_cast<std::size_t>(n)));
      EXPECT_EQ(value, std::vector<T>(static_cast<std::size_t>(n), static_cast<T>(largest ? 20 : 1))) << n;
      const auto at = run_at_widths(*arg_extremum_candidates()[0].make({type, largest, false, n, n, 1}, constants),
                                    {x.data()}, std::vector<std::int64_t>(static_cast<std::size_t>(n)));
      for (std::int64_t r = 0; r < n; ++r) ASSERT_EQ(at[static_cast<std::size_t>(r)], r) << n;
    }
}
TEST(Fold, ExtremaOfRowsOfEveryType) {
  check_rows<float>(DataType::Float);
  check_rows<double>(DataType::Double);
  check_rows<std::int8_t>(DataType::Int8);
  check_rows<std::uint8_t>(DataType::Uint8);
  check_rows<std::int32_t>(DataType::Int32);
  check_rows<std::int64_t>(DataType::Int64);
}

template <class T>
void check_args(DataType type) {
  const bool real = std::is_floating_point_v<T>;
  for (const std::int64_t inner : {1, 3, 31, 700})
    for (const std::int64_t n : {1, 2, 3, 4, 5, 16, 17, 40, 63, 200, 1003})
      for (const bool largest : {true, false})
        for (const bool last : {true, false}) {
          const std::int64_t outer = n < 10 && inner == 1 ? 700 : n < 10 ? 61 : 3;
          const ArgExtremumConfig c{type, largest, last, outer, n, inner};
          auto x = digits<T>(outer * n * inner, static_cast<unsigned>(n));
          if (real && n > 60) {
            x[static_cast<std::size_t>(40 * inner)] = static_cast<T>(std::nan(""));
            x[static_cast<std::size_t>(50 * inner)] = static_cast<T>(std::nan(""));
          }
          if (real && n < 10)
            for (std::size_t i = 0; i < x.size(); i += 7) x[i] = static_cast<T>(std::nan(""));
          ASSERT_EQ(arg_extremum_candidates()[0].refuses(c), "");
          Constants constants;
          const auto got = run_at_widths(*arg_extremum_candidates()[0].make(c, constants), {x.data()},
                                         std::vector<std::int64_t>(static_cast<std::size_t>(outer * inner), -7));
          for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i) {
              std::vector<double> line;
              for (std::int64_t k = 0; k < n; ++k)
                line.push_back(static_cast<double>(x[static_cast<std::size_t>((o * n + k) * inner + i)]));
              // NaN counts as beyond all others.
              for (double& v : line) v = std::isnan(v) ? 1000 : largest ? v : -v;
              const auto at =
                  last ? line.size() - 1 -
                             static_cast<std::size_t>(std::max_element(line.rbegin(), line.rend()) - line.rbegin())
                       : static_cast<std::size_t>(std::max_element(line.begin(), line.end()) - line.begin());
              ASSERT_EQ(got[static_cast<std::size_t>(o * inner + i)], static_cast<std::int64_t>(at))
                  << n << " " << inner << " " << largest << last;
            }
        }
}
TEST(ArgExtremum, EveryType) {
  check_args<float>(DataType::Float);
  check_args<double>(DataType::Double);
  check_args<std::int8_t>(DataType::Int8);
  check_args<std::uint16_t>(DataType::Uint16);
  check_args<std::int64_t>(DataType::Int64);
  check_args<std::int32_t>(DataType::Int32);
  check_args<std::uint8_t>(DataType::Uint8);
}

TEST(Hardmax, RowsAndColumns) {
  for (const HardmaxConfig& c : {HardmaxConfig{DataType::Float, 1100, 7, 1},
                                 {DataType::Float, 3, 90, 1},
                                 {DataType::Float, 2, 6, 700},
                                 {DataType::Float, 2, 1003, 3},
                                 {DataType::Float, 3, 1, 5}}) {
    const auto x = digits<float>(c.outer * c.n * c.inner, 12);
    std::vector<float> operand = x;
    Constants constants;
    const auto got = run_at_widths(*hardmax_candidates()[0].make(c, constants), {operand.data()},
                                   std::vector<float>(x.size(), -7.0f));
    std::vector<float> want(x.size(), 0.0f);
    for (std::int64_t o = 0; o < c.outer; ++o)
      for (std::int64_t i = 0; i < c.inner; ++i) {
        const auto at = [&](std::int64_t k) { return static_cast<std::size_t>((o * c.n + k) * c.inner + i); };
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < c.n; ++k)
          if (x[at(k)] > x[at(best)]) best = k;
        want[at(best)] = 1;
      }
    EXPECT_EQ(got, want) << c.outer << " " << c.n << " " << c.inner;
  }
}

template <class T>
void check_cumulative(DataType type) {
  for (const std::int64_t inner : {1, 2, 3, 4, 5, 6, 7, 8, 9, 23, 37, 2049, 2500})
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true})
        for (const bool product : {false, true}) {
          const CumulativeConfig c{type, product, exclusive, reverse, 2, 9, inner};
          auto x = digits<T>(2 * 9 * inner, 8);
          Constants constants;
          const auto got =
              run_at_widths(*cumulative_candidates()[0].make(c, constants), {x.data()}, std::vector<T>(x.size()));
          for (std::int64_t o = 0; o < 2; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
              for (std::int64_t k = 0; k < 9; ++k) {
                std::int64_t want = product ? 1 : 0;
                for (std::int64_t l = 0; l < 9; ++l) {
                  const bool counts = reverse ? l > k : l < k;
                  if (!counts && (l != k || exclusive)) continue;
                  const auto v = static_cast<std::int64_t>(x[static_cast<std::size_t>((o * 9 + l) * inner + i)]);
                  want = product ? want * v : want + v;
                }
                ASSERT_EQ(got[static_cast<std::size_t>((o * 9 + k) * inner + i)], static_cast<T>(want)) << inner;
              }
        }
}
TEST(Cumulative, AllWays) {
  check_cumulative<std::int32_t>(DataType::Int32);
  check_cumulative<std::uint64_t>(DataType::Uint64);
  check_cumulative<float>(DataType::Float);
  check_cumulative<double>(DataType::Double);
}

}  // namespace
}  // namespace norn::kernels
