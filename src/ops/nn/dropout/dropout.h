// Elements set to zero at random while training.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Dropout;

}  // namespace norn::ops
