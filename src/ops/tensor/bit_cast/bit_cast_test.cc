// BitCast against the formats' definitions: numbers whose bits are known, in both directions.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace bit_cast_test_cc {
namespace {

// A type is cast to itself.
void same(Sample& s) {
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
}

const Cases cases(
    "BitCast",
    {
        {"BitCast to=int32", "float[5] 1 -0 inf 1e-45 -2", "int32[5] 1065353216 min 2139095040 1 -1073741824"},
        {"BitCast to=float",
         "int32[4] 1065353216 min 2139095040 2147483647",
         "float[4] 1 -0 inf nan",
         {.tolerance = 0}},
        {"BitCast to=uint32", "float[2] 1 -1", "uint32[2] 1065353216 3212836864"},
        {"BitCast to=int64", "double[3] 1 -0 inf", "int64[3] 4607182418800017408 min 9218868437227405312"},
        {"BitCast to=double", "uint64[2] 4607182418800017408 9223372036854775808", "double[2] 1 -0", {.tolerance = 0}},
        {"BitCast to=complex64", "int64[1] 4611686019492741120", "complex64[1] 1,2"},
        {"BitCast to=int16", "{float16|bfloat16}[2] 0 -0", "int16[2] 0 min"},
        {"BitCast to=float16", "bfloat16[2] 1 -1", "float16[2] 1.875 -1.875"},
        {"BitCast to=uint8", "int8[3] -1 -128 5", "uint8[3] 255 128 5"},
        {"BitCast to=float8e4m3fn", "int8[3] 56 -128 127", "float8e4m3fn[3] 1 -0 nan", {.tolerance = 0}},
        {"BitCast to=float8e5m2", "float8e4m3fn[2] 1 2", "float8e5m2[2] 0.5 2"},
        {"BitCast to=float8e8m0", "uint8[3] 127 128 255", "float8e8m0[3] 1 2 nan"},
        {"BitCast to=uint8", "bool[2] 1 0", "uint8[2] 1 0"},
        {"BitCast to=bool", "int8[4] 1 0 -1 2", "bool[4] 1 0 1 1"},
        {"BitCast to=uint4", "int4[4] -1 -8 7 0", "uint4[4] 15 8 7 0"},
        {"BitCast to=int4", "uint4[4] 15 8 7 0", "int4[4] -1 -8 7 0"},
        {"BitCast to=float4e2m1", "int4[3] 2 -6 7", "float4e2m1[3] 1 -1 6"},
        {"BitCast to=int4", "float4e2m1[3] 1 -1 6", "int4[3] 2 -6 7"},
        {"BitCast to=uint2", "int2[4] -1 -2 1 0", "uint2[4] 3 2 1 0"},
        {"BitCast to=int2", "uint2[4] 3 2 1 0", "int2[4] -1 -2 1 0"},
        {"BitCast to=complex128", "complex128[2] 1,2 3,-4", "complex128[2] 1,2 3,-4"},
        {"BitCast to=bfloat16", "bfloat16[2,3] odd", "bfloat16[2,3]", {.picks = same}},
        {"BitCast to=float", "float[2,3] odd", "float[2,3]", {.picks = same}},
        {"BitCast to=int32", "{float[0,2]|uint32[0,2]}", "int32[0,2]"},
        {"BitCast to=int32", "float[] 1", "int32[] 1065353216"},

        {"BitCast to={int64|int16|int8|complex128}", "float[2] 1 2", "", {.error = "width"}},
        {"BitCast to=uint8", "int4[2] 1 2", "", {.error = "width"}},
        {"BitCast to=string", "int8[2] 1 2", "", {.error = "string"}},
        {"BitCast to={0|99|-1}", "int8[2] 1 2", "", {.error = "element type"}},
        {"BitCast to=int8", "string[1] a", "", {.error = "string"}},

        {"BitCast to=int32", "float[N,2]", "int32[N,2]"},
        {"BitCast to=int32", "{float|?}", "int32"},
        {"BitCast to=int64", "int64[2] N 3", "int64[2] N 3"},
        {"BitCast to=int64", "uint64[2] 1 3", "int64[2] 1 3"},
    });

}  // namespace
}  // namespace bit_cast_test_cc
}  // namespace norn::ops::cases
