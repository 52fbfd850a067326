// Positions as rotations, in ONNX Runtime's form: the order of inputs and the shape of positions differ from ONNX's.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator RotaryEmbedding;

// How many elements of a head are turned; 0: all of them, as many as the caches have.
std::int64_t resolve_rotary_size(const opset::NodeView& node);

}  // namespace norn::ops::microsoft
