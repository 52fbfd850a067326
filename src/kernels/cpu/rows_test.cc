// Softmax, normalisations and reductions against their definitions in double.
#include "base/number.h"
#include "kernels/cpu/guarded_test.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/plane_adds.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class Config>
std::vector<float> run_first(const Config& config, std::span<const Candidate<Config>> candidates,
                             std::vector<void*> operands, std::size_t out) {
  Constants constants;
  EXPECT_EQ(candidates[0].refuses(config), "");
  return run_at_widths(*candidates[0].make(config, constants), std::move(operands), std::vector<float>(out, -3.0f));
}

TEST(Softmax, RowsAndColumns) {
  for (auto [outer, n, inner] :
       {std::tuple{1, 1, 1}, {3, 7, 1},     {37, 1, 1},  {37, 2, 1},  {100, 8, 1},   {19, 9, 1},
        {5, 16, 1},          {5, 17, 1},    {5, 128, 1}, {5, 129, 1}, {400, 197, 1}, {2, 1000, 1},
        {3, 2048, 1},        {3, 2049, 1},  {2, 5, 3},   {3, 64, 2},  {2, 1001, 5},  {1, 77, 15},
        {3, 21, 300},        {1, 10, 2000}, {16, 2, 2},  {40, 6, 3},  {37, 82, 5},   {150, 32, 15}}) {
    for (bool log : {false, true}) {
      SoftmaxConfig config{outer, n, inner, log};
      auto x = random_floats(std::int64_t{outer} * n * inner, 3, -30, 30);
      std::vector<double> want(x.size());
      for (int o = 0; o < outer; ++o)
        for (int i = 0; i < inner; ++i) {
          auto at = [&](int k) { return static_cast<std::size_t>((o * n + k) * inner + i); };
          double top = -INFINITY, sum = 0;
          for (int k = 0; k < n; ++k) top = std::max(top, double(x[at(k)]));
          for (int k = 0; k < n; ++k) sum += std::exp(x[at(k)] - top);
          for (int k = 0; k < n; ++k)
            want[at(k)] = log ? x[at(k)] - top - std::log(sum) : std::exp(x[at(k)] - top) / sum;
        }
      expect_close(run_first(config, softmax_candidates(), {x.data()}, x.size()), want, 1e-6,
                   std::to_string(n) + "," + std::to_string(inner));
    }
  }
}

// Each weight is far below the sum that it is added to.
TEST(Softmax, LongRowsAndColumns) {
  constexpr std::int64_t kRows = 1000000;
  for (const std::int64_t columns : {1, 2, 17}) {
    std::vector<float> x(static_cast<std::size_t>(kRows * columns));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) * 0.01f;
    const SoftmaxConfig config{1, kRows, columns, false};
    std::vector<float> y(x.size());
    Constants constants;
    void* operands[] = {x.data(), y.data()};
    softmax_candidates()[0].make(config, constants)->run(operands, nullptr);
    for (std::int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::int64_t r = 0; r < kRows; ++r) sum += y[static_cast<std::size_t>(r * columns + c)];
      EXPECT_NEAR(sum, 1, 2e-6) << columns << ", " << c;
    }
  }
}

TEST(Norm, LongRows) {
  constexpr std::int64_t kLength = 1000003;
  std::vector<float> x(kLength), scale(kLength, 1.0f), y(kLength);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 0.9f : 0.3f;
  double mean = 0, square = 0;
  for (const float v : x) mean += static_cast<double>(v) / kLength;
  for (const float v : x) square += (v - mean) * (v - mean) / kLength;
  Constants constants;
  void* operands[] = {x.data(), scale.data(), nullptr, y.data()};
  layer_norm_candidates()[0].make({1, kLength}, constants)->run(operands, nullptr);
  for (const std::size_t i : {0u, 1u, 1000002u}) EXPECT_NEAR(y[i], (x[i] - mean) / std::sqrt(square + 1e-5), 1e-5) << i;
}

