// Normalisation of each channel of each batch entry.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator InstanceNormalization;

}  // namespace norn::ops
