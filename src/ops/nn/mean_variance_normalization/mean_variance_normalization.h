// Mean zero and variance one over axes.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MeanVarianceNormalization;

}  // namespace norn::ops
