// Broadcasting to a given shape. It goes both ways: a 1 in the shape keeps the input's size, so the output may be
// larger than the shape says.
#include "ops/math/expand/expand.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace expand_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs8[] = {{.name = "input", .type = "T"}, {.name = "shape", .type = "tensor(int64)"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "shape", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs8[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes8[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kExpand[] = {
    {.since = 8, .inputs = kInputs8, .outputs = kOutputs8, .types = kTypes8},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

void infer_expand(InferContext& ctx) {
  const DataType elem = ctx.elem(0);
  if (const auto shape = resolve_expand(ctx); shape && ctx.has_rank(0)) {
    ctx.set(0, elem, broadcast(ctx, ctx.shape(0), *shape));
  } else if (ctx.has_rank(0) && ctx.has_rank(1) && ctx.rank(1) == 1 && ctx.shape(1)[0].is_constant() &&
             ctx.shape(1)[0].constant() <= kMostDims) {
    ctx.explain("the contents of shape are not known");
    Dims wanted;
    while (wanted.size() < static_cast<std::size_t>(ctx.shape(1)[0].constant())) wanted.push_back(ctx.fresh_dim());
    ctx.set(0, elem, broadcast(ctx, ctx.shape(0), wanted));
  } else if (elem != DataType::Undefined) {
    if (ctx.has_rank(0) && ctx.has_rank(1)) ctx.explain("neither the contents of shape nor its length are known");
    ctx.set(0, elem);
  }
}

}  // namespace
}  // namespace expand_cc

std::optional<Dims> resolve_expand(const NodeView& node) {
  auto shape = node.known_ints(1);
  for (const DimExpr& d : shape ? *shape : Dims())
    if (d.is_constant() && d.constant() < 0) node.fail("the shape " + to_string(*shape) + " has a negative size");
  return shape;
}

constinit const Operator Expand = {
    .name = "Expand", .history = kExpand, .infer = infer_expand, .moves = Movement::First};

void expand_schemas(SchemaTable& table) { table.add(Expand); }

}  // namespace norn::ops
