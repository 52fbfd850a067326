// Add, Sub, Mul and Div.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Add, Sub, Mul, Div;

}  // namespace norn::ops
