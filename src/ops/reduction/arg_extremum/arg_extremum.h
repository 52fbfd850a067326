// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ArgMax;
extern const opset::Operator ArgMin;

struct ArgExtremumParams {
  std::int64_t axis;  // counted from the front
  bool keepdims;
  bool last;  // of several extrema the last counts, not the first
};
ArgExtremumParams resolve_arg_extremum(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
