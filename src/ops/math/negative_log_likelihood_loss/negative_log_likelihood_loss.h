// The loss of log-probabilities against class numbers.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator NegativeLogLikelihoodLoss;

}  // namespace norn::ops
