#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Pad;

}  // namespace norn::ops
