// Rounding to integers that stay floating.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Ceil, Floor, Round;

}  // namespace norn::ops
