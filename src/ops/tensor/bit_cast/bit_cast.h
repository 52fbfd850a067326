// The same bits under another element type.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BitCast;

}  // namespace norn::ops
