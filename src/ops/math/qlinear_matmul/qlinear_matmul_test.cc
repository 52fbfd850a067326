// QLinearMatMul against real products, rounded.
#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace qlinear_matmul_test_cc {
namespace {

// Of two axes. The scales are powers of two, so that nothing is rounded before the end.
template <int kLow, int kHigh>
void product(Sample& s) {
  const std::int64_t m = s.in(0).dims[0], k = s.in(0).dims[1], n = s.in(3).dims[1];
  const auto real = [&](int input, std::int64_t element, std::int64_t which) {
    const auto of = [&](int i) { return s.in(i).values[s.in(i).values.size() == 1 ? 0 : which]; };
    return (s.in(input).values[element] - of(input + 2)) * of(input + 1);
  };
  auto& y = s.out(0, {m, n});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += real(0, i * k + p, i) * real(3, p * n + j, j);
      sum /= s.in(6).values[0];
      y[i * n + j] = std::clamp(sum - std::remainder(sum, 1.0) + s.in(7).values[0], 1.0 * kLow, 1.0 * kHigh);
    }
}

const Cases cases(
    "QLinearMatMul",
    {
        {"QLinearMatMul",
         "uint8[3,4] random; float[] 0.5; uint8[] 1; int8[4,2] random; float[1] 0.25; int8[1] 3; float[] 0.125; int8[] "
         "-7",
         "int8",
         {.formula = product<-128, 127>}},
        {"QLinearMatMul",
         "uint8[3,4] random; float[3] 0.5 1 2; uint8[3] 1 2 3; uint8[4,2] random; float[2] 0.25 1; uint8[2] 3 4; "
         "float[] 0.5; uint8[] 7",
         "uint8",
         {.formula = product<0, 255>}},
        {"QLinearMatMul",
         "int8[3,4] random; float[3,1] 0.5 1 2; int8[3,1] 1 2 3; uint8[4,2] random; float[1,2] 0.25 1; uint8[1,2] 3 4; "
         "float[] 0.5; uint8[] 7",
         "uint8",
         {.formula = product<0, 255>}},
        {"QLinearMatMul-21",
         "int8[3,4] random; TS[3,1] 0.5 1 2; int8[3,1] 1 2 3; uint8[4,2] random; TS[1,2] 0.25 1; uint8[1,2] 3 4; "
         "TS[] 0.5; int8[] 7",
         "int8",
         {.formula = product<-128, 127>}},
        // Halves are rounded to even before the zero point is added.
        {"QLinearMatMul",
         "uint8[4,1] 1 3 5 255; float[] 0.5; uint8[] 0; uint8[1,1] 1; float[] 1; uint8[] 0; float[] 1; uint8[] 1",
         "uint8[4,1] 1 3 3 129"},
        {"QLinearMatMul",
         "uint8[2] 200 255; float[] 1; uint8[] 0; uint8[2] 200 255; float[] 1; uint8[] 0; float[] 1; int8[] 0",
         "int8[] 127"},
        {"QLinearMatMul",
         "uint8[2,2,1] 1 2 3 4; float[2,2,1] 1 2 3 4; uint8[2,2,1] 0 0 0 0; uint8[1,1] 2; float[] 1; uint8[] 0; "
         "float[] 1; uint8[] 0",
         "uint8[2,2,1] 2 8 18 32"},
        {"QLinearMatMul",
         "uint8[0,3]; float[] 1; uint8[] 0; uint8[3,2] iota; float[] 1; uint8[] 0; float[] 1; uint8[] 0", "uint8[0,2]"},
        {"QLinearMatMul-21",
         "float8e4m3fn[1,2] 2 448; float[] 1; float8e4m3fn[] 0; float8e5m2[2,1] 3 -1; float[] 0.5; float8e5m2[] 0; "
         "float[] 1; float8e4m3fn[] 0",
         "float8e4m3fn[1,1] -224"},
        {"QLinearMatMul-21",
         "float8e4m3fnuz[1,1] 240; float[] 1; float8e4m3fnuz[] 0; float8e5m2fnuz[1,1] 2; float[] 2; float8e5m2fnuz[] "
         "1; "
         "float[] 1; float8e4m3fnuz[] 1",
         "float8e4m3fnuz[1,1] 240"},
        {"QLinearMatMul",
         "uint8[2,2] iota; float[2] 1 1; uint8[] 0; uint8[2,2] iota; float[] 1; uint8[] 0; float[] 1; uint8[] 0",
         "",
         {.error = "*"}},
        {"QLinearMatMul",
         "uint8[2,2] iota; float[] 1; uint8[] 0; uint8[2,2] iota; float[] 1; uint8[] 0; float[2] 1 1; uint8[2] 0 0",
         "",
         {.error = "y_scale"}},
        {"QLinearMatMul-21",
         "uint8[2,K]; float[2]; uint8[]; uint8[K,N]; float[]; uint8[]; float[]; uint8[]",
         "",
         {.error = "not the scale's"}},
        {"QLinearMatMul-21", "uint8[N,K]; float[N]; uint8[N]; uint8[K,4]; float; uint8; float; int8", "int8[N,4]"},
        {"QLinearMatMul-21",
         "uint8[1,1] 4; float[] 0.5; uint8[] 0; uint8[1,1] 1; float[] 1; uint8[] 0; float[] 1; uint8[] 0",
         "uint8[1,1] 2",
         {.down_to = 10}},
        {"QLinearMatMul-21",
         "uint8[1,1] 4; float16[] 0.5; uint8[] 0; uint8[1,1] 1; float16[] 1; uint8[] 0; float16[] 1; uint8[] 0",
         "uint8[1,1] 2",
         {.down_to = 21}},
    });

}  // namespace
}  // namespace qlinear_matmul_test_cc
}  // namespace norn::ops::cases
