// A map's values in the order of a vocabulary.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DictVectorizer;

}  // namespace norn::ops
