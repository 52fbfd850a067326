// A graph applied to each element of sequences.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SequenceMap;

}  // namespace norn::ops
