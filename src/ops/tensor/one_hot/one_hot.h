// Class numbers as vectors with one element on.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator OneHot;

}  // namespace norn::ops
