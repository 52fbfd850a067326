// Rounding to integers that stay floating. Round goes to the nearest, halves to even. Infinities, NaN and negative zero
// are given back as they are.
#include "ops/math/rounding/rounding.h"

#include <algorithm>
#include <utility>

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace rounding_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows1[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

constexpr Schema kRound[] = {
    {.since = 11, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes1},
    {.since = 22, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

void infer_rounding(InferContext& ctx, DimExpr (*rounded)(const DimExpr&, const DimExpr&)) {
  same_as_input(ctx);
  const auto values = ctx.fractions(0);
  if (!values) return;
  Fractions result;
  try {
    for (const Fraction& f : *values) result.push_back({rounded(f.numerator, f.denominator), 1});
  } catch (const Error&) {
    return;  // beyond 64 bits
  }
  ctx.set_fractions(0, std::move(result));
}
void infer_floor(InferContext& ctx) { infer_rounding(ctx, DimExpr::floor_div); }
void infer_ceil(InferContext& ctx) { infer_rounding(ctx, DimExpr::ceil_div); }
// Rounding halves to even cannot be written as an expression; whole numbers stay.
void infer_round(InferContext& ctx) {
  same_as_input(ctx);
  auto values = ctx.fractions(0);
  if (values && std::all_of(values->begin(), values->end(), [](const Fraction& f) { return f.denominator == 1; }))
    ctx.set_fractions(0, *std::move(values));
}

}  // namespace
}  // namespace rounding_cc

constinit const Operator Ceil = {.name = "Ceil", .history = kRows1, .infer = infer_ceil, .elementwise = true};
constinit const Operator Floor = {.name = "Floor", .history = kRows1, .infer = infer_floor, .elementwise = true};
constinit const Operator Round = {.name = "Round", .history = kRound, .infer = infer_round, .elementwise = true};

void rounding_schemas(SchemaTable& table) {
  for (const Operator* op : {&Ceil, &Floor, &Round}) table.add(*op);
}

}  // namespace norn::ops
