// Softmax, LogSoftmax and Hardmax. Before 13 the input is seen as a matrix, cut at `axis` (default 1): a sum, or the
// search for the greatest, runs over that axis and all after it. From 13 on it runs along `axis` (default -1) alone.
// Negative axes came with 11.
#include "ops/math/softmax/softmax.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace softmax_cc {
namespace {

using namespace opset;

constexpr Param kInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "input", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs1[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr Attr kAttrs13[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs13, .types = kTypes13},
};

void infer_softmax(InferContext& ctx) {
  if (ctx.has_rank(0)) resolve_softmax(ctx, ctx.rank(0));
  same_as_input(ctx);
}

}  // namespace
}  // namespace softmax_cc

SoftmaxParams resolve_softmax(const NodeView& node, std::int64_t rank) {
  const bool flattens = node.version() < 13;
  const std::int64_t axis = node.axis(rank, flattens);
  return {axis, flattens ? rank : axis + 1};
}

constinit const Operator Softmax = {.name = "Softmax", .history = kRows, .infer = infer_softmax};
constinit const Operator LogSoftmax = {.name = "LogSoftmax", .history = kRows, .infer = infer_softmax};
constinit const Operator Hardmax = {.name = "Hardmax", .history = kRows, .infer = infer_softmax};

void softmax_schemas(SchemaTable& table) {
  for (const Operator* op : {&Softmax, &LogSoftmax, &Hardmax}) table.add(*op);
}

}  // namespace norn::ops
