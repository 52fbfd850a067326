#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator NonZero;

}  // namespace norn::ops
