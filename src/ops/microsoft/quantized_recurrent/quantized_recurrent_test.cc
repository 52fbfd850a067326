// Against the equations of LSTM in double, with weights (W - zero point) * scale: a scale for each direction, or for
// each of its columns. X and the states are real numbers that were rounded to 8 bits.
#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace quantized_recurrent_test_cc {
namespace {

using Vector = std::vector<double>;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// What is left of x when it was rounded to the nearest of 256 numbers, evenly spaced from its least to its largest, of
// which one is 0.
Vector rounded(Vector x) {
  float low = 0, high = 0;
  for (const double v : x) {
    low = std::min(low, static_cast<float>(v));
    high = std::max(high, static_cast<float>(v));
  }
  const float step = (high - low) / 255;
  if (step == 0) return x;
  const float zero = std::nearbyintf(-low / step);
  for (double& v : x) {
    const float place = std::clamp(std::nearbyintf(static_cast<float>(v) / step) + zero, 0.0f, 255.0f);
    v = static_cast<double>(place - zero) * static_cast<double>(step);
  }
  return x;
}

// Element (d, row, column) of the weights that input `input` holds; the scale is input `scale`.
double weight(const Sample& s, int input, int scale, std::int64_t d, std::int64_t row, std::int64_t column) {
  const auto number = [&](int i) { return s.in(i).dims.size() == 1 ? s.in(i).at({d}) : s.in(i).at({d, column}); };
  return (s.in(input).at({d, row, column}) - number(scale + 1)) * number(scale);
}

void lstm(Sample& s) {
  Numbers x = s.in(0);
  x.values = rounded(x.values);
  const std::int64_t steps = x.dims[0], batch = x.dims[1], size = x.dims[2];
  const std::int64_t directions = s.in(2).dims[0], hidden = s.in(2).dims[1];
  Vector& y = s.out(0, {steps, directions, batch, hidden});
  Vector& last_h = s.out(1, {directions, batch, hidden});
  Vector& last_c = s.out(2, {directions, batch, hidden});
  const auto state = [&](int input, std::int64_t d, std::int64_t n, std::int64_t j) {
    return s.has(input) ? s.in(input).at({d, n, j}) : 0;
  };
  for (std::int64_t d = 0; d < directions; ++d)
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t length = s.has(4) ? static_cast<std::int64_t>(s.in(4).at({n})) : steps;
      Vector h, c;
      for (std::int64_t j = 0; j < hidden; ++j) {
        h.push_back(state(5, d, n, j));
        c.push_back(state(6, d, n, j));
      }
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t t = d == 1 || s.word("direction") == "reverse" ? length - 1 - k : k;
        const Vector before = rounded(h);
        for (std::int64_t j = 0; j < hidden; ++j) {
          const auto at = static_cast<std::size_t>(j);
          // Gates i, o, f and c.
          const auto sum = [&](std::int64_t gate) {
            const std::int64_t column = gate * hidden + j;
            double all = s.has(3) ? s.in(3).at({d, column}) + s.in(3).at({d, 4 * hidden + column}) : 0;
            for (std::int64_t i = 0; i < size; ++i) all += x.at({t, n, i}) * weight(s, 1, 8, d, i, column);
            for (std::int64_t i = 0; i < hidden; ++i)
              all += before[static_cast<std::size_t>(i)] * weight(s, 2, 10, d, i, column);
            return all;
          };
          const auto peep = [&](std::int64_t gate) { return s.has(7) ? s.in(7).at({d, gate * hidden + j}) : 0; };
          const double in = logistic(sum(0) + peep(0) * c[at]);
          const double keep = s.number("input_forget") != 0 ? 1 - in : logistic(sum(2) + peep(2) * c[at]);
          c[at] = keep * c[at] + in * std::tanh(sum(3));
          h[at] = logistic(sum(1) + peep(1) * c[at]) * std::tanh(c[at]);
          y[static_cast<std::size_t>(((t * directions + d) * batch + n) * hidden + j)] = h[at];
        }
      }
      for (std::int64_t j = 0; j < hidden; ++j) {
        last_h[static_cast<std::size_t>((d * batch + n) * hidden + j)] = h[static_cast<std::size_t>(j)];
        last_c[static_cast<std::size_t>((d * batch + n) * hidden + j)] = c[static_cast<std::size_t>(j)];
      }
    }
}

