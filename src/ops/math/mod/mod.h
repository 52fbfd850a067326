// Remainders, element by element.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Mod;

// The attribute `fmod`: whether the quotient is cut, so that the remainder has the dividend's sign, not rounded down.
// Throws if it is neither 0 nor 1.
bool truncates_quotient(const opset::NodeView& node);

}  // namespace norn::ops
