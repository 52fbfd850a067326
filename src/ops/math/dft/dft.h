// The discrete Fourier transform along an axis.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DFT;

struct DftParams {
  bool inverse, onesided;
  std::optional<std::int64_t> axis;      // counted from the front; nothing if it is not known
  std::optional<opset::DimExpr> length;  // of the transform; nothing if it is not known

  bool to_real() const { return inverse && onesided; }
  opset::DimExpr output_size() const;  // along the axis; requires the length
};
// For an input of these dimensions.
DftParams resolve_dft(const opset::NodeView& node, const opset::Dims& dims);

}  // namespace norn::ops
