// One where an element is greater than a threshold, zero elsewhere.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Binarizer;

}  // namespace norn::ops
