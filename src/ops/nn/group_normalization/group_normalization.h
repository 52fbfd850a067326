// Normalisation of groups of channels.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GroupNormalization;

struct GroupNormParams {
  std::int64_t groups = 0;
  std::optional<DataType> stash;  // nothing: X's own, before version 21
};
GroupNormParams resolve_group_norm(const opset::NodeView& node);

}  // namespace norn::ops
