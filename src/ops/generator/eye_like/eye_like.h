// An identity matrix of another matrix's shape.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator EyeLike;

}  // namespace norn::ops
