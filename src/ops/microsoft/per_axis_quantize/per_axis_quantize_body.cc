// A scale of one element holds for the whole tensor, where ONNX's operators would take a list of one for an axis of
// one.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/per_axis_quantize/per_axis_quantize.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `name` of input i, as the number that it is if its list has one element.
void add_parameter(BodyBuilder& b, int i, const std::string& name) {
  const bool single = b.size_or_unknown(i, 0) == 1;
  b.add(name + "_given = " + (single ? "Squeeze" : "Identity") + " (" + name + ")");
}

void quantize_body(BodyBuilder& b) {
  add_parameter(b, 1, "y_scale");
  if (b.has_input(2)) add_parameter(b, 2, "y_zero_point");
  b.add(std::string("y = QuantizeLinear <axis: int = @axis> (x, y_scale_given") +
        (b.has_input(2) ? ", y_zero_point_given)" : ")"));
}

void dequantize_body(BodyBuilder& b) {
  add_parameter(b, 1, "x_scale");
  if (b.has_input(2)) add_parameter(b, 2, "x_zero_point");
  b.add(std::string("y = DequantizeLinear <axis: int = @axis> (x, x_scale_given") +
        (b.has_input(2) ? ", x_zero_point_given)" : ")"));
}

constexpr FunctionBody kQuantize[] = {{.since = 1, .opset = kBodyOpset, .build = quantize_body}};
constexpr FunctionBody kDequantize[] = {{.since = 1, .opset = kBodyOpset, .build = dequantize_body}};

}  // namespace
}  // namespace microsoft

void per_axis_quantize_bodies(opset::BodyTable& table) {
  table.add(microsoft::QuantizeLinear, microsoft::kQuantize);
  table.add(microsoft::DequantizeLinear, microsoft::kDequantize);
}

}  // namespace norn::ops
