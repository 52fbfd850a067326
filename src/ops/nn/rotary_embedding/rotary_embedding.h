// Positions as rotations of pairs of elements.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RotaryEmbedding;

}  // namespace norn::ops
