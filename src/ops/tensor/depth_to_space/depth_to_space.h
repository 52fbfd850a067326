// Blocks of channels as blocks of the plane, and back.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DepthToSpace, SpaceToDepth;

struct BlockParams {
  std::int64_t size = 1;  // of a block's side; its square fits into 64 bits
  bool is_crd = false;    // the channels of a block's places lie together (CRD), not apart (DCR)
};
BlockParams resolve_blocks(const opset::NodeView& node);

}  // namespace norn::ops
