// Matrix product of 8-bit integers into 32 bits.
#pragma once
#include "norn/types.h"
#include "opset/infer_context.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MatMulInteger;

// Along which of a quantized matrix' dimensions scales and zero points run, where they are more than one number.
enum class By { Row, Column };
// The shape in which a scale or zero point of shape `given` broadcasts to a `matrix`, whose leading dimensions are a
// batch; none for one number. A list has an element for each row or column; a tensor of the matrix's rank has a 1 where
// the rows' elements, or the columns', lie.
opset::Dims resolve_by(const opset::NodeView& node, const opset::Dims& matrix, const opset::Dims& given, By by);
// Checks two inputs so, as far as their shapes are known.
void infer_by(opset::InferContext& ctx, int matrix, int given, By by);

}  // namespace norn::ops
