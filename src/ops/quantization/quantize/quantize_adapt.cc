// Version steps of QuantizeLinear. Upwards a step is needed once: up to 18 the scale is a float beside an x of int32,
// from 19 on it has x's type, and from 23 on a type of its own.
#include <cstring>

#include "ops/quantization/quantize/quantize.h"
#include "ops/quantization/quantize/quantize_adapt.h"
#include "ops/tensor/cast/cast.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace quantize_adapt_cc {
namespace {

using namespace transform;

void float_x(NodeEdit& edit) {
  const DataType x = edit.input_type(0).elem;
  if (x == DataType::Undefined)
    edit.cannot("x may be of int32 or float, and the new version distinguishes int32 from float");
  if (x == DataType::Int32) edit.wrap_input(0, Cast, 13, {make_attr("to", static_cast<std::int64_t>(DataType::Float))});
}

void down_19_13(NodeEdit& edit) {
  require_float_scale(edit);
  edit.remove_attr("saturate");  // it concerns types that came with it
}

// 21 -> 19: the zero point determines the type.
void down_21_19(NodeEdit& edit) {
  drop_blocks(edit);
  const std::int64_t to = edit.attrs().i("output_dtype");
  edit.remove_attr("output_dtype");
  if (to == 0 || to == static_cast<std::int64_t>(DataType::Uint8) || edit.has_input(2)) return;
  if (to < 0 || to >= kDataTypeCount) edit.cannot("output_dtype is not an element type");
  Shape dims;
  const opset::ValueType& scale = edit.input_type(1);
  if (!scale.has_rank()) edit.cannot("the type needs a zero point of the scale's shape, which is not known");
  for (const opset::DimExpr& d : *scale.shape) {
    if (!d.is_constant()) edit.cannot("the type needs a zero point of the scale's shape, which is not known");
    dims.push_back(d.constant());
  }
  Tensor zeros(static_cast<DataType>(to), dims);
  std::memset(zeros.mutable_data(), 0, zeros.bytes());
  edit.set_input(2, zeros);
}

void down_23_21(NodeEdit& edit) {
  const DataType x = edit.input_type(0).elem, scale = edit.input_type(1).elem;
  if (x == DataType::Undefined || x != scale) edit.cannot("before version 23 x and y_scale are of one type");
  const std::int64_t precision = edit.attrs().i("precision");
  if (precision != 0 && precision != static_cast<std::int64_t>(scale))
    edit.cannot("before version 23 the precision is that of y_scale's type");
  edit.remove_attr("precision");
}

}  // namespace
}  // namespace quantize_adapt_cc

void require_one_scale(NodeEdit& edit) {
  const opset::ValueType& scale = edit.input_type(1);
  const bool single = scale.has_rank() &&
                      (scale.shape->empty() || (scale.shape->size() == 1 && (*scale.shape)[0] == opset::DimExpr(1)));
  if (!single) edit.cannot("before version 13 there is one scale for the whole tensor, and this may be another");
}

void drop_scale_axis(NodeEdit& edit) {
  require_one_scale(edit);
  edit.remove_attr("axis");
}

void drop_blocks(NodeEdit& edit) {
  const bool scalar = edit.input_rank(1) == std::optional<std::int64_t>(0);
  if (edit.attrs().i("block_size") != 0 && !scalar) edit.cannot("before version 21 there are no blocks");
  edit.remove_attr("block_size");
}

void require_float_scale(NodeEdit& edit) {
  if (edit.input_type(1).elem != DataType::Float) edit.cannot("before version 19 the scale is a float");
}

void quantize_steps(StepTable& table) {
  table.add(QuantizeLinear, 10, 13, require_one_scale, drop_scale_axis);
  table.add(QuantizeLinear, 13, 19, float_x, down_19_13);
  table.add(QuantizeLinear, 19, 21, unchanged, down_21_19);
  table.add(QuantizeLinear, 21, 23, unchanged, down_23_21);
  table.keeps(QuantizeLinear, 10, "the scale's shape is not known; since 13 a list runs along an axis");
  table.keeps(QuantizeLinear, 13, "x's type is not known; int32 is cast to float");
}

}  // namespace norn::ops
