// Attention whose scores graphs change.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator FlexAttention;

}  // namespace norn::ops