// A weight below the smallest normal number is 0, as masks of -100 leave it; NaN and what is above stay.
TEST(Softmax, SubnormalWeightsAreZero) {
  constexpr std::int64_t kRows = 6;
  for (const std::int64_t n : {5, 40, 300}) {
    for (const bool columns : {false, true}) {
      const auto size = static_cast<std::size_t>(n);
      std::vector<float> x(size * kRows);
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t i = 0; i < size; ++i)
          x[columns ? i * kRows + r : r * size + i] = i == 0 ? 2.0f : 2.0f - 80 - static_cast<float>(i % 40);
      x[columns ? 3 : 3 * size] = std::nanf("");
      const SoftmaxConfig config{columns ? 1 : kRows, n, columns ? kRows : 1, false};
      const auto y = run_first(config, softmax_candidates(), {x.data()}, x.size());
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t i = 0; i < size; ++i) {
          const float got = y[columns ? i * kRows + r : r * size + i];
          if (r == 3) {
            EXPECT_TRUE(std::isnan(got));
          } else if (i == 0) {
            EXPECT_EQ(got, 1.0f);
          } else {
            const double want = std::exp(-80.0 - static_cast<double>(i % 40));
            EXPECT_NEAR(got, want < 0x1p-126 ? 0 : want, 1e-6 * want) << n << " " << i;
          }
        }
    }
  }
}

// A row's result depends on the row alone, and NaN stays in its row.
TEST(Softmax, RowsAreApart) {
  for (const std::int64_t n : {2, 5, 8, 9, 40}) {
    const std::int64_t rows = 41;
    auto x = random_floats(rows * n, 7, -5, 5);
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t r = 1; r < 41; ++r)
      std::copy_n(x.begin(), size, x.begin() + static_cast<std::ptrdiff_t>(r * size));
    x[17 * size] = std::nanf("");
    const auto y = run_first(SoftmaxConfig{rows, n, 1, false}, softmax_candidates(), {x.data()}, x.size());
    for (std::size_t r = 0; r < 41; ++r)
      for (std::size_t i = 0; i < size; ++i) {
        if (r == 17)
          EXPECT_TRUE(std::isnan(y[r * size + i]));
        else
          EXPECT_EQ(y[r * size + i], y[i]) << n << " " << r;
      }
  }
}
TEST(Softmax, MaskedAndNotANumber) {
  std::vector<float> x(40, 0.5f);
  x[0] = x[39] = -INFINITY;  // masked
  const auto y = run_first(SoftmaxConfig{1, 40, 1, false}, softmax_candidates(), {x.data()}, 40);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[39], 0);
  EXPECT_NEAR(y[7], 1 / 38.0, 1e-7);
  x[20] = std::nanf("");
  for (float v : run_first(SoftmaxConfig{1, 40, 1, false}, softmax_candidates(), {x.data()}, 40))
    EXPECT_TRUE(std::isnan(v));
  std::vector<float> all(5, -INFINITY);
  for (float v : run_first(SoftmaxConfig{1, 5, 1, false}, softmax_candidates(), {all.data()}, 5))
    EXPECT_TRUE(std::isnan(v));
}

