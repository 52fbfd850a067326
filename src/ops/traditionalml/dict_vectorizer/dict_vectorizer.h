// A map's values in the order of a vocabulary.
#pragma once
#include "ops/common/scores.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DictVectorizer;

// The vocabulary, for maps with keys of a type, which may be unknown.
Labels resolve_dict_vectorizer(const opset::NodeView& node, DataType keys);

}  // namespace norn::ops
