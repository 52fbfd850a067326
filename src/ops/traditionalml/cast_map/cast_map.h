// A map's values as a tensor of one row.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CastMap;

struct CastMapParams {
  DataType type = DataType::Undefined;
  std::optional<std::int64_t> size;  // of the sparse form
};
CastMapParams resolve_cast_map(const opset::NodeView& node);

}  // namespace norn::ops
