// One of two tensors' elements, by a condition. All three inputs broadcast together.
#include "ops/tensor/where/where.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace where_cc {
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

// More of them are data.
constexpr std::int64_t kMostConditions = 1024;

// How many conditions there are, if they are a scalar or a vector of a known length.
std::optional<std::size_t> condition_count(const InferContext& ctx) {
  if (!ctx.has_rank(0) || ctx.rank(0) > 1) return {};
  if (ctx.rank(0) == 0) return 1;
  const DimExpr& length = ctx.shape(0)[0];
  if (!length.is_constant() || length.constant() < 0 || length.constant() > kMostConditions) return {};
  return static_cast<std::size_t>(length.constant());
}

// Integers as far as they are known whichever of the two they are: by the condition, or since both are the same.
std::optional<Dims> known_choice(InferContext& ctx) {
  if (!ctx.ints(1) && !ctx.ints(2)) return {};
  const auto count = condition_count(ctx);
  if (!count) return {};
  const std::size_t conditions = *count;
  const norn::Tensor* condition = ctx.constant(0);
  const bool known = condition && condition->size() == static_cast<std::int64_t>(conditions);
  const auto x = ctx.partly_known_ints(1), y = ctx.partly_known_ints(2);
  if (!x || !y) return {};
  std::size_t n = 1;
  for (const std::size_t size : {conditions, x->size(), y->size()}) {
    if (size == 1 || size == n) continue;
    if (n != 1) return {};
    n = size;
  }
  std::vector<const DimExpr*> chosen(n, nullptr);
  for (std::size_t i = 0; i < n; ++i) {
    const DimExpr &of_x = (*x)[x->size() == 1 ? 0 : i], &of_y = (*y)[y->size() == 1 ? 0 : i];
    if (known)
      chosen[i] = condition->as<bool>()[conditions == 1 ? 0 : i] ? &of_x : &of_y;
    else if (of_x == of_y)
      chosen[i] = &of_x;
  }
  const auto is_open = [](const DimExpr* e) { return !e; };
  if (n > 0 && std::all_of(chosen.begin(), chosen.end(), is_open)) return {};
  Dims result;
  for (const DimExpr* e : chosen) result.push_back(e ? *e : ctx.fresh_int("it depends on the condition"));
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
}  // namespace where_cc

constinit const Operator Where = {.name = "Where", .history = kWhere, .infer = infer_where, .moves = Movement::Mixed};

void where_schemas(SchemaTable& table) { table.add(Where); }

}  // namespace norn::ops
