// Attention with a recurrent state instead of a matrix of scores.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LinearAttention;

}  // namespace norn::ops
