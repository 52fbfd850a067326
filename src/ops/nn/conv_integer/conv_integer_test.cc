#include "ops/common/case.h"

namespace norn::ops::cases {
namespace {

// Of two spatial dimensions: the padded input holds zero points, which are subtracted everywhere.
double sum_at(Sample& s, const std::vector<std::int64_t>& at, int x_input, int w_input, std::int64_t filters) {
  const auto &x = s.in(x_input).dims, &w = s.in(w_input).dims;
  const auto group = static_cast<std::int64_t>(s.number("group", 1));
  const auto pads = s.ints("pads", {0, 0, 0, 0}), step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1});
  double sum = 0;
  for (std::int64_t c = 0; c < w[1]; ++c)
    for (std::int64_t p = 0; p < w[2]; ++p)
      for (std::int64_t q = 0; q < w[3]; ++q) {
        const std::int64_t a = at[2] * step[0] + p * hole[0] - pads[0], b = at[3] * step[1] + q * hole[1] - pads[1];
        const double zero = s.has(2) ? s.in(2).values[0] : 0;
        double zero_of_w = 0;
        if (s.has(3)) zero_of_w = s.in(3).values[s.in(3).values.size() == 1 ? 0 : at[1]];
        const bool inside = a >= 0 && b >= 0 && a < x[2] && b < x[3];
        const double v = inside ? s.in(x_input).at({at[0], at[1] / (filters / group) * w[1] + c, a, b}) : zero;
        sum += (v - zero) * (s.in(w_input).at({at[1], c, p, q}) - zero_of_w);
      }
  return sum;
}

std::vector<std::int64_t> sizes(Sample& s, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w) {
  const auto pads = s.ints("pads", {0, 0, 0, 0}), step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1});
  std::vector<std::int64_t> out = {x[0], w[0]};
  for (std::size_t d = 0; d < 2; ++d)
    out.push_back((x[d + 2] + pads[d] + pads[d + 2] - hole[d] * (w[d + 2] - 1) - 1) / step[d] + 1);
  return out;
}

void direct(Sample& s) {
  const auto out = sizes(s, s.in(0).dims, s.in(1).dims);
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do y[position(at, out)] = sum_at(s, at, 0, 1, out[1]);
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
}  // namespace norn::ops::cases