TEST(Norm, LayerNorm) {
  for (auto [outer, n] : {std::pair{1, 1},
                          {3, 17},
                          {128, 768},
                          {200, 65},
                          {8, 1},
                          {70, 2},
                          {65, 3},
                          {130, 4},
                          {9, 5},
                          {77, 63},
                          {300, 64}}) {
    for (int form = 0; form < 8; ++form) {
      LayerNormConfig config{outer, n, 1e-5f, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
      auto x = random_floats(outer * n, 2, -2, 5), scale = random_floats(n, 3), bias = random_floats(n, 4);
      std::vector<double> want(x.size());
      for (int r = 0; r < outer; ++r) {
        const float* row = x.data() + r * n;
        double mean = 0, square = 0;
        if (!config.root_mean_square) {
          for (int i = 0; i < n; ++i) mean += row[i];
          mean /= n;
        }
        for (int i = 0; i < n; ++i) square += (row[i] - mean) * (row[i] - mean);
        for (int i = 0; i < n; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          want[static_cast<std::size_t>(r * n + i)] =
              (row[i] - mean) / std::sqrt(square / n + 1e-5) * (config.has_scale ? scale[at] : 1) +
              (config.has_bias ? bias[at] : 0);
        }
      }
      expect_close(run_first(config, layer_norm_candidates(), {x.data(), scale.data(), bias.data()}, x.size()), want,
                   3e-6, std::to_string(n));
    }
  }
}

TEST(Norm, LayerNormOfDouble) {
  for (auto [outer, n] : {std::pair{1, 1},
                          {3, 17},
                          {5, 31},
                          {2, 127},
                          {2, 128},
                          {3, 129},
                          {40, 2050},
                          {8, 1},
                          {70, 2},
                          {65, 3},
                          {130, 4},
                          {9, 5},
                          {77, 63},
                          {300, 64}}) {
    for (int form = 0; form < 16; ++form) {
      LayerNormConfig config{.outer = outer,
                             .n = n,
                             .has_scale = (form & 1) != 0,
                             .has_bias = (form & 2) != 0,
                             .root_mean_square = (form & 4) != 0,
                             .type = DataType::Double,
                             .rounds_to_float = (form & 8) != 0};
      const auto drawn = [](std::int64_t count, unsigned seed) {
        std::vector<double> values;
        for (const float v : random_floats(count, seed, -2, 5)) values.push_back(static_cast<double>(v) / 3);
        return values;
      };
      auto x = drawn(outer * n, 2), scale = drawn(n, 3), bias = drawn(n, 4);
      std::vector<double> want(x.size());
      for (int r = 0; r < outer; ++r) {
        std::vector<long double> row;
        for (int i = 0; i < n; ++i) {
          const double v = x[static_cast<std::size_t>(r * n + i)];
          row.push_back(config.rounds_to_float ? static_cast<long double>(static_cast<float>(v)) : v);
        }
        long double mean = 0, square = 0;
        for (const long double v : row) mean += config.root_mean_square ? 0 : v / n;
        for (const long double v : row) square += (v - mean) * (v - mean) / n;
        for (int i = 0; i < n; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          want[static_cast<std::size_t>(r * n + i)] =
              static_cast<double>((row[at] - mean) / std::sqrt(square + static_cast<long double>(config.epsilon)) *
                                      (config.has_scale ? scale[at] : 1) +
                                  (config.has_bias ? bias[at] : 0));
        }
      }
      ASSERT_EQ(layer_norm_candidates()[0].refuses(config), "");
      Constants constants;
      const auto kernel = layer_norm_candidates()[0].make(config, constants);
      const auto got = run_at_widths(*kernel, {x.data(), scale.data(), bias.data()}, std::vector<double>(x.size()));
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-12) << n << " " << form << " " << i;
      void* in_place[] = {x.data(), scale.data(), bias.data(), x.data()};
      kernel->run(in_place, nullptr);
      EXPECT_EQ(x, got) << n << " " << form;
    }
  }
}

TEST(Norm, LayerNormOfHalves) {
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    const auto wide = [&](std::uint16_t x) {
      return static_cast<double>(type == DataType::Float16 ? base::half_to_float(x) : base::bfloat16_to_float(x));
    };
    const auto drawn = [&](std::int64_t count, unsigned seed) {
      std::vector<std::uint16_t> values;
      for (const float v : random_floats(count, seed, -2, 5))
        values.push_back(type == DataType::Float16 ? base::float_to_half(v) : base::float_to_bfloat16(v));
      return values;
    };
    const double step = type == DataType::Float16 ? 0x1p-11 : 0x1p-8;
    for (auto [outer, n] : {std::pair{1, 1},
                            {3, 17},
                            {5, 31},
                            {2, 64},
                            {2, 127},
                            {3, 129},
                            {40, 2050},
                            {40, 93},
                            {90, 512},
                            {8, 1},
                            {70, 2},
                            {65, 3},
                            {130, 4},
                            {9, 5},
                            {77, 63},
                            {300, 64}}) {
      for (int form = 0; form < 8; ++form) {
        LayerNormConfig config{.outer = outer,
                               .n = n,
                               .has_scale = (form & 1) != 0,
                               .has_bias = (form & 2) != 0,
                               .root_mean_square = (form & 4) != 0,
                               .type = type};
        auto x = drawn(outer * n, 2), scale = drawn(n, 3), bias = drawn(n, 4);
        x[0] = type == DataType::Float16 ? 0x7e00 : 0x7fc0;  // NaN: so is all of its row
        ASSERT_EQ(layer_norm_candidates()[0].refuses(config), "");
        Constants constants;
        const auto kernel = layer_norm_candidates()[0].make(config, constants);
        const auto got =
            run_at_widths(*kernel, {x.data(), scale.data(), bias.data()}, std::vector<std::uint16_t>(x.size()));
        for (int r = 0; r < outer; ++r) {
          double mean = 0, square = 0;
          const auto at = [&](int i) { return static_cast<std::size_t>(r * n + i); };
          for (int i = 0; i < n; ++i) mean += config.root_mean_square ? 0 : wide(x[at(i)]) / n;
          for (int i = 0; i < n; ++i) square += std::pow(wide(x[at(i)]) - mean, 2) / n;
          for (int i = 0; i < n; ++i) {
            const auto column = static_cast<std::size_t>(i);
            const double factor = config.has_scale ? wide(scale[column]) : 1,
                         more = config.has_bias ? wide(bias[column]) : 0;
            const double by = factor / std::sqrt(square + static_cast<double>(config.epsilon));
            const double want = (wide(x[at(i)]) - mean) * by + more;
            if (r == 0)
              ASSERT_TRUE(std::isnan(wide(got[at(i)]))) << n << " " << form << " " << i;
            else
              ASSERT_NEAR(wide(got[at(i)]), want, step * std::fabs(want) + 1e-5 * (1 + std::fabs(by) + std::fabs(more)))
                  << n << " " << form << " " << r << " " << i;
          }
        }
        void* in_place[] = {x.data(), scale.data(), bias.data(), x.data()};
        kernel->run(in_place, nullptr);
        EXPECT_EQ(x, got) << n << " " << form;
      }
    }
  }
}

