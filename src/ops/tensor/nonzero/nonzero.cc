// NonZero: indices of the elements that are not zero, one row per dimension; their number depends on the contents. A
// scalar has no dimensions, so its result is [0, 0] or [0, 1].
#include "ops/tensor/nonzero/nonzero.h"

#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace nonzero_cc {
namespace {

constexpr Param kInputs9[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "X", .type = "T", .diff = Differentiability::NonDifferentiable}};
constexpr Param kOutputs9[] = {{.name = "Y", .type = "tensor(int64)"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kNonZero[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .types = kTypes9},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

void infer_nonzero(InferContext& ctx) {
  const DimExpr rows = ctx.has_rank(0) ? DimExpr(ctx.rank(0)) : ctx.fresh_dim();
  ctx.set(0, DataType::Int64, {rows, ctx.fresh_dim("it is the number of elements that are not zero")});
}

}  // namespace
}  // namespace nonzero_cc

constinit const Operator NonZero = {.name = "NonZero", .history = kNonZero, .infer = infer_nonzero};

void nonzero_schemas(SchemaTable& table) { table.add(NonZero); }

}  // namespace norn::ops
