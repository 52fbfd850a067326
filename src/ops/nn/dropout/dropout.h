// Elements set to zero at random while training.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Dropout;

struct DropoutParams {
  std::optional<bool> training;       // nothing if it is not known
  std::optional<double> ratio;        // alike
  std::optional<std::uint32_t> seed;  // where the node gives one
};
DropoutParams resolve_dropout(const opset::NodeView& node);

}  // namespace norn::ops