// The output is the fourth operand; mean and 1 / deviation follow it. Which are asked for must not change the others.
TEST(Norm, LayerNormStatistics) {
  for (auto [outer, n] : {std::pair{1, 1}, {3, 17}, {40, 768}, {2, 1500}, {67, 33}})
    for (const bool gives_mean : {true, false})
      for (const bool gives_inverse : {true, false}) {
        LayerNormConfig config{outer, n, 1e-5f, true, true, false, gives_mean, gives_inverse};
        auto x = random_floats(outer * n, 2, 90, 95), scale = random_floats(n, 3), bias = random_floats(n, 4);
        Constants constants;
        const auto kernel = layer_norm_candidates()[0].make(config, constants);
        std::vector<float> y(x.size());
        const auto statistic = [&](bool mean) {
          std::vector<float> other(static_cast<std::size_t>(config.outer)), own(other.size(), -7.0f);
          float* const none = nullptr;
          for (int width : {1, 3}) {
            base::ParallelWidth w(width);
            std::vector<void*> operands = {x.data(),
                                           scale.data(),
                                           bias.data(),
                                           y.data(),
                                           config.gives_mean ? (mean ? own : other).data() : none,
                                           config.gives_inverse ? (mean ? other : own).data() : none};
            kernel->run(operands.data(), nullptr);
          }
          return own;
        };
        const auto means = statistic(true), inverses = statistic(false);
        const auto alone = run_first(LayerNormConfig{outer, n, 1e-5f, true, true, false}, layer_norm_candidates(),
                                     {x.data(), scale.data(), bias.data()}, x.size());
        EXPECT_EQ(y, alone);
        for (int r = 0; r < outer; ++r) {
          double mean = 0, square = 0;
          for (int i = 0; i < n; ++i) mean += static_cast<double>(x[static_cast<std::size_t>(r * n + i)]) / n;
          for (int i = 0; i < n; ++i) square += std::pow(x[static_cast<std::size_t>(r * n + i)] - mean, 2) / n;
          const double inverse = 1 / std::sqrt(square + 1e-5);
          const auto at = static_cast<std::size_t>(r);
          EXPECT_NEAR(means[at], gives_mean ? mean : -7, 4e-5) << n;
          EXPECT_NEAR(inverses[at], gives_inverse ? inverse : -7, gives_inverse ? 1e-5 * inverse : 0) << n;
        }
      }
}

TEST(Norm, Lrn) {
  for (Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
    for (std::int64_t size : {1, 2, 3, 5, 40}) {
      const Shape dims = {2, 13, 9, 7};
      LrnConfig config{dims, size, 0.9f, 0.75f, 1.5f, layout};
      auto x = random_floats(element_count(dims), 7, -2, 2);
      std::vector<double> want;
      for (std::int64_t i = 0; i < element_count(dims); ++i) {
        const std::int64_t c = i / 63 % 13;
        double sum = 0;
        for (std::int64_t k = std::max<std::int64_t>(0, c - (size - 1) / 2);
             k <= std::min<std::int64_t>(12, c + size / 2); ++k)
          sum += std::pow(double(x[static_cast<std::size_t>(i + (k - c) * 63)]), 2);
        want.push_back(x[static_cast<std::size_t>(i)] / std::pow(1.5 + 0.9 / static_cast<double>(size) * sum, 0.75));
      }
      auto laid = relaid(x, dims, Layout::Dense, layout);
      expect_close(relaid(run_first(config, lrn_candidates(), {laid.data()}, x.size()), dims, layout, Layout::Dense),
                   want, 2e-6, std::to_string(size));
    }
  }
}

