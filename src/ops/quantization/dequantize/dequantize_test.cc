// DequantizeLinear against its formula.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace dequantize_test_cc {
namespace {

// Of three axes: the scale's index is the element's, in steps of the block along the axis.
void dequantize(Sample& s) {
  const auto &x = s.in(0).dims, &scale = s.in(1).dims;
  const auto axis = static_cast<std::int64_t>(s.number("axis", 1) + (s.number("axis", 1) < 0 ? 3 : 0));
  auto& y = s.out(0, x);
  std::vector<std::int64_t> at(3);
  do {
    std::int64_t which = 0;
    if (scale.size() == 1) which = at[axis];
    if (scale.size() == 3) {
      auto of = at;
      of[axis] /= static_cast<std::int64_t>(s.number("block_size"));
      which = position(of, scale);
    }
    const double by = s.in(1).values[which];
    y[position(at, x)] = by * s.in(0).values[position(at, x)] - (s.has(2) ? by * s.in(2).values[which] : 0);
  } while (next(at, x));
}

const Cases cases(
    "DequantizeLinear",
    {
        {"DequantizeLinear", "uint8[4] 0 3 128 255; float[] 2; uint8[] 128", "float[4] -256 -250 0 254"},
        {"DequantizeLinear", "int8[4] -128 3 0 127; float[1] 0.5; int8[] 127", "float[4] -127.5 -62 -63.5 0"},
        {"DequantizeLinear", "int8[4] -128 3 0 127; float[] -1", "float[4] 128 -3 -0 -127"},
        // int32 becomes a float before it is multiplied.
        {"DequantizeLinear", "int32[3] 16777217 max min; float[] 1", "float[3] 16777216 2147483648 -2147483648"},
        {"DequantizeLinear", "int32[2,0]; float[] 1", "float[2,0]"},
        {"DequantizeLinear", "uint8[] 200; float[] 3; uint8[] 100", "float[] 300"},

        {"DequantizeLinear-13.. axis={-3|-2|-1|0|1|2}",
         "uint8[3,3,3] random; float[3] 0.5 0.01 0.25; uint8[3] 100 7 255",
         "float",
         {.formula = dequantize}},
        {"DequantizeLinear-13..", "int8[2,3,4] random; float[3] 0.5 0.01 0.25", "float", {.formula = dequantize}},
        {"DequantizeLinear-21.. block_size=2 axis={1|-2}",
         "{int16|uint16|int4|uint4|int8}[2,5,3] random; float[2,3,3] positive",
         "float",
         {.formula = dequantize}},
        {"DequantizeLinear-21.. block_size=3 axis=2",
         "uint4[2,2,7] random; float16[2,2,3] positive; uint4[2,2,3] random",
         "float16",
         {.formula = dequantize}},
        {"DequantizeLinear-21.. block_size=4 axis=0",
         "int4[2,2,3] random; bfloat16[1,2,3] positive; int4[1,2,3] random",
         "bfloat16",
         {.formula = dequantize}},
        {"DequantizeLinear-25..", "{uint2|int2}[2,3,4] random; float[3] 1 0.5 3", "float", {.formula = dequantize}},
        {"DequantizeLinear-13..", "int8[3] 1 2 3; float[3] 1 2 4; int8[3] 1 0 -1", "float[3] 0 4 16"},
        {"DequantizeLinear-21.. block_size=2 axis=0", "int8[3] 1 2 3; float[2] 1 2", "float[3] 1 2 6"},

        {"DequantizeLinear-19..",
         "float8e4m3fn[5] 448 -0.5 nan 0 -0; float[] 2; float8e4m3fn[] 0",
         "float[5] 896 -1 nan 0 -0",
         {.tolerance = 0}},
        {"DequantizeLinear-19..", "float8e5m2[4] inf -inf 1.75 57344; float[] 2", "float[4] inf -inf 3.5 114688"},
        {"DequantizeLinear-19..", "float8e5m2fnuz[2] 1.75 57344; float16[] 2", "float16[2] 3.5 inf"},
        {"DequantizeLinear-19..", "float8e4m3fnuz[2] 1.75 240; bfloat16[] 2; float8e4m3fnuz[] 1.75",
         "bfloat16[2] 0 476"},
        {"DequantizeLinear-23..", "float4e2m1[4] 0.5 -6 4 1.5; float[] 3; float4e2m1[] 0", "float[4] 1.5 -18 12 4.5"},
        {"DequantizeLinear-28", "float6e2m3[2] 7.5 -0.125; float[] 3", "float[2] 22.5 -0.375"},
        {"DequantizeLinear-28", "float6e3m2[2] 28 -0.0625; float[] 3", "float[2] 84 -0.1875"},
        {"DequantizeLinear-24.. output_dtype=float16", "int8[2] 3 -4; float8e8m0[] 0.25", "float16[2] 0.75 -1"},
        {"DequantizeLinear-23.. output_dtype=bfloat16", "int8[2] 3 -4; float[] 0.25", "bfloat16[2] 0.75 -1"},
        // 65535 is beyond float16, the result is not; and it is rounded once: 4097 / 2 lies between 2048 and 2050.
        {"DequantizeLinear-21..", "uint16[2] 65535 4097; float16[] 0.5", "float16[2] 32768 2048"},

        {"DequantizeLinear", "int8[3] 1 2 3; float[2] 1 1", "", {.error = "*"}},
        {"DequantizeLinear-10", "int8[3] 1 2 3; float[3] 1 1 1", "", {.error = "before version 13"}},
        {"DequantizeLinear-13.. axis={2|-3|min|max}", "int8[2,2] iota; float[2] 1 1", "", {.error = "axis"}},
        {"DequantizeLinear-13..", "int8[2,2] iota; float[2] 1 1; int8[] 0", "", {.error = "zero point"}},
        {"DequantizeLinear-21.. block_size={1|3|max}", "int8[2,5] iota; float[2,3] positive", "", {.error = "*"}},
        {"DequantizeLinear-21.. block_size={-1|min}",
         "int8[2,5] iota; float[2,3] positive",
         "",
         {.error = "block_size"}},
        {"DequantizeLinear-23.. output_dtype={double|int8|-1|99}", "int8[2] iota; float[] 1", "", {.error = "type"}},
        {"DequantizeLinear-24..", "int8[2] iota; float8e8m0[] 1", "", {.error = "float8e8m0"}},

        {"DequantizeLinear-13..", "int8[N,C,4]; float[C]; int8[C]", "float[N,C,4]"},
        {"DequantizeLinear-28", "int8[N,C,4]; float16", "float16[N,C,4]"},
        {"DequantizeLinear-28 output_dtype=float16", "int8; ?", "float16"},
        {"DequantizeLinear-28 block_size=16", "int8[N,64]; float[N,5]", "", {.error = "blocks"}},

        {"DequantizeLinear-28 axis=0", "int8[2] 1 2; float[] 1", "float[2] 1 2", {.down_to = 10}},
        {"DequantizeLinear-28 output_dtype=float", "int8[2] 1 2; float[2] 1 2", "float[2] 1 4", {.down_to = 13}},
        {"DequantizeLinear-28", "int8[2] 1 2; float16[2] 1 2", "float16[2] 1 4", {.down_to = 19}},
        {"DequantizeLinear-28 block_size=1", "int8[2] 1 2; float[2] 1 2", "float[2] 1 4", {.down_to = 21}},
        {"DequantizeLinear-28 output_dtype=float16", "int8[2] 1 2; float[2] 1 2", "float16[2] 1 4", {.down_to = 23}},
    });

}  // namespace
}  // namespace dequantize_test_cc
}  // namespace norn::ops::cases
