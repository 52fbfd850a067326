// Rows divided by their norm.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Normalizer;

}  // namespace norn::ops
