#pragma once
#include <string_view>

#include "opset/infer_context.h"
#include "opset/reference.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SequenceConstruct;
extern const opset::Operator SequenceAt;

// A type that values of both types have: equal sizes stay, others become unknown; different ranks leave the rank
// unknown, and so does one type of which nothing is known. Throws through `ctx` if the kinds or element types differ;
// `what` names the two in the message.
opset::ValueType common_type(opset::InferContext& ctx, const opset::ValueType& a, const opset::ValueType& b,
                             std::string_view what);

// The type of one element taken from a sequence. A size that inference does not know differs from element to element,
// so every one taken gets sizes of its own.
opset::ValueType element_of(opset::InferContext& ctx, const opset::ValueType& sequence);

// A position in a sequence is one integer: throws if the input is known to be something else.
void require_position(const opset::NodeView& node, int input);
// That of a sequence of `size`, counted from the front; `size` itself is a position if `inclusive`.
std::int64_t sequence_position(const opset::ReferenceContext& ctx, int input, std::int64_t size,
                               bool inclusive = false);

}  // namespace norn::ops
