// Against Conv's definition read the other way: Y[o] gathers X[i] where o = i * stride + k * dilation - pad.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace conv_transpose_test_cc {
namespace {

// Of two spatial dimensions; pads as given.
void gathered(Sample& s) {
  const auto &x = s.in(0).dims, &w = s.in(1).dims;
  const auto step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1}), pads = s.ints("pads", {0, 0, 0, 0}),
             more = s.ints("output_padding", {0, 0});
  const auto group = static_cast<std::int64_t>(s.number("group"));
  std::vector<std::int64_t> out = {x[0], w[1] * group};
  for (std::size_t d = 0; d < 2; ++d)
    out.push_back(step[d] * (x[d + 2] - 1) + more[d] + (w[d + 2] - 1) * hole[d] + 1 - pads[d] - pads[d + 2]);
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    const std::int64_t in_group = x[1] / group, g = at[1] / w[1];
    double sum = s.inputs() > 2 ? s.in(2).values[at[1]] : 0;
    for (std::int64_t c = g * in_group; c < (g + 1) * in_group; ++c)
      for (std::int64_t p = 0; p < w[2]; ++p)
        for (std::int64_t q = 0; q < w[3]; ++q) {
          const std::int64_t a = at[2] + pads[0] - p * hole[0], b = at[3] + pads[1] - q * hole[1];
          if (a < 0 || b < 0 || a % step[0] || b % step[1] || a / step[0] >= x[2] || b / step[1] >= x[3]) continue;
          sum += s.in(0).at({at[0], c, a / step[0], b / step[1]}) * s.in(1).at({c, at[1] % w[1], p, q});
        }
    y[position(at, out)] = sum;
  } while (next(at, out));
}

