// Shift of integers' bits. Version 28 takes signed integers, shifts them right arithmetically, and says what a shift by
// at least the width gives.
#include "ops/logical/bit_shift/bit_shift.h"

#include "base/text.h"
#include "norn/error.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace bit_shift_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = kNonDiff},
    {.name = "Y", .type = "T", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "Z", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "direction", .type = ir::AttributeType::String, .required = true}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kUnsigned)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kInts)}};

constexpr Schema kBitShift[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

// 2^shift, of known shifts that are less than the width of int64; nothing of others.
std::optional<DimExpr> power_of_two(const DimExpr& shift) {
  if (!shift.is_constant() || shift.constant() < 0 || shift.constant() > 62) return std::nullopt;
  return DimExpr(std::int64_t{1} << shift.constant());
}
std::optional<DimExpr> shift_left(const DimExpr& x, const DimExpr& shift) {
  const auto factor = power_of_two(shift);
  return factor ? std::optional(x * *factor) : std::nullopt;
}
// An arithmetic shift rounds down.
std::optional<DimExpr> shift_right(const DimExpr& x, const DimExpr& shift) {
  const auto divisor = power_of_two(shift);
  return divisor ? std::optional(DimExpr::floor_div(x, *divisor)) : std::nullopt;
}

void infer_bit_shift(InferContext& ctx) { infer_arithmetic(ctx, shifts_left(ctx) ? shift_left : shift_right); }

}  // namespace
}  // namespace bit_shift_cc

bool shifts_left(const NodeView& node) {
  const std::string direction = node.attrs().s("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    node.fail("direction is " + base::quoted(direction) + ", but has to be \"LEFT\" or \"RIGHT\"");
  return direction == "LEFT";
}

constinit const Operator BitShift = {.name = "BitShift", .history = kBitShift, .infer = infer_bit_shift};

void bit_shift_schemas(SchemaTable& table) { table.add(BitShift); }

}  // namespace norn::ops