TEST(Reduce, EveryKindOverEverySetOfAxes) {
  const Shape dims = {3, 5, 1, 7, 4};
  for (int mask = 0; mask < 32; ++mask) {
    for (int kind = 0; kind < 8; ++kind) {
      ReduceConfig config{static_cast<ReduceKind>(kind), dims, {}};
      Shape kept;
      for (int d = 0; d < 5; ++d) {
        if (mask >> d & 1) config.axes.push_back(d);
        kept.push_back(mask >> d & 1 ? 1 : dims[static_cast<std::size_t>(d)]);
      }
      auto x = random_floats(420, static_cast<unsigned>(mask), 0.6f, 1.4f);
      for (std::size_t i = 0; i < x.size(); i += 3) x[i] = -x[i];
      std::vector<double> want(static_cast<std::size_t>(element_count(kept)), kind == 2   ? -INFINITY
                                                                              : kind == 3 ? INFINITY
                                                                              : kind == 4 ? 1
                                                                                          : 0);
      for (std::int64_t i = 0; i < 420; ++i) {
        std::int64_t rest = i, at = 0, step = 1;
        for (std::size_t d = 5; d-- > 0;) {
          if (kept[d] != 1) at += rest % dims[d] * step;
          step *= kept[d];
          rest /= dims[d];
        }
        double& to = want[static_cast<std::size_t>(at)];
        const double v = x[static_cast<std::size_t>(i)];
        switch (kind) {
          case 2: to = std::max(to, v); break;
          case 3: to = std::min(to, v); break;
          case 4: to *= v; break;
          case 5:
          case 7: to += v * v; break;
          case 6: to += std::abs(v); break;
          default: to += v;
        }
      }
      for (double& v : want) {
        if (kind == 1) v /= static_cast<double>(420 / want.size());
        if (kind == 7) v = std::sqrt(v);
      }
      expect_close(run_first(config, reduce_candidates(), {x.data()}, want.size()), want, 2e-5,
                   "axes " + std::to_string(mask) + " kind " + std::to_string(kind));
    }
  }
}

TEST(Rows, LeaveAloneWhatLiesBehind) {
  const Guarded from, to;
  for (std::int64_t n = 1; n < 70; ++n) {
    const auto x = random_floats(n, static_cast<unsigned>(n));
    std::copy(x.begin(), x.end(), from.last<float>(n));
    const auto check = [&](const auto& run) {
      std::vector<float> want(x.size());
      run(x.data(), want.data());
      run(from.last<float>(n), to.last<float>(n));
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(to.last<float>(n)[i], want[static_cast<std::size_t>(i)]) << n;
    };
    check([&](const float* row, float* out) { row_table().softmax(row, out, 1, n, false); });
    check([&](const float* row, float* out) { row_table().layer_norm(row, row, row, out, n, 1e-5f, false); });
    check([&](const float* row, float* out) {
      step_table_f32()(ElementOp::Sigmoid)(row, nullptr, out, n, 0, 0);
      step_table_f32()(ElementOp::Add)(out, row, out, n, 0, 0);
    });
    check([&](const float* row, float* out) {
      std::fill_n(out, n, reduce_table().row(static_cast<int>(ReduceKind::Sum), row, n));
      plane_adds().apart(out, 0, 1, row, 0, n, 1);
    });
  }
}

// Rows of every length at strides; nothing behind the last element is touched.
TEST(Rows, AddedAtStrides) {
  const Guarded guarded;
  for (std::int64_t n = 1; n < 45; ++n)
    for (const std::int64_t step : {1, 2, 3})
      for (const bool pairs : {false, true}) {
        if (pairs && step != 2) continue;
        const std::int64_t rows = 3, from_row = n + 1, to_row = n * step + 5;
        const std::int64_t size = (rows - 1) * to_row + (n - 1) * step + (pairs ? 2 : 1);
        const auto a = random_floats(rows * from_row, 1), b = random_floats(rows * from_row, 2);
        std::vector<float> want = random_floats(size, 3);
        float* const to = guarded.last<float>(size);
        std::copy(want.begin(), want.end(), to);
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(r * to_row + i * step);
            const auto from = static_cast<std::size_t>(r * from_row + i);
            want[at] += a[from];
            if (pairs) want[at + 1] += b[from];
          }
        if (pairs)
          plane_adds().pairs(to, to_row, a.data(), b.data(), from_row, n, rows);
        else
          plane_adds().apart(to, to_row, step, a.data(), from_row, n, rows);
        ASSERT_TRUE(std::equal(want.begin(), want.end(), to)) << n << " by " << step << (pairs ? " pairs" : "");
      }
}

