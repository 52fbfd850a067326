// Slices picked by rows of indices.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GatherND;

}  // namespace norn::ops
