// The standard operators take a list of one scale for the whole tensor, too. ONNX Runtime divides in float.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/per_axis_quantize/per_axis_quantize.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace per_axis_quantize_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kQuantize[] = {
    {.since = 1,
     .opset = kBodyOpset,
     .nodes = "{ y = QuantizeLinear <axis: int = @axis, precision = 1> (x, y_scale, y_zero_point) }"}};
constexpr FunctionBody kDequantize[] = {
    {.since = 1,
     .opset = kBodyOpset,
     .nodes = "{ y = DequantizeLinear <axis: int = @axis> (x, x_scale, x_zero_point) }"}};

}  // namespace
}  // namespace per_axis_quantize_body_cc
}  // namespace microsoft

void per_axis_quantize_bodies(opset::BodyTable& table) {
  table.add(microsoft::QuantizeLinear, microsoft::kQuantize);
  table.add(microsoft::DequantizeLinear, microsoft::kDequantize);
}

}  // namespace norn::ops
