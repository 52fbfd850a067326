// Normalisation by the root of the mean square over the last axes.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RMSNormalization;

}  // namespace norn::ops
