// Support vector machines.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SVMClassifier, SVMRegressor;

}  // namespace norn::ops
