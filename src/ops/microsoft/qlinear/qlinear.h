// Operators on 8-bit integers: what ONNX says of floating-point numbers, between dequantising and quantising.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator NhwcMaxPool, QLinearAdd, QLinearAveragePool, QLinearConcat, QLinearGlobalAveragePool,
    QLinearLeakyRelu, QLinearMul, QLinearReduceMean, QLinearSigmoid, QLinearSoftmax, QLinearWhere;

}  // namespace norn::ops::microsoft
