// What tests of quantized convolutions compute by hand.
#pragma once
#include <vector>

#include "ops/common/case.h"

namespace norn::ops::cases {

// Of two spatial dimensions: the padded input holds zero points, which are subtracted everywhere.
// Input 2 is x's zero point, `w_zero_input` has the filters'.
inline double sum_at(Sample& s, const std::vector<std::int64_t>& at, int x_input, int w_input, int w_zero_input,
                     std::int64_t filters) {
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
        if (s.has(w_zero_input)) {
          const auto& zeros = s.in(w_zero_input).values;
          zero_of_w = zeros[zeros.size() == 1 ? 0 : at[1]];
        }
        const bool inside = a >= 0 && b >= 0 && a < x[2] && b < x[3];
        const double v = inside ? s.in(x_input).at({at[0], at[1] / (filters / group) * w[1] + c, a, b}) : zero;
        sum += (v - zero) * (s.in(w_input).at({at[1], c, p, q}) - zero_of_w);
      }
  return sum;
}

inline std::vector<std::int64_t> sizes(Sample& s, const std::vector<std::int64_t>& x,
                                       const std::vector<std::int64_t>& w) {
  const auto pads = s.ints("pads", {0, 0, 0, 0}), step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1});
  std::vector<std::int64_t> out = {x[0], w[0]};
  for (std::size_t d = 0; d < 2; ++d)
    out.push_back((x[d + 2] + pads[d] + pads[d + 2] - hole[d] * (w[d + 2] - 1) - 1) / step[d] + 1);
  return out;
}

}  // namespace norn::ops::cases
