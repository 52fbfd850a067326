// Normalisation over the last axes.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LayerNormalization;

}  // namespace norn::ops
