// A sequence's tensors joined along an axis, or along a new one.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConcatFromSequence;

}  // namespace norn::ops
