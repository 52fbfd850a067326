// Which elements are infinite or not a number.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator IsInf, IsNaN;

}  // namespace norn::ops
