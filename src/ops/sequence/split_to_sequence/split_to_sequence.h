// A tensor cut along an axis into a sequence.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SplitToSequence;

}  // namespace norn::ops
