// Several inputs side by side as floats.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator FeatureVectorizer;

}  // namespace norn::ops
