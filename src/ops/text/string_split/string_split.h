// Strings cut at a delimiter.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator StringSplit;

}  // namespace norn::ops
