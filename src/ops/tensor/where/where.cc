// One of two tensors' elements, by a condition. All three inputs broadcast together.
#include "ops/tensor/where/where.h"

#include <optional>
#include <utility>

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

// Integers that are known whichever of the two they are: by the condition, or since both are the same.
std::optional<Dims> known_choice(const InferContext& ctx) {
  const Dims *x = ctx.ints(1), *y = ctx.ints(2);
  const norn::Tensor* condition = ctx.constant(0);
  if (!x || !y) return {};
  const bool known = condition && condition->rank() <= 1;
  if (!known && !(ctx.has_rank(0) && ctx.rank(0) == 0)) return {};
  const std::size_t conditions = known ? static_cast<std::size_t>(condition->size()) : 1;
  std::size_t n = 1;
  for (const std::size_t size : {conditions, x->size(), y->size()}) {
    if (size == 1 || size == n) continue;
    if (n != 1) return {};
    n = size;
  }
  Dims result;
  for (std::size_t i = 0; i < n; ++i) {
    const DimExpr &of_x = (*x)[x->size() == 1 ? 0 : i], &of_y = (*y)[y->size() == 1 ? 0 : i];
    if (known)
      result.push_back(condition->as<bool>()[conditions == 1 ? 0 : i] ? of_x : of_y);
    else if (of_x == of_y)
      result.push_back(of_x);
    else
      return {};
  }
  return result;
}

void infer_where(InferContext& ctx) {
  const DataType elem = ctx.elem(1) != DataType::Undefined ? ctx.elem(1) : ctx.elem(2);
  if (ctx.has_rank(0) && ctx.has_rank(1) && ctx.has_rank(2))
    ctx.set(0, elem, broadcast(ctx, ctx.shape(0), broadcast(ctx, ctx.shape(1), ctx.shape(2))));
  else if (elem != DataType::Undefined)
    ctx.set(0, elem);
  if (auto ints = known_choice(ctx)) ctx.set_ints(0, *std::move(ints));
}

}  // namespace

constinit const Operator Where = {.name = "Where", .history = kWhere, .infer = infer_where};

void where_schemas(SchemaTable& table) { table.add(Where); }

}  // namespace norn::ops
