// Strings cut into tokens, as exporters of text vectorizers write it.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Tokenizer;

// Throws norn::Error for attributes that do not say how to split.
void check_tokenizer(const opset::NodeView& node);

}  // namespace norn::ops::microsoft
