// Maximum pooling of regions into a fixed size.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxRoiPool;

}  // namespace norn::ops
