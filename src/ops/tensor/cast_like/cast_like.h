// Conversion to another tensor's element type.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CastLike;

}  // namespace norn::ops
