// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::opset {
class InferContext;
}

namespace norn::ops {

extern const opset::Operator Conv;

// What convolutions of several kinds have in common; a shape is empty where its rank is not known.
using KnownShape = std::optional<opset::Dims>;
// The attribute group, which is above 0.
std::int64_t conv_group(const opset::NodeView& node);
// The rank that all of these inputs have, and that kernel_shape has unless it is empty; nothing if none is known.
std::optional<std::size_t> conv_rank(const opset::NodeView& node,
                                     std::initializer_list<std::pair<std::string_view, const KnownShape*>> inputs);
// The spatial sizes of the filters, which kernel_shape repeats.
KnownShape conv_kernel(const opset::NodeView& node, const KnownShape& w);
// How many filters W has, in groups that fit the channels of X: [filters, channels of a group, ...].
std::optional<opset::DimExpr> conv_filters(const opset::NodeView& node, const KnownShape& x, const KnownShape& w);

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
