// Values that may be absent.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Optional, OptionalGetElement, OptionalHasElement;

}  // namespace norn::ops
