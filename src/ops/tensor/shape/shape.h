// Where `Shape` alone means this operator, the type is spelled norn::Shape.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Shape;
extern const opset::Operator Size;

}  // namespace norn::ops
