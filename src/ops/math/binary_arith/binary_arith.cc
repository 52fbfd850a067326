// Arithmetic of two tensors. Known integers are computed as expressions.
#include "ops/math/binary_arith/binary_arith.h"

#include <algorithm>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace binary_arith_cc {
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

std::optional<DimExpr> add(const DimExpr& a, const DimExpr& b) { return a + b; }
std::optional<DimExpr> subtract(const DimExpr& a, const DimExpr& b) { return a - b; }
std::optional<DimExpr> multiply(const DimExpr& a, const DimExpr& b) { return a * b; }

// Truncates towards zero, which only for non-negative operands is the floor.
std::optional<DimExpr> divide(const DimExpr& a, const DimExpr& b) {
  if (a.is_constant() && b.is_constant()) {
    if (b.constant() == 0 || b.constant() == -1)
      return b.constant() == 0 ? std::nullopt : std::optional(DimExpr(0) - a);
    return DimExpr(a.constant() / b.constant());
  }
  if (known_at_least(b, 1) && known_at_least(a, 0)) return DimExpr::floor_div(a, b);
  return std::nullopt;
}

// Denominators beyond this are of no scale factor.
constexpr std::int64_t kMostDenominator = std::int64_t{1} << 32;

Fraction sum(const Fraction& a, const Fraction& b, std::int64_t sign) {  // denominators are powers of two
  const std::int64_t common = std::max(a.denominator, b.denominator);
  return {a.numerator * DimExpr(common / a.denominator) + b.numerator * DimExpr(sign * (common / b.denominator)),
          common};
}
std::optional<Fraction> add_fractions(const Fraction& a, const Fraction& b) { return sum(a, b, 1); }
std::optional<Fraction> subtract_fractions(const Fraction& a, const Fraction& b) { return sum(a, b, -1); }
std::optional<Fraction> multiply_fractions(const Fraction& a, const Fraction& b) {
  if (a.denominator > kMostDenominator / b.denominator) return std::nullopt;
  return Fraction{a.numerator * b.numerator, a.denominator * b.denominator};
}
// By a positive power of two, or where nothing is left over. Other quotients are rounded.
std::optional<Fraction> divide_fractions(const Fraction& a, const Fraction& b) {
  if (!b.numerator.is_constant() || b.numerator.constant() <= 0) return std::nullopt;
  const std::int64_t divisor = b.numerator.constant();
  const DimExpr dividend = a.numerator * DimExpr(b.denominator);
  if ((divisor & (divisor - 1)) == 0 && a.denominator <= kMostDenominator / divisor)
    return Fraction{dividend, a.denominator * divisor};
  if (dividend.is_constant() && dividend.constant() % divisor == 0)
    return Fraction{dividend.constant() / divisor, a.denominator};
  return std::nullopt;
}

void infer_add(InferContext& ctx) { infer_arithmetic(ctx, add, add_fractions); }
void infer_sub(InferContext& ctx) { infer_arithmetic(ctx, subtract, subtract_fractions); }
void infer_mul(InferContext& ctx) { infer_arithmetic(ctx, multiply, multiply_fractions); }
void infer_div(InferContext& ctx) { infer_arithmetic(ctx, divide, divide_fractions); }

}  // namespace
}  // namespace binary_arith_cc

constinit const Operator Add = {.name = "Add", .history = kHistory, .infer = infer_add, .elementwise = true};
constinit const Operator Sub = {.name = "Sub", .history = kHistory, .infer = infer_sub, .elementwise = true};
constinit const Operator Mul = {.name = "Mul", .history = kHistory, .infer = infer_mul, .elementwise = true};
constinit const Operator Div = {.name = "Div", .history = kHistory, .infer = infer_div, .elementwise = true};

void binary_arith_schemas(SchemaTable& table) {
  for (const Operator* op : {&Add, &Sub, &Mul, &Div}) table.add(*op);
}

}  // namespace norn::ops
