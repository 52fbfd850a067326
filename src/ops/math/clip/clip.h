// Values limited to an interval.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Clip;

}  // namespace norn::ops
