// Counts of n-grams, weighted or not.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TfIdfVectorizer;

}  // namespace norn::ops
