// Building and changing sequences.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SequenceEmpty, SequenceErase, SequenceInsert, SequenceLength;

}  // namespace norn::ops
