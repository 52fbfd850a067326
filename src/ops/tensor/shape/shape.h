// `Shape` alone would hide norn::Shape inside norn::ops, so the operator is ShapeOp.
#pragma once
#include <span>

#include "opset/dim_expr.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ShapeOp;
extern const opset::Operator Size;

// Number of elements; 0 if a dimension is known to be 0, however large the others are.
opset::DimExpr product(std::span<const opset::DimExpr> dims);

}  // namespace norn::ops
