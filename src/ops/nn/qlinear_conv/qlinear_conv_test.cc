#include <algorithm>
#include <cmath>

#include "ops/nn/conv_integer/quantized_conv_test.h"

namespace norn::ops::cases {
inline namespace qlinear_conv_test_cc {
namespace {

// The scales are powers of two, so that nothing is rounded before the end.
template <int kLow, int kHigh>
void direct(Sample& s) {
  const auto out = sizes(s, s.in(0).dims, s.in(3).dims);
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    const double sum = sum_at(s, at, 0, 3, 5, out[1]) + (s.has(8) ? s.in(8).values[at[1]] : 0);
    const double scale = s.in(4).values[s.in(4).values.size() == 1 ? 0 : at[1]];
    const double real = sum * s.in(1).values[0] * scale / s.in(6).values[0];
    y[position(at, out)] = std::clamp(real - std::remainder(real, 1.0) + s.in(7).values[0], 1.0 * kLow, 1.0 * kHigh);
  } while (next(at, out));
}

#define WINDOWS "{group=1|pads=1,2,0,3 strides=2,1 dilations=1,2|auto_pad=VALID kernel_shape=3,2}"
#define ONE "uint8[1,1,4] 1 3 5 255; float[] 0.5; uint8[] 0; "

const Cases cases(
    "QLinearConv",
    {
        {"QLinearConv " WINDOWS,
         "uint8[2,4,7,6] random; float[] 0.5; uint8[] 3; int8[6,4,3,2] random; float[] 0.25; int8[] 1; float[] 1; "
         "uint8[] 100",
         "uint8",
         {.formula = direct<0, 255>}},
        {"QLinearConv group=2 pads=1,1,1,1",
         "int8[1,4,5,5] random; float[1] 0.5; int8[1] 3; uint8[6,2,3,2] random; float[6] 0.5 1 2 4 0.25 1; "
         "uint8[6] 1 2 3 4 5 6; float[1] 2; int8[1] -3; int32[6] 100 -50 7 0 3 9",
         "int8",
         {.formula = direct<-128, 127>}},
        // Halves are rounded to even before the zero point is added.
        {"QLinearConv", ONE "uint8[1,1,1] 1; float[] 1; uint8[] 0; float[] 1; uint8[] 1", "uint8[1,1,4] 1 3 3 129"},
        {"QLinearConv", ONE "int8[1,1,1] -1; float[] 1; int8[] 0; float[] 0.25; int8[] 1; int32[1] 2",
         "int8[1,1,4] 3 -1 -5 -128"},
        {"QLinearConv", ONE "int8[1,1,1] -1; float[] 1; int8[] 0; float[] 0; int8[] 1; int32[1] max",
         "int8[1,1,4] 127 127 127 127"},
        {"QLinearConv",
         "uint8[0,1,3,3]; float[] 1; uint8[] 0; int8[1,1,1,1] 1; float[] 1; int8[] 0; float[] 1; uint8[] 0",
         "uint8[0,1,3,3]"},
        {"QLinearConv",
         ONE "int8[1,1,1] -1; float[] 1; int8[] 0; float[] 1; int8[] 1; int32[2] 1 2",
         "",
         {.error = "*"}},
        {"QLinearConv", ONE "int8[2,1,1] 1 1; float[2] 1 2; int8[] 0; float[] 1; int8[] 1", "", {.error = "*"}},
        {"QLinearConv",
         ONE "int8[2,1,1] 1 1; float[2] 1 2; int8[2] 0 0; float[2] 1 1; int8[] 1",
         "",
         {.error = "y_scale"}},
        {"QLinearConv",
         "int8[N,1,L]; float[]; int8[]; int8[2,1,1]; float[2]; int8[]; float[]; int8[]",
         "",
         {.error = "not the scale's"}},
        {"QLinearConv", ONE "int8[2,1,1] 1 1; float[3] 1 2 3; int8[3] 0 0 0; float[] 1; int8[] 1", "", {.error = "*"}},
        {"QLinearConv strides=2,2 pads=1,1,1,1",
         "uint8[N,3,H,W]; float; uint8; int8[8,3,3,3]; float[8]; int8[8]; float; int8",
         "int8[N,8,floor((H+1)/2),floor((W+1)/2)]"},
    });

}  // namespace
}  // namespace qlinear_conv_test_cc
}  // namespace norn::ops::cases