const Cases cases(
    "ConvTranspose",
    {
        {"ConvTranspose strides={1,1|2,3} dilations={1,1|2,1} pads={0,0,0,0|1,0,0,2}",
         "double[2,3,4,5] random; double[3,2,3,2] random 2; double[2] random 3",
         "",
         {.formula = gathered, .tolerance = 1e-14}},
        {"ConvTranspose strides=2,3 output_padding={1,0|1,2} group={1|2}",
         "T[1,4,3,2] random; T[4,3,2,5] random 2",
         "",
         {.formula = gathered, .types = "float double", .tolerance = 1e-6}},
        {"ConvTranspose group={1|3}", "float[1,3,2,2] random; float[3,1,1,2] random 2", "", {.formula = gathered}},
        {"ConvTranspose pads={-1,0,0,-2|2,0,0,0}",
         "float[1,1,2,3] random; float[1,1,3,2] random 2",
         "",
         {.formula = gathered}},
        // Each element of X puts 1, 10 and 100 of itself where its window lies.
        {"ConvTranspose strides=2", "T[1,1,2] 1 2; T[1,1,3] 1 10 100", "T[1,1,5] 1 10 102 20 200"},
        {"ConvTranspose", "T[1,1,2] 1 2; T[1,2,1] 3 4; T[2] 1 2", "T[1,2,2] 4 7 6 10"},
        {"ConvTranspose strides=2 output_padding=1", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,6] 1 10 102 20 200 0"},
        {"ConvTranspose strides=2 pads=1,1", "float[1,1,2] 1 2; float[1,1,3] 1 10 100", "float[1,1,3] 10 102 20"},
        // An odd element of padding is cut at the beginning, but for SAME_UPPER.
        {"ConvTranspose strides=2 output_shape=4", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,4] 10 102 20 200"},
        {"ConvTranspose strides=2 output_shape=4 auto_pad=SAME_LOWER", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,4] 10 102 20 200"},
        {"ConvTranspose strides=2 output_shape=4 auto_pad=SAME_UPPER", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,4] 1 10 102 20"},
        {"ConvTranspose strides=2 auto_pad=SAME_UPPER", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,4] 1 10 102 20"},
        {"ConvTranspose strides=2 auto_pad=SAME_LOWER", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,4] 10 102 20 200"},
        {"ConvTranspose strides=2 auto_pad=VALID", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,5] 1 10 102 20 200"},
        // Less than no padding: more elements at the end, or none.
        {"ConvTranspose strides=2 output_shape=6", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,6] 1 10 102 20 200 0"},
        {"ConvTranspose strides=5 auto_pad=SAME_UPPER", "float[1,1,2] 1 2; float[1,1,3] 1 10 100",
         "float[1,1,8] 1 10 100 0 0 2 20 200"},
        {"ConvTranspose", "float[0,1,2]; float[1,1,3] 1 2 3", "float[0,1,4]"},
        {"ConvTranspose", "float[1,0,2]; float[0,2,3]; float[2] 5 6", "float[1,2,4] 5 5 5 5 6 6 6 6"},
        {"ConvTranspose", "float[1,1,0]; float[1,1,3] 1 2 3", "float[1,1,2] 0 0"},
        {"ConvTranspose", "double[1,1,3] 1 nan inf; double[1,1,1] 2", "double[1,1,3] 2 nan inf"},
        {"ConvTranspose-22 strides=2,2 kernel_shape=3,3", "float[N,4,H,7]; float[4,2,3,3]", "float[N,2,2*H+1,15]"},
        {"ConvTranspose-22 strides=2,2 auto_pad=SAME_UPPER", "float[N,4,H,7]; float[4,2,3,3]", "float[N,2,2*H,14]"},
        {"ConvTranspose-22 group=2", "float[N,C,H]; float[C,M,1]; float[6]", "float[N,6,H]"},
        {"ConvTranspose-22 kernel_shape=3", "float; float; float[6]", "float[?,6,?]"},
        {"ConvTranspose-22 output_shape=5", "float; float[4,2,3]", "float[?,2,5]"},
        {"ConvTranspose-22", "float; float", "float"},
        {"ConvTranspose-22", "float[1,2,3]; float[3,2,3]", "", {.error = "channels"}},
        {"ConvTranspose-22 group=2", "float[1,3,3]; float[3,2,3]", "", {.error = "group"}},
        {"ConvTranspose-22 group=0", "float[1,3,3]; float[3,2,3]", "", {.error = "group"}},
        {"ConvTranspose-22", "float[1,1,3]; float[1,2,3]; float[3]", "", {.error = "*"}},
        {"ConvTranspose-22", "float[1,1,3]; float[1,2,3,3]", "", {.error = "spatial"}},
        {"ConvTranspose", "float[1,1] 2; float[1,1] 3", "", {.error = "at least 3"}},
        {"ConvTranspose-22 kernel_shape=2", "float[1,1,3]; float[1,2,3]", "", {.error = "*"}},
        {"ConvTranspose-22 output_padding={1|-1}", "float[1,1,3]; float[1,2,3]", "", {.error = "output_padding"}},
        {"ConvTranspose-22 strides=2 output_shape={7|4611686018427387904}",
         "float[1,1,2]; float[1,1,3]",
         "",
         {.error = "output_shape"}},
        {"ConvTranspose-22 output_shape={-1|1,2}", "float[1,1,3]; float[1,2,3]", "", {.error = "output_shape"}},
        {"ConvTranspose-22 pads=9,9", "float[1,1,3]; float[1,2,3]", "", {.error = "size of -13"}},
        {"ConvTranspose-22 pads=4611686018427387904,-4611686018427387904",
         "float[1,1,3]; float[1,2,3]",
         "",
         {.error = "pads"}},
        {"ConvTranspose-22 strides=9223372036854775807", "float[1,1,3]; float[1,2,3]", "", {.error = "*"}},
        {"ConvTranspose-22 dilations=9223372036854775807", "float[1,1,3]; float[1,2,3]", "", {.error = "*"}},
    });

}  // namespace
}  // namespace conv_transpose_test_cc
}  // namespace norn::ops::cases
