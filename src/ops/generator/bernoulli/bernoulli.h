// Ones with given probabilities, zeros else.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Bernoulli;

}  // namespace norn::ops
