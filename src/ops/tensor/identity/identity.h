// The value itself.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Identity;

}  // namespace norn::ops
