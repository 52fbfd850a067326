#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace lp_pool_test_cc {
namespace {

// Of one spatial dimension.
void norms(Sample& s) {
  const auto& x = s.in(0).dims;
  const auto kernel = s.ints("kernel_shape")[0], step = s.ints("strides", {1})[0], hole = s.ints("dilations", {1})[0];
  const auto pads = s.ints("pads", {0, 0});
  const bool up = s.number("ceil_mode") != 0;
  const std::int64_t room = x[2] + pads[0] + pads[1] - hole * (kernel - 1) - 1;
  std::int64_t n = (up ? (room + step - 1) / step : room / step) + 1;
  if (up && (n - 1) * step >= x[2] + pads[0]) --n;
  auto& y = s.out(0, {x[0], x[1], n});
  for (std::int64_t p = 0; p < x[0] * x[1]; ++p)
    for (std::int64_t o = 0; o < n; ++o) {
      long double sum = 0;
      for (std::int64_t i = 0; i < x[2]; ++i) {
        const std::int64_t from = i - (o * step - pads[0]);
        if (from >= 0 && from % hole == 0 && from / hole < kernel)
          sum += std::pow(std::abs(static_cast<long double>(s.in(0).values[p * x[2] + i])), s.number("p"));
      }
      y[p * n + o] = std::pow(sum, 1 / static_cast<long double>(s.number("p")));
    }
}

const Cases cases(
    "LpPool",
    {
        {"LpPool kernel_shape=2,2", "T[1,1,2,3] 3 4 0 0 0 -2", "T[1,1,1,2] 5 4.472135955", {.tolerance = 1e-2}},
        {"LpPool kernel_shape=2 p=1", "T[1,2,3] 1 -2 3 0 0 -8", "T[1,2,2] 3 5 0 8"},
        {"LpPool-1 kernel_shape=2 p={0.5|2.5} pads=1,0",
         "float[2,2,7] random",
         "",
         {.formula = norms, .tolerance = 1e-6}},
        {"LpPool-2.. kernel_shape={1|2|3} p={1|2|3} strides={1|2} pads={0,0|1,0|0,1}",
         "float[2,2,7] random",
         "",
         {.formula = norms}},
        {"LpPool-18.. kernel_shape=3 p={1|2|5} strides={1|3} dilations={1|2} pads={0,0|2,2} ceil_mode={0|1}",
         "double[1,3,9] random",
         "",
         {.formula = norms, .tolerance = 1e-13}},
        // Padding adds nothing.
        {"LpPool kernel_shape=2 auto_pad=SAME_UPPER", "T[1,1,3] 3 4 0", "T[1,1,3] 5 4 0"},
        {"LpPool kernel_shape=2 auto_pad=SAME_LOWER", "T[1,1,3] 3 4 0", "T[1,1,3] 3 5 4"},
        {"LpPool-22 kernel_shape=1 pads=1,1", "float[1,1,1] -2", "float[1,1,3] 0 2 0"},
        {"LpPool-22 kernel_shape=2", "double[1,1,4] 3e300 4e300 nan inf", "double[1,1,3] 5e300 nan nan"},
        {"LpPool-22 kernel_shape=2", "float[0,2,4]", "float[0,2,3]"},
        {"LpPool-22 kernel_shape=3,3 strides=2,2 pads=1,1,1,1", "float[N,C,H,32]", "float[N,C,floor((H+1)/2),16]"},
        {"LpPool-22 kernel_shape=3,3", "float", "float[?,?,?,?]"},
        {"LpPool-22 kernel_shape=3,3", "float[N,C,H]", "", {.error = "*"}},
        {"LpPool-22 kernel_shape=2 p={0|-3}", "float[1,1,4] 1 2 3 4", "", {.error = "positive"}},
        {"LpPool-22 kernel_shape=9223372036854775807 dilations=3", "float[1,1,4] 1 2 3 4", "", {.error = "64 bits"}},
        {"LpPool-22 kernel_shape=1 pads=9223372036854775807,-9223372036854775807",
         "float[1,1,4] 1 2 3 4",
         "",
         {.error = "pads"}},
        {"LpPool-1", "float[1,1,4] 1 2 3 4", "", {.error = "kernel_shape"}},
        {"LpPool-22 kernel_shape=2 p=1 dilations=1 ceil_mode=0",
         "float[1,1,3] 1 2 0",
         "float[1,1,2] 3 2",
         {.down_to = 1}},
        {"LpPool-22 kernel_shape=2 p=1 dilations=2", "float[1,1,4] 1 4 2 0", "float[1,1,2] 3 4", {.down_to = 18}},
        {"LpPool-22 kernel_shape=2 p=1 ceil_mode=1", "float[1,1,3] 1 4 2", "float[1,1,2] 5 6", {.down_to = 18}},
    });

}  // namespace
}  // namespace lp_pool_test_cc
}  // namespace norn::ops::cases
