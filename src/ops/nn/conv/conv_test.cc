#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace conv_test_cc {
namespace {

// Of two spatial dimensions, by the definition.
void direct(Sample& s) {
  const auto &x = s.in(0).dims, &w = s.in(1).dims;
  const auto group = static_cast<std::int64_t>(s.number("group", 1));
  const auto pads = s.ints("pads", {0, 0, 0, 0}), step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1});
  std::vector<std::int64_t> out = {x[0], w[0]};
  for (std::size_t d = 0; d < 2; ++d)
    out.push_back((x[d + 2] + pads[d] + pads[d + 2] - hole[d] * (w[d + 2] - 1) - 1) / step[d] + 1);
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    double sum = s.has(2) ? s.in(2).values[at[1]] : 0;
    for (std::int64_t c = 0; c < w[1]; ++c)
      for (std::int64_t p = 0; p < w[2]; ++p)
        for (std::int64_t q = 0; q < w[3]; ++q) {
          const std::int64_t a = at[2] * step[0] + p * hole[0] - pads[0], b = at[3] * step[1] + q * hole[1] - pads[1];
          if (a < 0 || b < 0 || a >= x[2] || b >= x[3]) continue;
          sum += s.in(0).at({at[0], at[1] / (out[1] / group) * w[1] + c, a, b}) * s.in(1).at({at[1], c, p, q});
        }
    y[position(at, out)] = sum;
  } while (next(at, out));
}

const Cases cases(
    "Conv",
    {
        {"Conv", "double[2,4,7,6] random; double[8,4,3,2] random", "double", {.formula = direct}},
        {"Conv pads=1,2,0,3 strides=2,1 dilations=1,2",
         "double[2,4,7,6] random; double[8,4,3,2] random",
         "double",
         {.formula = direct}},
        {"Conv group=2 pads=1,1,1,1 strides=3,2 dilations=2,1",
         "double[2,4,7,6] random; double[8,2,3,2] random",
         "double",
         {.formula = direct}},
        {"Conv group=4 pads=0,1,2,0 strides=1,3",
         "double[2,4,7,6] random; double[8,1,3,2] random",
         "double",
         {.formula = direct}},
        {"Conv pads=4,4,4,4 dilations=2,2",
         "double[2,4,7,6] random; double[8,4,3,2] random",
         "double",
         {.formula = direct}},
        // Sizes that fast kernels treat apart: pointwise, depthwise, 3x3, strides, many channels.
        {"Conv-22 pads={0,0,0,0|1,1,1,1} strides={1,1|2,2}",
         "float[{1|3},16,9,11] random; float[32,16,3,3] random; float[32] random",
         "float",
         {.formula = direct, .tolerance = 1e-5}},
        {"Conv-22 strides={1,1|2,2}",
         "float[1,32,7,7] random; float[{5|64},32,1,1] random",
         "float",
         {.formula = direct, .tolerance = 1e-5}},
        {"Conv-22 group=16 pads=1,1,1,1 strides={1,1|2,1}",
         "float[2,16,8,9] random; float[16,1,3,3] random; float[16] random",
         "float",
         {.formula = direct, .tolerance = 1e-5}},
        {"Conv-22 pads=3,3,3,3 strides=2,2",
         "float[1,3,30,31] random; float[16,3,7,7] random",
         "float",
         {.formula = direct, .tolerance = 1e-5}},

        {"Conv", "T[1,1,4] 1 2 3 4; T[1,1,2] 1 -1; T[1] 10", "T[1,1,3] 9 9 9"},
        {"Conv", "T[1,1,2,2,2] 1 2 3 4 5 6 7 8; T[2,1,2,2,2] 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 2", "T[1,2,1,1,1] 36 16"},
        {"Conv-11 auto_pad=SAME_UPPER", "float[1,1,1,4] 1 2 3 4; float[1,1,1,2] 1 1", "float[1,1,1,4] 3 5 7 4"},
        {"Conv-11 auto_pad=SAME_LOWER", "float[1,1,1,4] 1 2 3 4; float[1,1,1,2] 1 1", "float[1,1,1,4] 1 3 5 7"},
        {"Conv-11 auto_pad=VALID", "float[1,1,1,4] 1 2 3 4; float[1,1,1,2] 1 1", "float[1,1,1,3] 3 5 7"},
        {"Conv-22", "float[1,0,1,2]; float[2,0,1,1]; float[2] 1 2", "float[1,2,1,2] 1 1 2 2"},
        {"Conv-22", "float[0,1,3,3]; float[1,1,1,1] 1", "float[0,1,3,3]"},

        {"Conv-22 strides=2,2 pads=1,1,1,1", "float[N,3,H,W]; float[8,3,3,3]",
         "float[N,8,floor((H+1)/2),floor((W+1)/2)]"},
        {"Conv-22", "float; float[8,3,3,3]", "float[?,8,?,?]"},
        {"Conv-22", "float; float", "float"},
        {"Conv-22", "float[1,4,8,8]; float[2,3,3,3]", "", {.error = "*"}},
        {"Conv-22 group=2", "float[1,4,8,8]; float[3,2,3,3]", "", {.error = "*"}},
        {"Conv-22 group=0", "float[1,4,8,8]; float[4,4,3,3]", "", {.error = "*"}},
        {"Conv kernel_shape=", "float[1,1,3] 1 2 3; float[1,1,2] 1 10", "float[1,1,2] 21 32"},
        {"Conv-22 kernel_shape=2,2", "float[1,4,8,8]; float[2,4,3,3]", "", {.error = "*"}},
        {"Conv-22", "float[1,4,8,8]; float[2,4,3]", "", {.error = "*"}},
        {"Conv", "float[1,1] 2; float[1,1] 3", "", {.error = "at least 3"}},
        {"Conv-22", "float[1,4,8,8]; float[2,4,3,3]; float[3]", "", {.error = "*"}},
        {"Conv-22", "float[1,4,8,8] random; float[2,3,3,3] random", "", {.error = "*"}},
        {"Conv-22 kernel_shape=2,2", "float[1,4,8,8] random; float[2,4,3,3] random", "", {.error = "*"}},
    });

}  // namespace
}  // namespace conv_test_cc
}  // namespace norn::ops::cases
