// MatMul, Gemm and Conv with what ONNX Runtime fuses into them.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator FusedConv, FusedGemm, FusedMatMul;

}  // namespace norn::ops::microsoft
