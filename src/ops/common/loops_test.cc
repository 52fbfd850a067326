// The loops against plain enumeration of every position.
#include "ops/common/loops.h"

#include <gtest/gtest.h>

#include <numeric>

namespace norn::ops {
namespace {

TEST(Loops, ViewSplitsTheSizesAroundAnAxis) {
  const Shape dims = {2, 3, 4, 5};
  for (std::int64_t first = 0; first <= 4; ++first) {
    for (std::int64_t last = first; last <= 4; ++last) {
      const AxisView view = view_along(dims, first, last);
      EXPECT_EQ(view.outer, element_count(Shape(dims.begin(), dims.begin() + first)));
      EXPECT_EQ(view.n, element_count(Shape(dims.begin() + first, dims.begin() + last)));
      EXPECT_EQ(view.inner, element_count(Shape(dims.begin() + last, dims.end())));
    }
  }
}

TEST(Loops, LinesAreMappedEachInItsPlace) {
  Tensor x(DataType::Int32, {2, 3, 4}), y(DataType::Int32, {2, 3, 4});
  std::iota(x.as_mutable<std::int32_t>(), x.as_mutable<std::int32_t>() + 24, 0);
  map_lines<std::int64_t>(x, y, view_along(x.dims(), 1), [](std::span<std::int64_t> line) {
    ASSERT_EQ(line.size(), 3u);
    std::swap(line[0], line[2]);
  });
  for (std::int32_t i = 0; i < 2; ++i)
    for (std::int32_t j = 0; j < 3; ++j)
      for (std::int32_t k = 0; k < 4; ++k) {
        EXPECT_EQ(y.as<std::int32_t>()[(i * 3 + j) * 4 + k], (i * 3 + 2 - j) * 4 + k);
      }
}

TEST(Loops, LinesWithoutElementsAreLeftOut) {
  const Tensor x(DataType::Float, {1'000'000'000, 0, 1'000'000'000});
  for_each_line<double>(x, view_along(x.dims(), 1), [](std::span<double>) { FAIL(); });
}

// Every kernel position that lies inside the input, found by looking at all of them.
TEST(Loops, WindowTapsAreThePositionsInsideTheInput) {
  for (std::int64_t in = 1; in <= 5; ++in) {
    for (std::int64_t kernel = 1; kernel <= 3; ++kernel) {
      for (std::int64_t dilation = 1; dilation <= 3; ++dilation) {
        const Shape sizes = {in, 4};
        const Window window{.kernel = {kernel, 2},
                            .strides = {2, 1},
                            .dilations = {dilation, 1},
                            .pads_begin = {2, 1},
                            .pads_end = {3, 0},
                            .out = {3, 4}};
        WindowTaps taps(window, sizes);
        for (std::int64_t o = 0; o < 3; ++o) {
          for (std::int64_t p = 0; p < 4; ++p) {
            std::vector<std::pair<std::int64_t, std::int64_t>> expected;
            std::int64_t padded = 0;
            for (std::int64_t a = 0; a < kernel; ++a) {
              for (std::int64_t b = 0; b < 2; ++b) {
                const std::int64_t row = o * 2 + a * dilation - 2, column = p + b - 1;
                padded += row < in + 3 && column < 4;
                if (row >= 0 && row < in && column >= 0 && column < 4)
                  expected.emplace_back(row * 4 + column, a * 2 + b);
              }
            }
            const std::int64_t at[] = {o, p};
            std::vector<std::pair<std::int64_t, std::int64_t>> found;
            for (const WindowTaps::Tap& tap : taps.at(at)) found.emplace_back(tap.input, tap.kernel);
            EXPECT_EQ(found, expected) << in << " " << kernel << " " << dilation << " at " << o << "," << p;
            EXPECT_EQ(taps.padded(), padded);
          }
        }
      }
    }
  }
}

TEST(Loops, StridedCopyReadsBackwardsAndAcross) {
  Tensor x(DataType::Int16, {3, 4}), y(DataType::Int16, {4, 3});
  std::iota(x.as_mutable<std::int16_t>(), x.as_mutable<std::int16_t>() + 12, std::int16_t{0});
  copy_strided(y, x, 11, {-1, -4});  // the transpose, back to front
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 3; ++i) EXPECT_EQ(y.as<std::int16_t>()[j * 3 + i], (2 - i) * 4 + 3 - j);
}

}  // namespace
}  // namespace norn::ops
