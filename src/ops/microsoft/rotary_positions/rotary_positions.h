// Positions as rotations, in ONNX Runtime's form: the order of inputs and the shape of positions differ from ONNX's.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator RotaryEmbedding;

}  // namespace norn::ops::microsoft