TEST(Reduce, ManyShortRows) {
  for (std::int64_t n = 1; n < 140; n += n < 40 ? 1 : 13)
    for (const std::int64_t rows : {1, 7, 8, 9, 16, 17, 35}) {
      auto x = random_floats(rows * n, 3);
      std::vector<double> want(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < x.size(); ++i) want[i / static_cast<std::size_t>(n)] += static_cast<double>(x[i]);
      const ReduceConfig config{ReduceKind::Sum, {rows, n}, {1}};
      const auto got = run_first(config, reduce_candidates(), {x.data()}, want.size());
      expect_close(got, want, 1e-5, std::to_string(n));
      const ReduceConfig one{ReduceKind::Sum, {1, n}, {1}};
      for (std::int64_t r = 0; r < rows; ++r)
        EXPECT_EQ(run_first(one, reduce_candidates(), {x.data() + r * n}, 1)[0], got[static_cast<std::size_t>(r)]) << n;
    }
}

TEST(Reduce, ShortRowsOfEveryKind) {
  for (const std::int64_t n : {2, 3, 4, 9, 15, 16, 17, 49, 100})
    for (const std::int64_t rows : {1, 65, 200}) {
      auto x = random_floats(rows * n, 5, -2, 2);
      for (const ReduceKind kind : {ReduceKind::Max, ReduceKind::Min, ReduceKind::SumSquare, ReduceKind::L1,
                                    ReduceKind::L2, ReduceKind::Mean}) {
        std::vector<double> want;
        for (std::int64_t r = 0; r < rows; ++r) {
          double most = -1e9, least = 1e9, squares = 0, sizes = 0, sum = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            const double v = x[static_cast<std::size_t>(r * n + i)];
            most = std::max(most, v);
            least = std::min(least, v);
            squares += v * v;
            sizes += std::abs(v);
            sum += v;
          }
          want.push_back(kind == ReduceKind::Max         ? most
                         : kind == ReduceKind::Min       ? least
                         : kind == ReduceKind::SumSquare ? squares
                         : kind == ReduceKind::L1        ? sizes
                         : kind == ReduceKind::L2        ? std::sqrt(squares)
                                                         : sum / static_cast<double>(n));
        }
        const ReduceConfig config{kind, {rows, n}, {1}};
        expect_close(run_first(config, reduce_candidates(), {x.data()}, want.size()), want, 1e-5,
                     std::to_string(n) + " " + std::to_string(static_cast<int>(kind)));
      }
    }
}

TEST(Reduce, LongSums) {
  for (const auto& [dims, axes] : std::initializer_list<std::pair<Shape, std::vector<std::int64_t>>>{
           {{300001, 17}, {0}}, {{3, 700001}, {1}}, {{100001, 2, 5}, {0, 2}}}) {
    const ReduceConfig config{ReduceKind::Mean, dims, axes};
    std::vector<float> x(static_cast<std::size_t>(element_count(dims)), 1.1f);
    std::size_t kept = x.size();
    for (const std::int64_t a : axes) kept /= static_cast<std::size_t>(dims[static_cast<std::size_t>(a)]);
    for (const float v : run_first(config, reduce_candidates(), {x.data()}, kept)) ASSERT_NEAR(v, 1.1f, 4e-6);
  }
}

TEST(Reduce, LargeOnesAndNaN) {
  for (const Shape& dims : {Shape{300, 1000}, Shape{7, 3000}, Shape{40, 50, 60}}) {
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(dims.size()); ++axis) {
      ReduceConfig config{ReduceKind::Max, dims, {axis}};
      auto x = random_floats(element_count(dims), 3);
      x[x.size() / 3] = std::nanf("");
      const std::size_t n = x.size() / static_cast<std::size_t>(dims[static_cast<std::size_t>(axis)]);
      const auto got = run_first(config, reduce_candidates(), {x.data()}, n);
      EXPECT_EQ(std::count_if(got.begin(), got.end(), [](float v) { return std::isnan(v); }), 1);
    }
  }
}

}  // namespace
}  // namespace norn::kernels
