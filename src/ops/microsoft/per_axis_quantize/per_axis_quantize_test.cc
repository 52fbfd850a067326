// Against the formulas of both operators: index i along the axis has scale i and zero point i.
#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace per_axis_quantize_test_cc {
namespace {

// What the scale and the zero point of an element lie at.
std::size_t place(const Sample& s, const std::vector<std::int64_t>& at) {
  if (s.in(1).values.size() == 1) return 0;
  const auto rank = static_cast<std::int64_t>(at.size());
  const auto axis = static_cast<std::int64_t>(rank == 1 ? 0 : s.number("axis", 1));
  return static_cast<std::size_t>(at[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
}

template <class F>
void each(Sample& s, F&& formula) {
  const auto& dims = s.in(0).dims;
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  std::vector<std::int64_t> at(dims.size());
  do {
    const auto i = static_cast<std::size_t>(position(at, dims));
    const std::size_t of = place(s, at);
    y[i] = formula(s.in(0).values[i], s.in(1).values[of], s.has(2) ? s.in(2).values[of] : 0);
  } while (next(at, dims));
}

template <int kLow, int kHigh>
void quantize(Sample& s) {
  each(s, [](double x, double scale, double zero) {
    const double quotient = static_cast<float>(x / scale);
    return std::clamp(quotient - std::remainder(quotient, 1.0) + zero, 1.0 * kLow, 1.0 * kHigh);
  });
}

void dequantize(Sample& s) {
  each(s, [](double x, double scale, double zero) { return (x - zero) * scale; });
}

const Cases quantizes(
    "MicrosoftQuantizeLinear",
    {
        {"com.microsoft.QuantizeLinear", "T1[6] 0.5 1.5 2.5 -0.5 inf -inf; {T1[] 1|T1[1] 1}; uint8[] 3",
         "uint8[6] 3 5 5 3 255 0"},
        {"com.microsoft.QuantizeLinear", "T1[] 7; T1[] 2", "uint8[] 4"},
        // Halves are divided in float: 1725 / 17 is 101.47, which float16 rounds to 101.5.
        {"com.microsoft.QuantizeLinear", "float16[1] 1725; float16[] 17", "uint8[1] 101"},
        {"com.microsoft.QuantizeLinear", "T1[4] 9 -9 0.5 -1.5; T1[] 1; uint4[] 2", "uint4[4] 11 0 2 0"},
        {"com.microsoft.QuantizeLinear", "T1[4] 9 -9 0.5 -1.5; T1[] 1; int4[] 2", "int4[4] 7 -7 2 0"},
        {"com.microsoft.QuantizeLinear axis={-3|-2|-1|0|1|2}",
         "float[3,3,3] random; float[3] 0.5 0.01 0.25; uint8[3] 100 7 255",
         "uint8",
         {.formula = quantize<0, 255>}},
        {"com.microsoft.QuantizeLinear",
         "T1[2,3,4] random; T1[3] 0.5 0.0625 0.25; int8[3] 100 7 -128",
         "int8",
         {.formula = quantize<-128, 127>}},
        {"com.microsoft.QuantizeLinear axis=0",
         "float[4,2] random; float[4] positive; {-|uint8[4] 0 1 2 255}",
         "uint8",
         {.formula = quantize<0, 255>}},
        {"com.microsoft.QuantizeLinear axis=-1",
         "float[2,3] random; float[3] positive; uint16[3] 0 9 65535",
         "uint16",
         {.formula = quantize<0, 65535>}},
        {"com.microsoft.QuantizeLinear axis=-1",
         "float[2,3] random; float[3] positive; int16[3] 0 -9 32767",
         "int16",
         {.formula = quantize<-32768, 32767>}},
        {"com.microsoft.QuantizeLinear",
         "float[2,3] random; {float[] 0.5|float[1] 0.5}; uint8[] 9",
         "uint8",
         {.formula = quantize<0, 255>}},
        {"com.microsoft.QuantizeLinear", "float[2,0]; float[] 2; int8[] 0", "int8[2,0]"},
        {"com.microsoft.QuantizeLinear", "float[2,0]; float[0]; int8[0]", "int8[2,0]"},
        {"com.microsoft.QuantizeLinear", "float[0,3]; float[3] 1 2 3; int8[3] 0 0 0", "int8[0,3]"},
        {"com.microsoft.QuantizeLinear axis={2|-3}",
         "float[2,3] random; float[3] 1 2 3; int8[3] 0 0 0",
         "",
         {.error = "*"}},
        {"com.microsoft.QuantizeLinear", "float[2,3] random; float[2] 1 2; int8[2] 0 0", "", {.error = "*"}},
        {"com.microsoft.QuantizeLinear", "float[2,3] random; float[3] 1 2 3; int8[2] 0 0", "", {.error = "*"}},
        {"com.microsoft.QuantizeLinear", "double[2] 1 2; double[] 1", "", {.error = "takes only"}},
    });

const Cases dequantizes(
    "MicrosoftDequantizeLinear",
    {
        {"com.microsoft.DequantizeLinear", "uint8[4] 0 3 5 255; T2[] 2; uint8[] 3", "T2[4] -6 0 4 504"},
        {"com.microsoft.DequantizeLinear", "int32[3] -7 0 1000; {T2[] 0.5|T2[1] 0.5}", "T2[3] -3.5 0 500"},
        {"com.microsoft.DequantizeLinear", "T1[] 7; float[] 0.5", "float[] 3.5"},
        {"com.microsoft.DequantizeLinear axis={-3|-2|-1|0|1|2}",
         "uint8[3,3,3] random; float[3] 0.5 0.01 0.25; uint8[3] 100 7 255",
         "float",
         {.formula = dequantize}},
        {"com.microsoft.DequantizeLinear",
         "int8[2,3,4] random; T2[3] 0.5 0.0625 0.25; int8[3] 1 7 -128",
         "T2",
         {.formula = dequantize}},
        {"com.microsoft.DequantizeLinear axis=0",
         "T1[4,2] random; float[4] positive",
         "float",
         {.formula = dequantize}},
        {"com.microsoft.DequantizeLinear", "int8[2,0]; float[] 2", "float[2,0]"},
        {"com.microsoft.DequantizeLinear", "int8[2,0]; float16[0]; int8[0]", "float16[2,0]"},
        {"com.microsoft.DequantizeLinear axis={2|-3}", "int8[2,3] random; float[3] 1 2 3", "", {.error = "*"}},
        {"com.microsoft.DequantizeLinear", "int8[2,3] random; float[2] 1 2", "", {.error = "*"}},
        {"com.microsoft.DequantizeLinear", "int64[2] 1 2; float[] 1", "", {.error = "takes only"}},
    });

}  // namespace
}  // namespace per_axis_quantize_test_cc
}  // namespace norn::ops::cases
