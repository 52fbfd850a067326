#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Slice;

}  // namespace norn::ops
