// Einstein summation.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Einsum;

// The equation, with a label for each axis: 0 to 51 are letters in ASCII order, from 52 on the axes of the ellipsis.
struct EinsumParams {
  std::vector<std::vector<int>> inputs;    // without axes for an ellipsis whose rank is not known
  std::optional<std::vector<int>> output;  // nothing if it has an ellipsis of unknown rank
};
// For inputs of these ranks, negative where they are not known.
EinsumParams resolve_einsum(const opset::NodeView& node, const std::vector<std::int64_t>& ranks);
// What each label stands for; nothing where it is not known. Throws if the inputs do not fit together.
using EinsumSizes = std::map<int, std::optional<opset::DimExpr>>;
EinsumSizes resolve_einsum_sizes(const opset::NodeView& node, const EinsumParams& params);

}  // namespace norn::ops
