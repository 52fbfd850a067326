// Building and changing sequences.
#pragma once
#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SequenceEmpty, SequenceErase, SequenceInsert, SequenceLength;

// The element type of an empty sequence.
DataType resolve_sequence_empty(const opset::NodeView& node);

}  // namespace norn::ops
