// Leaky rectification with a learned slope.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator PRelu;

}  // namespace norn::ops
