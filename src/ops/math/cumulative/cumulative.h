// Running products and sums along an axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CumProd, CumSum;

}  // namespace norn::ops
