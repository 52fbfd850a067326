// A tensor repeated along its axes.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Tile;

}  // namespace norn::ops
