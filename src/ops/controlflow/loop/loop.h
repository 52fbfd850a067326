// A graph repeated a number of times, while a condition holds.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Loop;

}  // namespace norn::ops
