// Elements of the last axis by position.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ArrayFeatureExtractor;

}  // namespace norn::ops
