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

// `name`_given: input i, as the number that it is if its list has one element. Where that is not known, the list gets
// as many elements as the axis has.
void add_parameter(BodyBuilder& b, int i, const std::string& name) {
  if (b.rank(i) != 1) return b.add(name + "_given = Identity (" + name + ")");
  const std::int64_t size = b.size_or_unknown(i, 0);
  if (size >= 0) return b.add(name + "_given = " + (size == 1 ? "Squeeze" : "Identity") + " (" + name + ")");
  const std::int64_t rank = b.rank(0), given = b.attrs().find_i("axis").value_or(1),
                     axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank)
    b.fail("axis is " + std::to_string(given) + ", but the tensor has rank " + std::to_string(rank));
  b.add(name + "_axis = Shape <start = " + std::to_string(axis) + ", end = " + std::to_string(axis + 1) + "> (x)");
  b.add(name + "_given = Expand (" + name + ", " + name + "_axis)");
}

void quantize_body(BodyBuilder& b) {
  add_parameter(b, 1, "y_scale");
  if (b.has_input(2)) add_parameter(b, 2, "y_zero_point");
  b.add(std::string("y = QuantizeLinear <axis: int = @axis, precision = 1> (x, y_scale_given") +
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
