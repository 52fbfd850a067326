// Numbers from a start to a limit by a step.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Range;

}  // namespace norn::ops
