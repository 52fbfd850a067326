#include "kernels/cpu/scale.h"

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

}  // namespace
}  // namespace norn::kernels
