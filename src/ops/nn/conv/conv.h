// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::opset {
class InferContext;
}

namespace norn::ops {

extern const opset::Operator Conv;

struct ConvParams {
  std::int64_t group;
  Window window;
};
// For an input and filters of these shapes. Throws if they do not fit together.
ConvParams resolve_conv(const opset::NodeView& node, const norn::Shape& x, const norn::Shape& w);
// Output 0, of type `elem`, from the inputs of these numbers; one that is not there is omitted. Returns its shape, as
// far as it is known.
std::optional<opset::Dims> infer_conv(opset::InferContext& ctx, int x, int w, int bias, DataType elem);

}  // namespace norn::ops
