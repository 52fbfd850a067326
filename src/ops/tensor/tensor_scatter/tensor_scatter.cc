// A piece written into a cache, at a place of its own for each batch entry. Mode circular wraps around the end of the
// axis, which is the second last by default.
#include "ops/tensor/tensor_scatter/tensor_scatter.h"

#include <string>

#include "base/text.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace tensor_scatter_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "past_cache", .type = "T", .diff = kDiff},
    {.name = "update", .type = "T", .diff = kDiff},
    {.name = "write_indices",
     .type = "tensor(int64)",
     .option = ParamOption::Optional,
     .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "present_cache", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-2)},
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("linear")},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllIr12)}};

constexpr Schema kTensorScatter[] = {
    {.since = 24, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_tensor_scatter(InferContext& ctx) {
  same_as_input(ctx);
  ctx.require_rank(2, 1);
  for (const int i : {0, 1}) {
    if (!ctx.has_rank(i)) continue;
    ctx.require_rank(1 - i, ctx.rank(i));
    const auto axis = static_cast<std::size_t>(resolve_tensor_scatter(ctx, ctx.rank(i)).axis);
    if (ctx.has_rank(2)) ctx.unify(ctx.shape(i)[0], ctx.shape(2)[0], "the batch and size of write_indices");
    if (i == 1 || !ctx.has_rank(1)) continue;
    for (std::size_t d = 0; d < ctx.shape(0).size(); ++d) {
      const DimExpr &size = ctx.shape(0)[d], &written = ctx.shape(1)[d];
      if (d != axis)
        ctx.unify(size, written, "sizes of past_cache and update");
      else if (size.is_constant() && written.is_constant() && written.constant() > size.constant())
        ctx.fail("the update has " + written.to_string() + " positions along axis " + std::to_string(axis) +
                 ", the cache only " + size.to_string());
    }
  }
}

}  // namespace
}  // namespace tensor_scatter_cc

TensorScatterParams resolve_tensor_scatter(const NodeView& node, std::int64_t rank) {
  const std::string mode = node.attrs().s("mode");
  if (mode != "linear" && mode != "circular")
    node.fail("mode is " + base::quoted(mode), "it has to be linear or circular");
  const TensorScatterParams p{.axis = node.axis(rank), .circular = mode == "circular"};
  if (p.axis == 0) node.fail("axis names the first dimension, which is the batch");
  return p;
}

constinit const Operator TensorScatter = {
    .name = "TensorScatter", .history = kTensorScatter, .infer = infer_tensor_scatter, .moves = Movement::Mixed};

void tensor_scatter_schemas(SchemaTable& table) { table.add(TensorScatter); }

}  // namespace norn::ops
