// Slices written into a copy of a tensor.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ScatterND;

}  // namespace norn::ops
