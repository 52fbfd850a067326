// Forests of decision trees.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor;

}  // namespace norn::ops
