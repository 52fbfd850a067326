// Interpolation to larger sizes, by the operator that came before Resize.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Upsample;

}  // namespace norn::ops
