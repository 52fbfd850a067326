// The operators of this slice, for other rooms to name.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Gemm;

}  // namespace norn::ops
