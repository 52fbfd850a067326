// Log, Reciprocal and Sign, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Log, Reciprocal, Sign;

}  // namespace norn::ops
