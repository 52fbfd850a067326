// Powers, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Pow;

}  // namespace norn::ops
