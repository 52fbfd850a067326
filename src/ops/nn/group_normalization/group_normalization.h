// Normalisation of groups of channels.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GroupNormalization;

}  // namespace norn::ops
