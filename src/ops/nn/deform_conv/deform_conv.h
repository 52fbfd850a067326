// Convolution whose taps move by offsets that are an input.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DeformConv;

}  // namespace norn::ops
