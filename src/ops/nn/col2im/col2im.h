// Blocks of columns summed back into an image.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Col2Im;

}  // namespace norn::ops
