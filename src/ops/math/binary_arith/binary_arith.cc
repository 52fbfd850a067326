// Arithmetic of two tensors. Known integers are computed as expressions.
#include "ops/math/binary_arith/binary_arith.h"

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
};
constexpr Param kOutputs[] = {
    {.name = "C", .type = "T"},
};
constexpr Param kInputs13[] = {
    {.name = "A", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "B", .type = "T", .diff = Differentiability::Differentiable},
};
constexpr Param kOutputs13[] = {
    {.name = "C", .type = "T", .diff = Differentiability::Differentiable},
};
constexpr Attr kAttrs1[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "consumed_inputs", .type = ir::AttributeType::Ints},
};
constexpr Attr kAttrs6[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes1[] = {
    {"T", tensors(types::kFloat16To64)},
};
constexpr TypeConstraint kTypes6[] = {
    {"T", tensors(types::kWideInts | types::kFloat16To64)},
};
constexpr TypeConstraint kTypes13[] = {
    {"T", tensors(types::kWideInts | types::kFloats)},
};
constexpr TypeConstraint kTypes14[] = {
    {"T", tensors(types::kNumericBf)},
};

constexpr Schema kHistory[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs6, .types = kTypes6},
    {.since = 7, .inputs = kInputs, .outputs = kOutputs, .types = kTypes6},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
    {.since = 14, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes14, .same_meaning = true},
};

using Arithmetic = std::optional<DimExpr> (*)(const DimExpr&, const DimExpr&);

std::optional<DimExpr> add(const DimExpr& a, const DimExpr& b) { return a + b; }
std::optional<DimExpr> subtract(const DimExpr& a, const DimExpr& b) { return a - b; }
std::optional<DimExpr> multiply(const DimExpr& a, const DimExpr& b) { return a * b; }

bool known_nonnegative(const DimExpr& e) { return DimExpr::max(e, 0) == e; }

// Truncates towards zero, which only for non-negative operands is the floor.
std::optional<DimExpr> divide(const DimExpr& a, const DimExpr& b) {
  if (a.is_constant() && b.is_constant()) {
    if (b.constant() == 0 || b.constant() == -1)
      return b.constant() == 0 ? std::nullopt : std::optional(DimExpr(0) - a);
    return DimExpr(a.constant() / b.constant());
  }
  const bool divides = b.is_constant() ? b.constant() > 0 : DimExpr::max(b, 1) == b;
  if (divides && known_nonnegative(a)) return DimExpr::floor_div(a, b);
  return std::nullopt;
}

void infer_binary(InferContext& ctx, Arithmetic arithmetic) {
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  infer_pairs(ctx, elem);
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) return;
  const Dims *a = ctx.ints(0), *b = ctx.ints(1);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  const std::size_t n = a->size() == 1 ? b->size() : a->size();
  Dims result;
  try {
    for (std::size_t i = 0; i < n; ++i) {
      auto value = arithmetic((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
      if (!value) return;
      result.push_back(*std::move(value));
    }
  } catch (const Error&) {
    return;  // beyond 64 bits elements wrap around, which expressions do not
  }
  ctx.set_ints(0, std::move(result));
}

void infer_add(InferContext& ctx) { infer_binary(ctx, add); }
void infer_sub(InferContext& ctx) { infer_binary(ctx, subtract); }
void infer_mul(InferContext& ctx) { infer_binary(ctx, multiply); }
void infer_div(InferContext& ctx) { infer_binary(ctx, divide); }

}  // namespace

constinit const Operator Add = {.name = "Add", .history = kHistory, .infer = infer_add, .elementwise = true};
constinit const Operator Sub = {.name = "Sub", .history = kHistory, .infer = infer_sub, .elementwise = true};
constinit const Operator Mul = {.name = "Mul", .history = kHistory, .infer = infer_mul, .elementwise = true};
constinit const Operator Div = {.name = "Div", .history = kHistory, .infer = infer_div, .elementwise = true};

void binary_arith_schemas(SchemaTable& table) {
  for (const Operator* op : {&Add, &Sub, &Mul, &Div}) table.add(*op);
}

}  // namespace norn::ops
