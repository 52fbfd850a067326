// Categories as vectors with a one.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator OneHotEncoder;

}  // namespace norn::ops
