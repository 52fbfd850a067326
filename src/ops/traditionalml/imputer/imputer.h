// A marked value replaced.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Imputer;

}  // namespace norn::ops
