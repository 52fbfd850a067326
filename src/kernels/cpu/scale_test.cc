#include "kernels/cpu/scale.h"

#include <limits>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

TEST(Scale, Columns) {
  for (const auto& [rows, columns] : {std::pair{0, 3}, {1, 1}, {700, 41}, {3, 1000}}) {
    const auto x = random_floats(rows * columns, 1), offset = random_floats(columns, 2),
               scale = random_floats(columns, 3);
    ScaleConfig c{std::make_shared<ColumnScales>(ColumnScales{offset, scale}), DataType::Float, rows, columns};
    ASSERT_EQ(scale_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*scale_candidates()[0].make(c, constants), {const_cast<float*>(x.data())},
                                   std::vector<float>(x.size()));
    std::vector<double> want;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = i % offset.size();
      want.push_back((static_cast<double>(x[i]) - offset[k]) * scale[k]);
    }
    expect_close(got, want, 1e-6, "scaled");
    c.columns += 1;
    EXPECT_NE(scale_candidates()[0].refuses(c), "");
  }
}

TEST(Scale, RowsByTheirNorms) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const RowNorm norm : {RowNorm::Max, RowNorm::L1, RowNorm::L2})
    for (const std::int64_t columns : {1, 3, 8, 41}) {
      constexpr std::int64_t kRows = 300;
      auto x = random_floats(kRows * columns, 1);
      std::fill_n(x.begin(), columns, 0.0f);
      x[static_cast<std::size_t>(columns)] = inf;
      if (columns > 1) x[static_cast<std::size_t>(columns) + 1] = nan;
      x[static_cast<std::size_t>(2 * columns)] = 3e38f;
      std::vector<double> want;
      for (std::size_t r = 0; r < kRows; ++r) {
        const float* row = x.data() + r * static_cast<std::size_t>(columns);
        double by = norm == RowNorm::Max ? row[0] : 0;
        for (std::int64_t i = 0; i < columns; ++i)
          by = norm == RowNorm::Max  ? std::max(by, double{row[i]})
               : norm == RowNorm::L1 ? by + std::fabs(row[i])
                                     : std::hypot(by, row[i]);
        for (std::int64_t i = 0; i < columns; ++i) want.push_back(by == 0 ? row[i] : row[i] / by);
      }
      Constants constants;
      const RowNormConfig c{norm, DataType::Float, kRows, columns};
      const auto got =
          run_at_widths(*row_norm_candidates()[0].make(c, constants), {x.data()}, std::vector<float>(x.size()));
      expect_close(got, want, 1e-6, "divided");
    }
}

}  // namespace
}  // namespace norn::kernels
