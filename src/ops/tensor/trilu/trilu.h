// The upper or lower triangle of matrices, zero elsewhere.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Trilu;

struct TriluParams {
  bool upper;                     // elements on the diagonal and above it stay, else those on it and below
  std::optional<std::int64_t> k;  // the diagonal: how far it lies above the main one; nothing if it is not known
};
TriluParams resolve_trilu(const opset::NodeView& node);

}  // namespace norn::ops
