#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace pool_test_cc {
namespace {

// Of two spatial dimensions, by the definition: the largest inside, or the mean of what is counted.
template <bool kMean>
void pool(Sample& s) {
  const auto& x = s.in(0).dims;
  const auto window = s.ints("kernel_shape"), pads = s.ints("pads", {0, 0, 0, 0}), step = s.ints("strides", {1, 1}),
             hole = s.ints("dilations", {1, 1});
  const bool include = s.number("count_include_pad") != 0, ceil_mode = s.number("ceil_mode") != 0;
  std::vector<std::int64_t> out = {x[0], x[1]};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t room = x[d + 2] + pads[d] + pads[d + 2] - hole[d] * (window[d] - 1) - 1;
    std::int64_t n = (ceil_mode ? (room + step[d] - 1) / step[d] : room / step[d]) + 1;
    // A window that would start in the padding behind the input does not exist.
    if (ceil_mode && (n - 1) * step[d] >= x[d + 2] + pads[d]) --n;
    out.push_back(n);
  }
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    double best = -INFINITY, sum = 0;
    int inside = 0, padded = 0;
    for (std::int64_t p = 0; p < window[0]; ++p)
      for (std::int64_t q = 0; q < window[1]; ++q) {
        const std::int64_t a = at[2] * step[0] + p * hole[0] - pads[0], b = at[3] * step[1] + q * hole[1] - pads[1];
        padded += a < x[2] + pads[2] && b < x[3] + pads[3];
        if (a < 0 || b < 0 || a >= x[2] || b >= x[3]) continue;
        best = std::max(best, s.in(0).at({at[0], at[1], a, b}));
        sum += s.in(0).at({at[0], at[1], a, b});
        ++inside;
      }
    y[position(at, out)] = kMean ? sum / (include ? padded : inside) : best;
  } while (next(at, out));
}

#define WINDOW \
  "-19.. kernel_shape={2,3|3,2} strides={1,1|2,3} dilations={1,1|2,1} pads={0,0,0,0|1,0,0,1} ceil_mode={0|1}"

