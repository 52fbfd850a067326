// A graph run along an axis of its inputs, with state.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Scan;

}  // namespace norn::ops
