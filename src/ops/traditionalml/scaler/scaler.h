// (x - offset) * scale, for all columns or each.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Scaler;

}  // namespace norn::ops
