// The Fourier transform of overlapping frames.
#pragma once
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator STFT;

struct StftParams {
  bool onesided;
  std::optional<opset::DimExpr> step, length;  // of frames, in samples; nothing if they are not known
};
// For a signal, of rank 3, and a window, of rank 1, of these dimensions; null if they are not known or omitted.
StftParams resolve_stft(const opset::NodeView& node, const opset::Dims* signal, const opset::Dims* window);

}  // namespace norn::ops
