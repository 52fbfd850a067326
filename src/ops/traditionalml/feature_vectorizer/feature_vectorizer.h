// Several inputs side by side as floats.
#pragma once
#include <cstdint>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator FeatureVectorizer;

// How many columns each input has in the output; empty: those that it has.
std::vector<std::int64_t> resolve_feature_vectorizer(const opset::NodeView& node, int inputs);

}  // namespace norn::ops
