// Linear models.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LinearClassifier, LinearRegressor;

}  // namespace norn::ops
