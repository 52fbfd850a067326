// What pooling operators share: a window that goes over each plane of N x C x D1 x ... x Dn, or the whole plane.
#pragma once
#include <cstdint>
#include <vector>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {

struct PoolParams {
  std::vector<std::int64_t> kernel;
  bool ceil_mode;
  bool count_include_pad;  // an average counts the padding
  bool column_major;       // how indices of maxima are counted
};
// What an operator's version does not declare is false.
PoolParams resolve_pool(const opset::NodeView& node);
// The window over an input of shape `x`. Throws if they do not fit together.
Window pool_window(const opset::NodeView& node, const PoolParams& params, const norn::Shape& x);

// The attribute p of a norm, a float in version 1. Throws if it is not positive.
double norm_order(const opset::NodeView& node);

// Output 0, and where it is wanted an int64 output 1, have an element for each position of the window.
void infer_pool(opset::InferContext& ctx);
// Output 0 has one element for each plane; the rank stays.
void infer_global_pool(opset::InferContext& ctx);

}  // namespace norn::ops
