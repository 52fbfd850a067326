// Factors are whole numbers, whose products are exact in double; states stay in double from step to step, and are
// rounded to float where they are quantized.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ops/common/elements.h"
#include "ops/microsoft/quantized_recurrent/quantized_recurrent.h"
#include "ops/rnn/recurrent/recurrent_ref.h"
#include "opset/reference.h"

namespace norn::ops {
namespace microsoft {
inline namespace quantized_recurrent_ref_cc {
namespace {

using Values = std::vector<double>;
using Input = QuantizedRecurrentInput;

// As DynamicQuantizeLinear in float, less the zero point; returns the scale.
double quantize(std::span<double> x) {
  float low = 0, high = 0;
  bool is_number = true;
  for (const double v : x) {
    const auto value = static_cast<float>(v);
    is_number = is_number && !std::isnan(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = is_number ? (high - low) / 255.0f : std::numeric_limits<float>::quiet_NaN();
  const float divisor = scale == 0.0f ? 1.0f : scale;
  const auto saturated = [](float v) { return v > 0.0f ? std::min(v, 255.0f) : 0.0f; };  // NaN is 0
  const float zero = saturated(std::nearbyint(-(low / divisor)));
  for (double& v : x) v = saturated(std::nearbyint(static_cast<float>(v) / divisor) + zero) - zero;
  return scale;
}

// Input `i`, a number for each direction or for each column of it, as one for each column.
Values by_column(const opset::ReferenceContext& ctx, int i, std::int64_t columns) {
  const Tensor& t = ctx.input(i);
  const Values given = load_numbers(t);
  if (t.dims().size() == 2) return given;
  Values all;
  for (const double v : given) all.insert(all.end(), static_cast<std::size_t>(columns), v);
  return all;
}

// [direction][column][row] of the weights without their zero points.
Values weights(const opset::ReferenceContext& ctx, int i, int zero_point) {
  const Tensor& t = ctx.input(i);
  const auto depth = static_cast<std::size_t>(t.dims()[1]), columns = static_cast<std::size_t>(t.dims()[2]);
  const Values given = load_numbers(t), zeros = by_column(ctx, zero_point, t.dims()[2]);
  Values to(given.size());
  for (std::size_t at = 0; at < given.size(); ++at) {
    const std::size_t column = at % columns, row = at / columns % depth, d = at / columns / depth;
    to[(d * columns + column) * depth + row] = given[at] - zeros[d * columns + column];
  }
  return to;
}

void dynamic_quantize_lstm_ref(opset::ReferenceContext& ctx) {
  const auto [layer, sizes] = resolve_quantized_recurrent(ctx);
  RecurrentNumbers numbers;
  numbers.x = load_all<double>(ctx.input(0));
  numbers.x_scale = quantize(numbers.x);
  numbers.w = weights(ctx, 1, Input::WZero);
  numbers.r = weights(ctx, 2, Input::RZero);
  const std::int64_t columns = gates_of(RecurrentLayer::Lstm).gates * sizes.hidden->constant();
  numbers.w_scales = by_column(ctx, Input::WScale, columns);
  numbers.r_scales = by_column(ctx, Input::RScale, columns);
  numbers.round_state = quantize;
  run_recurrent(ctx, RecurrentLayer::Lstm, layer, sizes, numbers);
}

}  // namespace
}  // namespace quantized_recurrent_ref_cc
}  // namespace microsoft

void quantized_recurrent_references(opset::ReferenceTable& table) {
  table.add(microsoft::DynamicQuantizeLSTM, microsoft::dynamic_quantize_lstm_ref);
}

}  // namespace norn::ops
