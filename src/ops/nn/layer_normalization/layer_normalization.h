// Normalisation over the last axes, by mean and variance or by the root of the mean square.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::opset {
class ReferenceContext;
}  // namespace norn::opset

namespace norn::ops {

extern const opset::Operator LayerNormalization;

// What LayerNormalization and RMSNormalization have in common.
struct RowNormParams {
  std::int64_t axis = 0;  // the first of the axes that are normalised; as the node gives it if X's rank is not known
  float epsilon = 0;
  DataType stash = DataType::Float;
};
RowNormParams resolve_row_norm(const opset::NodeView& node);
// The type, which is a floating one, in which a normalisation computes.
DataType resolve_stash_type(const opset::NodeView& node);
// Scale and bias broadcast to X: throws if input `i` is known not to, and else says which sizes are equal for it.
void require_row_factor(const opset::NodeView& node, int i);
// The reference kernel of both.
void row_norm_ref(opset::ReferenceContext& ctx, bool root_mean_square);

}  // namespace norn::ops
