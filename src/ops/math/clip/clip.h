// Values limited to an interval.
#pragma once
#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Clip;

struct ClipBound {
  bool given = false;
  norn::Tensor number;  // undefined if it is not known
};
struct ClipParams {
  ClipBound low, high;
};
ClipParams resolve_clip(const opset::NodeView& node);

}  // namespace norn::ops
