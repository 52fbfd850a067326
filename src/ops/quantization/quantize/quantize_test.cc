// QuantizeLinear against its formula, with numbers for halves, bounds and the narrow formats.
#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace quantize_test_cc {
namespace {

// Of three axes: element (i, j, k) has the scale that lies where the index along `axis`, in steps of the block, points.
template <int kLow, int kHigh>
void quantize(Sample& s) {
  const auto &x = s.in(0).dims, &scale = s.in(1).dims;
  const auto block = static_cast<std::int64_t>(s.number("block_size"));
  const auto axis = static_cast<std::int64_t>(s.number("axis", 1) + (s.number("axis", 1) < 0 ? 3 : 0));
  auto& y = s.out(0, x);
  std::vector<std::int64_t> at(3);
  do {
    std::int64_t which = 0;
    if (scale.size() == 1) which = at[axis];
    if (scale.size() == 3) {
      auto of = at;
      of[axis] /= block;
      which = position(of, scale);
    }
    const double quotient = static_cast<float>(s.in(0).at({at[0], at[1], at[2]}) / s.in(1).values[which]);
    const double whole = quotient - std::remainder(quotient, 1.0);
    y[position(at, x)] = std::clamp(whole + (s.has(2) ? s.in(2).values[which] : 0.0), 1.0 * kLow, 1.0 * kHigh);
  } while (next(at, x));
}

#define HALVES "float[10] 0.5 1.5 2.5 -0.5 -1.5 0.3 inf -inf nan -0"
#define EIGHTS "float[8] 1 100 447 448 500 1e9 -1e9 nan"

const Cases cases(
    "QuantizeLinear",
    {
        {"QuantizeLinear", HALVES "; float[] 1", "uint8[10] 0 2 2 0 0 0 255 0 0 0"},
        {"QuantizeLinear", HALVES "; float[] 1; uint8[] 3", "uint8[10] 3 5 5 3 1 3 255 0 0 3"},
        {"QuantizeLinear", HALVES "; float[1] 1; int8[] -3", "int8[10] -3 -1 -1 -3 -5 -3 127 -128 -128 -3"},
        {"QuantizeLinear", HALVES "; float[] -1; int8[1] 0", "int8[10] 0 -2 -2 0 2 0 -128 127 -128 0"},
        {"QuantizeLinear", "float[4] 1 -1 0 nan; float[] 0; int8[] 5", "int8[4] 127 -128 -128 -128"},
        {"QuantizeLinear", "float[] 7; float[] 2", "uint8[] 4"},
        {"QuantizeLinear", "float[2,0]; float[] 2; int8[] 0", "int8[2,0]"},
        {"QuantizeLinear-13", "int32[4] 10 -10 25 min; float[] 4; int8[] 1", "int8[4] 3 -1 7 -128"},
        {"QuantizeLinear-{10|23..}", "int32[4] 10 -10 25 min; float[] 4; int8[] 1", "int8[4] 3 -1 7 -128"},
        {"QuantizeLinear-19..", "int32[4] 10 -10 14 max; int32[] 4; int8[] 1", "int8[4] 3 -1 5 127"},

        {"QuantizeLinear-13.. axis={-3|-2|-1|0|1|2}",
         "float[3,3,3] random; float[3] 0.5 0.01 0.25; uint8[3] 100 7 255",
         "uint8",
         {.formula = quantize<0, 255>}},
        {"QuantizeLinear-13..",
         "float[2,3,4] random; float[3] 0.5 0.01 0.25; int8[3] 100 7 -128",
         "int8",
         {.formula = quantize<-128, 127>}},
        {"QuantizeLinear-21.. block_size=2 axis={1|-2}",
         "float[2,5,3] random; float[2,3,3] positive; int16[2,3,3] random",
         "int16",
         {.formula = quantize<-32768, 32767>}},
        {"QuantizeLinear-21.. block_size=3 axis=2",
         "float[2,2,7] random; float[2,2,3] positive; uint16[2,2,3] random",
         "uint16",
         {.formula = quantize<0, 65535>}},
        {"QuantizeLinear-21.. block_size=9",
         "float[2,2,7] random; float[2,1,7] positive; uint4[2,1,7] random",
         "uint4",
         {.formula = quantize<0, 15>}},
        {"QuantizeLinear-21.. axis=0 block_size=2 output_dtype={int4}",
         "float[2,2,7] random; float[1,2,7] positive",
         "int4",
         {.formula = quantize<-8, 7>}},
        {"QuantizeLinear-25.. output_dtype=uint2",
         "float[2,3,4] random; float[3] 0.5 1 2",
         "uint2",
         {.formula = quantize<0, 3>}},
        {"QuantizeLinear-25.. output_dtype=int2 block_size=1",
         "float[2,3,4] random; float[2,3,4] positive",
         "int2",
         {.formula = quantize<-2, 1>}},
        // A tensor of one axis: an element for each index, whatever the default of the attribute.
        {"QuantizeLinear-13..", "float[3] 1 2 3; float[3] 1 2 1; uint8[3] 0 0 9", "uint8[3] 1 1 12"},
        {"QuantizeLinear-13.. axis={0|-1}", "float[3] 1 2 3; float[3] 1 2 1", "uint8[3] 1 1 3"},
        {"QuantizeLinear-21.. block_size=2 axis=0", "float[3] 1 2 3; float[2] 1 3", "uint8[3] 1 2 1"},
        {"QuantizeLinear-21.. block_size=4", "float[3] 1 2 3; float[] 1", "uint8[3] 1 2 3"},
        {"QuantizeLinear-13..", "float[2,0]; float[0]; int8[0]", "int8[2,0]"},
        {"QuantizeLinear-13..", "float[1099511627776,2,0]; float[2] 1 2; int8[2] 1 2", "int8[1099511627776,2,0]"},

        {"QuantizeLinear-19..", EIGHTS "; float[] 1; float8e4m3fn[] 0",
         "float8e4m3fn[8] 1 96 448 448 448 448 -448 nan"},
        {"QuantizeLinear-19.. saturate=0", EIGHTS "; float[] 1; float8e4m3fn[] 0",
         "float8e4m3fn[8] 1 96 448 448 nan nan nan nan"},
        {"QuantizeLinear-19..", EIGHTS "; float[] 1; float8e4m3fnuz[] 0",
         "float8e4m3fnuz[8] 1 96 240 240 240 240 -240 nan"},
        {"QuantizeLinear-19..", EIGHTS "; float[] 1; float8e5m2[] 0",
         "float8e5m2[8] 1 96 448 448 512 57344 -57344 nan"},
        {"QuantizeLinear-19.. saturate=0", EIGHTS "; float[] 1; float8e5m2[] 0",
         "float8e5m2[8] 1 96 448 448 512 inf -inf nan"},
        {"QuantizeLinear-19.. saturate=0", EIGHTS "; float[] 1; float8e5m2fnuz[] 0",
         "float8e5m2fnuz[8] 1 96 448 448 512 nan nan nan"},
        {"QuantizeLinear-19..", "float[3] 1 2 500; float[] 1; float8e4m3fn[] 2", "float8e4m3fn[3] 3 4 448"},
        // Halves between two floats go to the even one: 0.25 to 0, 0.75 and 1.25 to 1, 2.5 to 2, 3.5 and 5 to 4.
        {"QuantizeLinear-23.. saturate={0|1} output_dtype=float4e2m1",
         "float[10] 0.25 0.75 1.25 2.5 3.5 5 -5 inf -100 -0; float[] 1",
         "float4e2m1[10] 0 1 1 2 4 4 -4 6 -6 -0",
         {.tolerance = 0}},
        {"QuantizeLinear-28 saturate={0|1} output_dtype=float6e2m3",
         "float[4] 1.0625 1.1875 -8 nan; float[] 1",
         "float6e2m3[4] 1 1.25 -7.5 -0",
         {.tolerance = 0}},
        {"QuantizeLinear-28 output_dtype=float6e3m2",
         "float[4] 1.125 1.375 -30 0.1; float[] 1",
         "float6e3m2[4] 1 1.5 -28 0.125",
         {.tolerance = 0}},

        // x / y_scale is 2.5 + 2^-12 exactly, which float distinguishes from a half, and float16 and bfloat16 do not.
        {"QuantizeLinear-23..", "float[1] 2.500244140625; float[] 1", "uint8[1] 3"},
        {"QuantizeLinear-23..", "float[1] 2.500244140625; {float16|bfloat16}[] 1", "uint8[1] 2"},
        {"QuantizeLinear-23.. precision={float|double}", "float[1] 2.500244140625; {float16|bfloat16}[] 1",
         "uint8[1] 3"},
        {"QuantizeLinear-23.. precision={float16|bfloat16}", "float[1] 2.500244140625; float[] 1", "uint8[1] 2"},
        {"QuantizeLinear-19..", "float16[3] 1 2.5 300; float16[] 0.5; int8[] 1", "int8[3] 3 6 127"},
        {"QuantizeLinear-19..", "bfloat16[3] 1 2.5 300; bfloat16[] 0.5; int8[] 1", "int8[3] 3 6 127"},
        {"QuantizeLinear-24..", "float[3] 1 2.5 300; float8e8m0[] 0.5; int8[] 1", "int8[3] 3 6 127"},

        {"QuantizeLinear", "float[3] 1 2 3; float[2] 1 1", "", {.error = "*"}},
        {"QuantizeLinear-10", "float[3] 1 2 3; float[3] 1 1 1", "", {.error = "before version 13"}},
        {"QuantizeLinear", "float[2,2] iota; float[1,2] 1 1", "", {.error = "*"}},
        {"QuantizeLinear-13.. axis={2|-3|min|max}", "float[2,2] iota; float[2] 1 1", "", {.error = "axis"}},
        {"QuantizeLinear-13..", "float[2,2] iota; float[2] 1 1; uint8[] 0", "", {.error = "zero point"}},
        {"QuantizeLinear-21.. block_size={3|max}", "float[2,5] iota; float[2,3] positive", "", {.error = "*"}},
        {"QuantizeLinear-21.. block_size={-1|min}",
         "float[2,5] iota; float[2,3] positive",
         "",
         {.error = "block_size"}},
        {"QuantizeLinear-21.. output_dtype={float|int32|99|-1}", "float[2] iota; float[] 1", "", {.error = "type"}},
        {"QuantizeLinear-21.. output_dtype=int8", "float[2] iota; float[] 1; uint8[] 0", "", {.error = "output_dtype"}},
        {"QuantizeLinear-23.. precision={int8|float8e4m3fn|-1}",
         "float[2] iota; float[] 1",
         "",
         {.error = "precision"}},

        {"QuantizeLinear-13..", "float[N,C,4]; float[C]; int8[C]", "int8[N,C,4]"},
        {"QuantizeLinear-28 output_dtype=int4", "float[N,C,4]; float", "int4[N,C,4]"},
        {"QuantizeLinear-28", "float; float", "uint8"},
        {"QuantizeLinear-28 block_size=16", "float[N,64]; float[N,4]; uint4", "uint4[N,64]"},
        {"QuantizeLinear-28 block_size=16", "float[N,64]; float[N,5]; uint4", "", {.error = "blocks"}},

        {"QuantizeLinear-28 axis=0 saturate=0", "float[2] 1 2; float[] 1", "uint8[2] 1 2", {.down_to = 10}},
        {"QuantizeLinear-28", "float[2] 1 2; float[2] 1 2; int8[2] 0 0", "int8[2] 1 1", {.down_to = 13}},
        {"QuantizeLinear-28 output_dtype=int8", "float[2] 1 -2; float[] 1", "int8[2] 1 -2", {.down_to = 10}},
        {"QuantizeLinear-28 output_dtype=int8 precision=float",
         "float[2] 1 -2; float[2] 1 2",
         "int8[2] 1 -1",
         {.down_to = 13}},
        {"QuantizeLinear-28", "float16[2] 1 -2; float16[] 1", "uint8[2] 1 0", {.down_to = 19}},
        {"QuantizeLinear-28 block_size=1", "float[2] 1 2; float[2] 1 2", "uint8[2] 1 1", {.down_to = 21}},
        {"QuantizeLinear-28 precision=float16", "float[2] 1 2; float[] 1", "uint8[2] 1 2", {.down_to = 23}},
        {"QuantizeLinear-28", "int32[2] 1 2; float[] 1", "uint8[2] 1 2", {.down_to = 23}},
        {"QuantizeLinear-10",
         "int32[2] 1 2; float[] 1",
         "uint8[2] 1 2",
         {.to = 28, .becomes = "Cast-28 QuantizeLinear-28"}},
    });

}  // namespace
}  // namespace quantize_test_cc
}  // namespace norn::ops::cases
