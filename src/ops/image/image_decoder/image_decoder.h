// An image from the bytes of a file.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ImageDecoder;

}  // namespace norn::ops
