// The trigonometric and hyperbolic functions and their inverses, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh;

}  // namespace norn::ops
