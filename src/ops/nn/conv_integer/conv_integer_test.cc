#include "ops/nn/conv_integer/quantized_conv_test.h"

namespace norn::ops::cases {
inline namespace conv_integer_test_cc {
namespace {

void direct(Sample& s) {
  const auto out = sizes(s, s.in(0).dims, s.in(1).dims);
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do y[position(at, out)] = sum_at(s, at, 0, 1, 3, out[1]);
  while (next(at, out));
}

#define WINDOWS "{group=1|pads=1,2,0,3 strides=2,1 dilations=1,2|auto_pad=VALID kernel_shape=3,2}"

const Cases cases(
    "ConvInteger",
    {
        {"ConvInteger " WINDOWS, "T1[2,4,7,6] random; T2[6,4,3,2] random", "int32", {.formula = direct}},
        {"ConvInteger " WINDOWS,
         "T1[2,4,7,6] random; T2[6,4,3,2] random; T1[] 3; T2[] 5",
         "int32",
         {.formula = direct}},
        {"ConvInteger group=2 pads=1,1,1,1",
         "T1[1,4,5,5] random; T2[6,2,3,2] random; T1[1] 3; T2[6] 1 2 3 4 5 6",
         "int32",
         {.formula = direct}},
        {"ConvInteger", "uint8[1,1,4] 1 2 3 255; int8[1,1,2] -128 1; uint8[] 1; int8[] 1", "int32[1,1,3] 0 -129 -258"},
        {"ConvInteger", "uint8[1,1,2,2,2] 1 2 3 4 5 6 7 8; uint8[1,1,2,2,2] 1 1 1 1 1 1 1 1", "int32[1,1,1,1,1] 36"},
        {"ConvInteger", "uint8[0,1,3,3]; int8[1,1,1,1] 1", "int32[0,1,3,3]"},
        {"ConvInteger", "uint8[1,1,3] 1 2 3; int8[0,1,1]; uint8[] 1; int8[0]", "int32[1,0,3]"},
        {"ConvInteger", "uint8[1,1,4] iota; int8[2,1,2] iota; uint8[4] 1 2 3 4", "", {.error = "x_zero_point"}},
        {"ConvInteger", "uint8[1,1,4] iota; int8[2,1,2] iota; -; int8[3] 1 2 3", "", {.error = "*"}},
        {"ConvInteger", "uint8[1,1,4] iota; int8[2,1,2] iota; -; int8[2,1] 1 2", "", {.error = "*"}},
        {"ConvInteger group=2", "uint8[1,3,4] iota; int8[2,1,2] iota", "", {.error = "*"}},
        {"ConvInteger strides=2,2 pads=1,1,1,1", "uint8[N,3,H,W]; int8[8,3,3,3]; uint8; int8[8]",
         "int32[N,8,floor((H+1)/2),floor((W+1)/2)]"},
        {"ConvInteger", "uint8; int8", "int32"},
    });

}  // namespace
}  // namespace conv_integer_test_cc
}  // namespace norn::ops::cases
