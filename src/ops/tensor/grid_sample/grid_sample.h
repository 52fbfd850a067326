// Samples of an image at points of a grid.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GridSample;

}  // namespace norn::ops
