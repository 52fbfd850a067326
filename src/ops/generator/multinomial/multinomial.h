// Class numbers drawn by unnormalised log-probabilities.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Multinomial;

}  // namespace norn::ops
