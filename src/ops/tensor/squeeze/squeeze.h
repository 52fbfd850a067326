#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Squeeze;
extern const opset::Operator Unsqueeze;

}  // namespace norn::ops
