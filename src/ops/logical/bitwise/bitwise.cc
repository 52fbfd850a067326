// Logic on the bits of integers. The binary ones broadcast both sides.
#include "ops/logical/bitwise/bitwise.h"

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace bitwise_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kBitwiseAndInputs[] = {
    {.name = "A", .type = "T", .diff = kNonDiff},
    {.name = "B", .type = "T", .diff = kNonDiff},
};
constexpr Param kBitwiseNotInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kBitwiseAndOutputs[] = {{.name = "C", .type = "T", .diff = kNonDiff}};
constexpr Param kBitwiseNotOutputs[] = {{.name = "Y", .type = "T", .diff = kNonDiff}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kInts)}};

constexpr Schema kRows18[] = {
    {.since = 18, .inputs = kBitwiseAndInputs, .outputs = kBitwiseAndOutputs, .types = kTypes},
};

constexpr Schema kBitwiseNot[] = {
    {.since = 18, .inputs = kBitwiseNotInputs, .outputs = kBitwiseNotOutputs, .types = kTypes},
};

template <std::int64_t (*op)(std::int64_t, std::int64_t)>
std::optional<DimExpr> of_constants(const DimExpr& a, const DimExpr& b) {
  if (!a.is_constant() || !b.is_constant()) return std::nullopt;
  return DimExpr(op(a.constant(), b.constant()));
}
std::int64_t bits_and(std::int64_t a, std::int64_t b) { return a & b; }
std::int64_t bits_or(std::int64_t a, std::int64_t b) { return a | b; }
std::int64_t bits_xor(std::int64_t a, std::int64_t b) { return a ^ b; }

void infer_bitwise_and(InferContext& ctx) { infer_arithmetic(ctx, of_constants<bits_and>); }
void infer_bitwise_or(InferContext& ctx) { infer_arithmetic(ctx, of_constants<bits_or>); }
void infer_bitwise_xor(InferContext& ctx) { infer_arithmetic(ctx, of_constants<bits_xor>); }

void infer_bitwise_not(InferContext& ctx) {
  same_as_input(ctx);
  const Dims* ints = ctx.ints(0);
  if (!ints) return;
  Dims result;
  try {
    for (const DimExpr& e : *ints) result.push_back(e.is_constant() ? DimExpr(~e.constant()) : DimExpr(-1) - e);
  } catch (const Error&) {
    return;  // the complement of every number fits, but not of every coefficient
  }
  ctx.set_ints(0, std::move(result));
}

}  // namespace
}  // namespace bitwise_cc

constinit const Operator BitwiseAnd = {.name = "BitwiseAnd", .history = kRows18, .infer = infer_bitwise_and};
constinit const Operator BitwiseOr = {.name = "BitwiseOr", .history = kRows18, .infer = infer_bitwise_or};
constinit const Operator BitwiseXor = {.name = "BitwiseXor", .history = kRows18, .infer = infer_bitwise_xor};
constinit const Operator BitwiseNot = {.name = "BitwiseNot", .history = kBitwiseNot, .infer = infer_bitwise_not};

void bitwise_schemas(SchemaTable& table) {
  for (const Operator* op : {&BitwiseAnd, &BitwiseOr, &BitwiseXor, &BitwiseNot}) table.add(*op);
}

}  // namespace norn::ops
