// Blocks of channels as blocks of the plane, and back.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DepthToSpace, SpaceToDepth;

}  // namespace norn::ops
