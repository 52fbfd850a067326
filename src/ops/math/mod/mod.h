// Remainders, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Mod;

}  // namespace norn::ops
