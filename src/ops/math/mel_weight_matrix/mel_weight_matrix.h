// The matrix from spectrum bins to mel bands.
#pragma once
#include <optional>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MelWeightMatrix;

struct MelParams {
  DataType type;
  std::optional<opset::DimExpr> bands, dft_length, sample_rate;  // nothing if they are not known
};
MelParams resolve_mel_weight_matrix(const opset::NodeView& node);

}  // namespace norn::ops
