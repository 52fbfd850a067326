// The matrix from spectrum bins to mel bands.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MelWeightMatrix;

}  // namespace norn::ops
