// The formula weighs every element of the image by its distance from the place that is read.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace deform_conv_test_cc {
namespace {

// Of images.
void deformed(Sample& s) {
  const auto &x = s.in(0).dims, &w = s.in(1).dims, &f = s.in(2).dims;
  const auto step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1}), pads = s.ints("pads", {0, 0, 0, 0});
  const auto groups = static_cast<std::int64_t>(s.number("group")),
             offset_groups = static_cast<std::int64_t>(s.number("offset_group"));
  const std::vector<std::int64_t> out = {x[0], w[0], f[2], f[3]};
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    double sum = s.has(3) ? s.in(3).values[at[1]] : 0;
    for (std::int64_t c = 0; c < w[1]; ++c)
      for (std::int64_t k = 0; k < w[2] * w[3]; ++k) {
        const std::int64_t from = at[1] / (w[0] / groups) * w[1] + c, g = from / (x[1] / offset_groups);
        const std::int64_t move = g * w[2] * w[3] + k, p = k / w[3], q = k % w[3];
        const double a = at[2] * step[0] - pads[0] + p * hole[0] + s.in(2).at({at[0], 2 * move, at[2], at[3]}),
                     b = at[3] * step[1] - pads[1] + q * hole[1] + s.in(2).at({at[0], 2 * move + 1, at[2], at[3]});
        double read = 0;
        for (std::int64_t i = 0; i < x[2]; ++i)
          for (std::int64_t j = 0; j < x[3]; ++j)
            read +=
                s.in(0).at({at[0], from, i, j}) * std::fmax(0, 1 - std::abs(a - i)) * std::fmax(0, 1 - std::abs(b - j));
        if (s.has(4)) read *= s.in(4).at({at[0], move, at[2], at[3]});
        sum += read * s.in(1).at({at[1], c, p, q});
      }
    y[position(at, out)] = sum;
  } while (next(at, out));
}

const Cases cases(
    "DeformConv",
    {
        {"DeformConv",
         "double[2,2,4,5] random; double[3,2,2,2] random 2; double[2,8,3,4] random 3",
         "",
         {.formula = deformed, .tolerance = 1e-12}},
        {"DeformConv strides=2,1 pads=1,0,1,2 dilations=1,2 group=2 offset_group=2",
         "T[1,4,4,5] random; T[2,2,2,2] random 2; T[1,16,3,5] random 3; T[2] random 4; T[1,8,3,5] random 5",
         "",
         {.formula = deformed, .types = "float double", .tolerance = 1e-6}},
        // Half an element to the right; one to the left of the image's first, which is nothing; beside the last, half
        // of it.
        {"DeformConv", "T[1,1,3] 1 2 4; T[1,1,1] 2; T[1,1,3] 0.5 -2 0.5; T[1] 1; T[1,1,3] 1 1 0.5", "T[1,1,3] 4 1 3"},
        {"DeformConv", "float[1,1,1,1,2] 1 2; float[1,1,1,1,1] 3; float[1,3,1,1,2] 0 0 0 0 0.5 -1",
         "float[1,1,1,1,2] 4.5 3"},
        {"DeformConv", "float[1,1,3] 1 2 4; float[1,1,1] 2; float[1,1,3] {nan|inf|-1e30} 0 0", "float[1,1,3] 0 4 8"},
        {"DeformConv", "float[0,1,3]; float[1,1,1] 2; float[0,1,3]", "float[0,1,3]"},
        {"DeformConv", "float[1,0,3]; float[1,0,2]; float[1,2,2] 0 0 0 0; float[1] 5", "float[1,1,2] 5 5"},
        {"DeformConv", "float[1,1,3]; float[1,1,2]; float[1,1,2]", "", {.error = "offset"}},
        {"DeformConv", "float[1,1,3]; float[1,1,2]; float[1,2,3]", "", {.error = "*"}},
        {"DeformConv", "float[1,1,3]; float[1,1,2]; float[1,2,2]; -; float[1,1,2]", "", {.error = "mask"}},
        {"DeformConv", "float[1,2,3]; float[1,1,2]; float[1,2,2]", "", {.error = "channels"}},
        {"DeformConv {group=0|offset_group=0}",
         "float[1,1,3]; float[1,1,2]; float[1,2,2]",
         "",
         {.error = "at least 1"}},
        {"DeformConv offset_group=2", "float[1,1,3]; float[1,1,2]; float[1,4,2]", "", {.error = "offset_group"}},
        {"DeformConv kernel_shape=3", "float[1,1,3]; float[1,1,2]; float[1,2,2]", "", {.error = "*"}},
        {"DeformConv offset_group=9223372036854775807", "float[1,0,3]; float[1,0,2]; float[1,2,2]", "", {.error = "*"}},
        {"DeformConv-22 pads=1,1,1,1", "float[N,4,H,W]; float[M,4,3,3]; float[N,18,H,W]", "float[N,M,H,W]"},
        {"DeformConv-22", "float; float[M,4,3,3]; float[N,18,P,Q]", "float[N,M,P,Q]"},
        {"DeformConv-22", "float; float; float", "float"},
    });

}  // namespace
}  // namespace deform_conv_test_cc
}  // namespace norn::ops::cases
