// A map's values as a tensor of one row.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CastMap;

}  // namespace norn::ops
