// Attention as ONNX Runtime fuses it: with the projection of its inputs, masks of many shapes, caches of keys and
// values, and rotary positions.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Attention, GroupQueryAttention, MultiHeadAttention, QAttention;

}  // namespace norn::ops::microsoft
