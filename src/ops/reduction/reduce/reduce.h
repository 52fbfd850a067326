// The operators of this slice, for other rooms to name.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ReduceMean;
extern const opset::Operator ReduceSum;
extern const opset::Operator ReduceMax;
extern const opset::Operator ReduceMin;
extern const opset::Operator ReduceProd;
extern const opset::Operator ReduceL1;
extern const opset::Operator ReduceL2;
extern const opset::Operator ReduceLogSum;
extern const opset::Operator ReduceLogSumExp;
extern const opset::Operator ReduceSumSquare;

}  // namespace norn::ops
