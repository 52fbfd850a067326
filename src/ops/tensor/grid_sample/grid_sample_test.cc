// The formula walks a reflected or clamped line of elements, one step after the other.
#include <cmath>
#include <string_view>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace grid_sample_test_cc {
namespace {

// The element that stands for index i of an axis; -1 for none.
std::int64_t stand_in(Sample& s, std::int64_t i, std::int64_t size) {
  const auto padding = s.word("padding_mode");
  if (padding == "zeros") return i >= 0 && i < size ? i : -1;
  while (i < 0 || i >= size) {
    if (padding == "border")
      i = i < 0 ? 0 : size - 1;
    else if (s.number("align_corners") != 0)
      i = size == 1 ? 0 : i < 0 ? -i : 2 * (size - 1) - i;
    else
      i = i < 0 ? -1 - i : 2 * size - 1 - i;
  }
  return i;
}

double weight(Sample& s, double d) {
  d = std::abs(d);
  if (s.word("mode") == "linear" || s.word("mode") == "bilinear") return d < 1 ? 1 - d : 0;
  if (d < 1) return 1.25 * d * d * d - 2.25 * d * d + 1;
  return d < 2 ? -0.75 * (d * d * d - 5 * d * d + 8 * d - 4) : 0;
}

// Of images. Border moves a place beyond the image's edge onto its element.
void sampled(Sample& s) {
  const auto &x = s.in(0).dims, &g = s.in(1).dims;
  const std::vector<std::int64_t> out = {x[0], x[1], g[1], g[2]};
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    double p[2];
    for (int d = 0; d < 2; ++d) {
      const double v = s.in(1).at({at[0], at[2], at[3], 1 - d}), size = static_cast<double>(x[d + 2]);
      p[d] = s.number("align_corners") != 0 ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
      const double edge = s.number("align_corners") != 0 ? 0 : 0.5;
      if (s.word("padding_mode") == "border" && (p[d] < -edge || p[d] > size - 1 + edge))
        p[d] = p[d] < 0 ? 0 : size - 1;
    }
    double sum = 0;
    for (std::int64_t i = -20; i < 24; ++i) {
      const double down = weight(s, static_cast<double>(i) - p[0]);
      for (std::int64_t j = -20; down != 0 && j < 24; ++j) {
        const double w = down * weight(s, static_cast<double>(j) - p[1]);
        const std::int64_t a = stand_in(s, i, x[2]), b = stand_in(s, j, x[3]);
        if (w != 0 && a >= 0 && b >= 0) sum += w * s.in(0).at({at[0], at[1], a, b});
      }
    }
    y[position(at, out)] = sum;
  } while (next(at, out));
}

#define MODES "mode={linear|cubic} padding_mode={zeros|border|reflection} align_corners={0|1}"

