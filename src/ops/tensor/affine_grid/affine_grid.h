// A grid of sampling points from affine maps.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator AffineGrid;

}  // namespace norn::ops
