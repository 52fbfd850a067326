// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LRN;

struct LrnParams {
  std::int64_t size;
  float alpha, beta, bias;
};
LrnParams resolve_lrn(const opset::NodeView& node);

}  // namespace norn::ops
