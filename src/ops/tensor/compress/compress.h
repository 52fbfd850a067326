// The slices that a list of booleans chooses.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Compress;

}  // namespace norn::ops
