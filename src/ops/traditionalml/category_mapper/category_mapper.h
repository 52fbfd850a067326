// Strings to numbers or numbers to strings, by a table.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CategoryMapper;

}  // namespace norn::ops