const Cases cases(
    "GridSample",
    {
        {"GridSample-20.. " MODES,
         "double[2,2,4,5] random; double[2,3,2,2] {uniform -1 1|random 2|random 3}",
         "",
         {.formula = sampled, .tolerance = 1e-12}},
        {"GridSample-20.. " MODES,
         "float[1,2,1,3] random; float[1,3,4,2] random 2",
         "",
         {.formula = sampled, .tolerance = 1e-6}},
        {"GridSample-16 mode={bilinear|bicubic} padding_mode={zeros|border|reflection}",
         "double[2,2,4,5] random; double[2,3,2,2] random 2",
         "",
         {.formula = sampled, .tolerance = 1e-12}},
        // Centres of a row of four lie at -0.75, -0.25, 0.25 and 0.75. Points have their innermost coordinate first.
        {"GridSample",
         "T1[1,1,1,4] 1 2 3 4; T2[1,1,4,2] -0.75 0 0 0 0.75 0 1 0",
         "T1[1,1,1,4] 1 2.5 4 2",
         {.types = "floats"}},
        {"GridSample align_corners=1",
         "T1[1,1,3,1] 1 2 4; float[1,3,1,2] 0 -1 0 0.5 0 1",
         "T1[1,1,3,1] 1 3 4",
         {.types = "floats signed unsigned"}},
        {"GridSample-20..", "float[1,1,4] 1 2 3 4; float[1,3,1] -0.75 -0.5 1", "float[1,1,3] 1 1.5 2"},
        {"GridSample-20.. align_corners=1", "float[1,1,2,2,2] 0 1 10 11 100 101 110 111; float[1,1,1,2,3] 1 0 -1 0 0 0",
         "float[1,1,1,1,2] 6 55.5"},
        // Halves go to the even index, and a float may be a little less than a half.
        {"GridSample mode=nearest", "float[1,1,1,5] 0 1 2 3 4; float[1,1,4,2] -0.6 0 -0.2 0 0.2 0 0.6 0",
         "float[1,1,1,4] 0 2 2 4"},
        {"GridSample mode=nearest", "string[1,1,1,2] a b; float[1,1,2,2] 0.5 0 9 0", "string[1,1,1,2] b \"\""},
        {"GridSample mode=nearest padding_mode={border|reflection}",
         "string[1,1,1,2] a b; float[1,1,3,2] 0.5 0 1.9 0 -1.2 0", "string[1,1,1,3] b b a"},
        {"GridSample mode=nearest padding_mode={border|reflection}",
         "complex64[1,1,1,2] 1,2 3,4; float[1,1,2,2] 0.5 0 -5 9", "complex64[1,1,1,2] 3,4 1,2"},
        {"GridSample", "complex64[1,1,1,2] 0,4 4,0; float[1,1,1,2] 0 0", "complex64[1,1,1,1] 2,2"},
        {"GridSample", "string[1,1,1,2] a b; float[1,1,1,2] 0 0", "", {.error = "interpolated"}},
        // Integers are cut off, and keep all their bits.
        {"GridSample", "int8[1,1,1,2] -3 -4; float[1,1,1,2] 0 0", "int8[1,1,1,1] -3"},
        {"GridSample align_corners=1", "int64[1,1,1,2] min max; float[1,1,2,2] -1 0 1 0", "int64[1,1,1,2] min max"},
        {"GridSample-20.. mode=cubic align_corners=1", "uint8[1,1,4] 0 0 255 255; float[1,2,1] -0.5 0.6",
         "uint8[1,1,2] 0 255"},
        // What has no weight does not spread, and what is nowhere is outside.
        {"GridSample align_corners=1", "float[1,1,1,3] nan 2 inf; float[1,1,3,2] -1 0 0 0 1 0",
         "float[1,1,1,3] nan 2 inf"},
        {"GridSample padding_mode=zeros", "float[1,1,1,2] 5 6; double[1,1,1,2] {nan|-1e300|-inf} 0",
         "float[1,1,1,1] 0"},
        {"GridSample padding_mode=border", "float[1,1,1,2] 5 6; double[1,1,1,2] {nan|-1e300|-inf} 0",
         "float[1,1,1,1] 5"},
        {"GridSample padding_mode=reflection", "float[1,1,1,2] 5 6; double[1,1,1,2] {nan|-inf} 0", "float[1,1,1,1] 5"},
        {"GridSample mode=nearest padding_mode=reflection align_corners={0|1}",
         "float[1,1,1,1] 5; float[1,1,2,2] 7 0 -1e30 1e30", "float[1,1,1,2] 5 5"},
        {"GridSample", "float[0,2,3,4]; float[0,5,6,2]", "float[0,2,5,6]"},
        {"GridSample", "float[1,2,0,4]; float[1,1,1,2] 0 0", "float[1,2,1,1] 0 0"},
        {"GridSample padding_mode=border", "float[1,2,0,4]; float[1,1,1,2] 0 0", "", {.error = "no elements"}},
        {"GridSample", "float[1,2,3,4]; float[1,5,6,3]", "", {.error = "*"}},
        {"GridSample", "float[1,2,3,4]; float[2,5,6,2]", "", {.error = "batches"}},
        {"GridSample-20..", "float[1,2,3,4]; float[1,5,2]", "", {.error = "dimensions"}},
        {"GridSample-20..", "float[1,2]; float[1,0]", "", {.error = "spatial"}},
        {"GridSample-16", "float[1,2,3]; float[1,5,1]", "", {.error = "*"}},
        {"GridSample-16 mode={linear|cubic}", "float[1,2,3,4]; float[1,5,6,2]", "", {.error = "bilinear"}},
        {"GridSample-20.. mode=bilinear", "float[1,2,3,4]; float[1,5,6,2]", "", {.error = "linear"}},
        {"GridSample padding_mode=wrap", "float[1,2,3,4]; float[1,5,6,2]", "", {.error = "reflection"}},
        {"GridSample-22", "float[N,C,H,W]; float[N,P,Q,2]", "float[N,C,P,Q]"},
        {"GridSample-22", "float; float[N,P,Q,2]", "float[N,?,P,Q]"},
        {"GridSample-22", "float[N,C,H]; float", "float[N,C,?]"},
        {"GridSample-22", "float; float", "float"},
        {"GridSample-22 mode=cubic padding_mode=border",
         "float[1,1,1,2] 1 1; float[1,1,1,2] 0 0",
         "float[1,1,1,1] 1",
         {.down_to = 16}},
        {"GridSample-22", "float[1,1,2] 1 3; float[1,1,1] 0", "float[1,1,1] 2", {.down_to = 20}},
    });

}  // namespace
}  // namespace grid_sample_test_cc
}  // namespace norn::ops::cases
