// Two tensors of strings joined, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator StringConcat;

}  // namespace norn::ops
