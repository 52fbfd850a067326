// The upper or lower triangle of matrices, zero elsewhere.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Trilu;

}  // namespace norn::ops
