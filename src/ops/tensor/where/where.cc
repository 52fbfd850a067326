// One of two tensors' elements, by a condition. All three inputs broadcast together.
#include "ops/tensor/where/where.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "condition", .type = "B", .diff = Differentiability::NonDifferentiable},
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "Y", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes9[] = {{"B", tensors(types::kBool)}, {"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes16[] = {{"B", tensors(types::kBool)}, {"T", tensors(types::kAllBf)}};

constexpr Schema kWhere[] = {
    {.since = 9, .inputs = kInputs, .outputs = kOutputs, .types = kTypes9},
    {.since = 16, .inputs = kInputs, .outputs = kOutputs, .types = kTypes16, .same_meaning = true},
};

void infer_where(InferContext& ctx) {
  const DataType elem = ctx.elem(1) != DataType::Undefined ? ctx.elem(1) : ctx.elem(2);
  if (ctx.has_rank(0) && ctx.has_rank(1) && ctx.has_rank(2))
    ctx.set(0, elem, broadcast(ctx, ctx.shape(0), broadcast(ctx, ctx.shape(1), ctx.shape(2))));
  else if (elem != DataType::Undefined)
    ctx.set(0, elem);
}

}  // namespace

constinit const Operator Where = {.name = "Where", .history = kWhere, .infer = infer_where};

void where_schemas(SchemaTable& table) { table.add(Where); }

}  // namespace norn::ops
