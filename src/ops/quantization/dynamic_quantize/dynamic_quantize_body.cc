// The range always holds 0. Where it holds nothing else the scale is 0, and so are all quantized elements.
#include "ops/quantization/dynamic_quantize/dynamic_quantize.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace dynamic_quantize_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kDynamicQuantizeBodies[] = {{.since = 11, .opset = 18, .nodes = R"({
  zero = Constant <value = float {0.0}> ()
  one = Constant <value = float {1.0}> ()
  most = Constant <value = float {255.0}> ()
  least_x = ReduceMin <keepdims = 0> (x)
  most_x = ReduceMax <keepdims = 0> (x)
  low = Min (least_x, zero)
  high = Max (most_x, zero)
  range = Sub (high, low)
  y_scale = Div (range, most)
  is_zero = Equal (y_scale, zero)
  divisor = Where (is_zero, one, y_scale)
  steps_below = Div (low, divisor)
  exact_zero_point = Neg (steps_below)
  saturated_zero_point = Clip (exact_zero_point, zero, most)
  whole_zero_point = Round (saturated_zero_point)
  y_zero_point = Cast <to = 2> (whole_zero_point)
  steps = Div (x, divisor)
  rounded = Round (steps)
  moved = Add (rounded, whole_zero_point)
  saturated = Clip (moved, zero, most)
  y = Cast <to = 2> (saturated)
})"}};

}  // namespace
}  // namespace dynamic_quantize_body_cc

void dynamic_quantize_bodies(opset::BodyTable& table) { table.add(DynamicQuantizeLinear, kDynamicQuantizeBodies); }

}  // namespace norn::ops