const Cases cases(
    "Pool",
    {
        {"MaxPool-12.. kernel_shape=2,2", "T[1,1,2,3] -5 -2 -3 -1 -9 -4", "T[1,1,1,2] -1 -2", {.types = "floats int8"}},
        {"MaxPool-12.. kernel_shape=2", "uint8[1,1,3] 250 3 7", "uint8[1,1,2] 250 7"},
        // Indices count in the whole tensor. Within a 3 x 4 plane by columns, (1, 1) is 1 + 1*3 and (1, 3) is 1 + 3*3.
        {"MaxPool-8.. kernel_shape=2,2 strides=2,2", "float[2,2,3,4] iota",
         "float[2,2,1,2] 5 7 17 19 29 31 41 43; int64[2,2,1,2] 5 7 17 19 29 31 41 43"},
        {"MaxPool-8.. kernel_shape=2,2 strides=2,2 storage_order=1", "float[2,2,3,4] iota",
         "float[2,2,1,2] 5 7 17 19 29 31 41 43; int64[2,2,1,2] 4 10 16 22 28 34 40 46"},
        // The first of equals wins, and NaN.
        {"MaxPool-22 kernel_shape=4", "float[1,1,4] 3 3 1 3", "float[1,1,1] 3; int64[1,1,1] 0"},
        {"MaxPool-22 kernel_shape=4", "float[1,1,4] 3 nan 5 nan", "float[1,1,1] nan; int64[1,1,1] 1"},
        {"MaxPool-22 kernel_shape=1", "float[1,1,1] -inf", "float[1,1,1] -inf; int64[1,1,1] 0"},
        // Padding is never the maximum.
        {"MaxPool kernel_shape=2 pads=1,1", "float[1,1,3] -1 -2 -3", "float[1,1,4] -1 -1 -2 -3"},
        {"MaxPool kernel_shape=2 auto_pad=SAME_LOWER", "float[1,1,3] -1 -2 -3", "float[1,1,3] -1 -1 -2"},
        {"MaxPool-10.. kernel_shape=2 dilations=3", "float[1,1,7] 1 9 2 8 3 7 4", "float[1,1,4] 8 9 7 8"},
        {"MaxPool-10.. kernel_shape=3 strides=3 ceil_mode=1", "float[1,1,7] 1 9 2 8 3 7 4", "float[1,1,3] 9 8 4"},
        {"MaxPool-22 kernel_shape=1 strides=2 pads=0,1 ceil_mode=1", "float[1,1,2] 1 2", "float[1,1,1] 1"},

        {"AveragePool kernel_shape=2,2 pads=1,1,0,0", "T[1,1,2,2] 4 8 12 16", "T[1,1,2,2] 4 6 8 10"},
        {"AveragePool kernel_shape=2,2 pads=1,1,0,0 count_include_pad=1", "T[1,1,2,2] 4 8 12 16",
         "T[1,1,2,2] 1 3 4 10"},
        // What ceil_mode adds is not counted.
        {"AveragePool-19.. kernel_shape=3 strides=3 ceil_mode=1 count_include_pad=1", "float[1,1,5] 1 2 3 4 5",
         "float[1,1,2] 2 4.5"},
        {"AveragePool-19.. kernel_shape=4 strides=3 ceil_mode=1 count_include_pad=1 pads=0,1", "float[1,1,5] 1 2 3 4 5",
         "float[1,1,2] 2.5 3"},
        {"AveragePool-19.. kernel_shape=2,2,2 dilations=2,2,2", "double[1,1,3,3,3] iota", "double[1,1,1,1,1] 13"},

        {"MaxPool" WINDOW, "double[2,1,6,7] random", "", {.formula = pool<false>}},
        {"AveragePool" WINDOW " count_include_pad={0|1}", "double[2,1,6,7] random", "", {.formula = pool<true>}},
        {"MaxPool" WINDOW, "float[1,5,8,9] random", "", {.formula = pool<false>}},
        {"AveragePool" WINDOW " count_include_pad={0|1}", "float[1,5,8,9] random", "", {.formula = pool<true>}},

        {"MaxPool-12 kernel_shape=3,3 strides=2,2 pads=1,1,1,1", "float[N,C,H,32]",
         "float[N,C,floor((H+1)/2),16]; int64[N,C,floor((H+1)/2),16]"},
        {"MaxPool-12 kernel_shape=3,3", "float", "float[?,?,?,?]"},
        {"MaxPool-12 kernel_shape=3,3", "float[N,C,H]", "", {.error = "*"}},

        {"MaxPool-1 kernel_shape=2", "float[1,1,3] 1 4 2", "float[1,1,2] 4 4"},
        {"AveragePool-1 kernel_shape=2", "float[1,1,3] 1 4 2", "float[1,1,2] 2.5 3"},
        {"MaxPool-22 kernel_shape=2 dilations=1 ceil_mode=0",
         "float[1,1,4] 1 4 2 0",
         "float[1,1,3] 4 4 2",
         {.down_to = 1}},
        {"MaxPool-22 kernel_shape=2 dilations=1 ceil_mode=0",
         "float[1,1,4] 1 4 2 0",
         "float[1,1,3] 4 4 2; int64[1,1,3] 1 1 2",
         {.down_to = 8}},
        {"MaxPool-22 kernel_shape=2 ceil_mode=1", "float[1,1,4] 1 4 2 0", "float[1,1,3] 4 4 2", {.down_to = 10}},
        {"MaxPool-22 kernel_shape=2 dilations=2", "float[1,1,4] 1 4 2 0", "float[1,1,2] 2 4", {.down_to = 10}},
        {"AveragePool-22 kernel_shape=2 count_include_pad=1",
         "float[1,1,4] 1 4 2 0",
         "float[1,1,3] 2.5 3 1",
         {.down_to = 1}},
        {"AveragePool-22 kernel_shape=2 count_include_pad=1 pads=1,0",
         "float[1,1,4] 1 4 2 0",
         "float[1,1,4] 0.5 2.5 3 1",
         {.down_to = 7}},
    });

}  // namespace
}  // namespace pool_test_cc
}  // namespace norn::ops::cases
