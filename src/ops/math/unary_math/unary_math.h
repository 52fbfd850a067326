// One tensor in, one of the same type and shape out, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Relu, Abs, Neg, Exp, Sqrt, Erf, Sigmoid, Tanh, Softsign;

}  // namespace norn::ops