constexpr With kLstm = {.formula = lstm, .tolerance = 1e-5};

const Cases cases(
    "DynamicQuantizeLSTM",
    {
        {"com.microsoft.DynamicQuantizeLSTM direction={forward|reverse} hidden_size=2",
         "float[3,2,3] random; T2[1,3,8] random; T2[1,2,8] random 2; {-|float[1,16] random}; -; -; -; -; "
         "float[1] 0.1; T2[1] 3; float[1] 0.2; T2[1] 1",
         "float[3,1,2,2]; float[1,2,2]; float[1,2,2]", kLstm},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
         "float[2,1,2] random; uint8[1,2,4] 0 255 128 7 3 90 200 254; uint8[1,1,4] 255 0 127 129; -; -; -; -; -; "
         "float[1,4] 0.01 0.02 0.005 0.03; uint8[1,4] 0 128 255 7; float[1,4] 0.02 0.01 0.03 0.01; uint8[1,4] 128 0 "
         "128 255",
         "float[2,1,1,1]; float[1,1,1]; float[1,1,1]", kLstm},
        // Scales by direction and by column, beside each other.
        {"com.microsoft.DynamicQuantizeLSTM direction=bidirectional hidden_size=1 input_forget={0|1}",
         "float[3,2,2] random; int8[2,2,4] random; int8[2,1,4] random 2; float[2,8] random; int32[2] {3 1|0 2}; "
         "float[2,2,1] random; float[2,2,1] random 3; {-|float[2,3] random}; float[2] 0.1 0.5; int8[2] 1 -2; "
         "float[2,4] positive; int8[2,4] random",
         "float[3,2,2,1]; float[2,2,1]; float[2,2,1]", kLstm},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=2",
         "{float[0,2,3]|float[3,0,3]}; int8[1,3,8] random; int8[1,2,8] random; -; -; -; -; -; float[1] 0.1; int8[1] 0; "
         "float[1] 0.2; int8[1] 0",
         "float; float; float", kLstm},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=2",
         "float[3,2,0]; int8[1,0,8]; int8[1,2,8] random; float[1,16] random; -; -; -; -; float[1] 0.1; int8[1] 0; "
         "float[1] 0.2; int8[1] 0",
         "float[3,1,2,2]; float[1,2,2]; float[1,2,2]", kLstm},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=2",
         "float[S,N,3]; int8[1,3,8]; int8[1,2,8]; -; -; -; -; -; float[1]; int8[1]; float[1]; int8[1]",
         "float[S,1,N,2]; float[1,N,2]; float[1,N,2]"},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
         "float[2,1,2] random; int8[1,2,4] random; int8[1,1,4] random; -; -; -; -; -; {float[] 1|float[1,1,4] random}; "
         "int8[1] 0; float[1] 1; int8[1] 0",
         "",
         {.error = "W_scale has rank"}},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
         "float[2,1,2] random; int8[1,2,4] random; int8[1,1,4] random; -; -; -; -; -; float[1] 1; int8[1] 0; float[1] "
         "1; {int8[] 0|int8[1,4,1] random}",
         "",
         {.error = "R_zero_point has rank"}},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
         "float[2,1,2] random; int8[1,3,4] random; int8[1,1,4] random; -; -; -; -; -; float[1] 1; int8[1] 0; float[1] "
         "1; int8[1] 0",
         "",
         {.error = "*"}},
        {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
         "float[2,1,2]; int16[1,2,4]; int16[1,1,4]; -; -; -; -; -; float[1]; int16[1]; float[1]; int16[1]",
         "",
         {.error = "takes only"}},
    });

}  // namespace
}  // namespace quantized_recurrent_test_cc
}  // namespace norn::ops::cases
