// Products with a constant matrix of 2, 4 or 8 bits an element, which has a scale for each block of a column.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator MatMulNBits;

}  // namespace norn::ops::microsoft
