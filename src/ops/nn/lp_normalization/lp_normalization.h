// Division by the p-norm along an axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LpNormalization;

}  // namespace norn::ops
