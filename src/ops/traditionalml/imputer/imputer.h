// A marked value replaced.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Imputer;

// Of one element, or as many as the last axis has; the list that X's type does not need is empty.
struct ImputerParams {
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  float replaced_float;
  std::int64_t replaced_int;
};
ImputerParams resolve_imputer(const opset::NodeView& node, DataType type, std::optional<std::int64_t> features);

}  // namespace norn::ops
