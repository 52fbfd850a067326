// Remainders, element by element. fmod chooses the sign: 0 the divisor's, 1 the dividend's. Floating types require fmod
// = 1 before version 28.
#include "ops/math/mod/mod.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace mod_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs10[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "A", .type = "T", .diff = kDiff},
                               {.name = "B", .type = "T", .diff = Differentiability::NonDifferentiable}};
constexpr Param kOutputs10[] = {{.name = "C", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "C", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "fmod", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kMod[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs, .types = kTypes10},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
    {.since = 28, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
};

std::optional<DimExpr> floored(const DimExpr& a, const DimExpr& b) {
  if (known_at_least(b, 1)) return DimExpr::mod(a, b);
  if (!a.is_constant() || !b.is_constant() || b.constant() == 0) return std::nullopt;
  if (b.constant() == -1) return DimExpr(0);
  const std::int64_t rest = a.constant() % b.constant();
  return DimExpr(rest > 0 ? rest + b.constant() : rest);
}
std::optional<DimExpr> truncated(const DimExpr& a, const DimExpr& b) {
  if (known_at_least(b, 1) && known_at_least(a, 0)) return DimExpr::mod(a, b);
  if (!a.is_constant() || !b.is_constant() || b.constant() == 0) return std::nullopt;
  return DimExpr(b.constant() == -1 ? 0 : a.constant() % b.constant());
}

void infer_mod(InferContext& ctx) {
  const bool truncates = truncates_quotient(ctx);
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  if (ctx.version() < 28 && !truncates && ((types::kFloats >> static_cast<unsigned>(elem)) & 1u))
    ctx.fail("before version 28 floating-point numbers require fmod = 1", "set fmod to 1");
  infer_arithmetic(ctx, truncates ? truncated : floored);
}

}  // namespace
}  // namespace mod_cc

bool truncates_quotient(const NodeView& node) {
  const std::int64_t fmod = node.attrs().i("fmod");
  if (fmod != 0 && fmod != 1) node.fail("fmod is " + std::to_string(fmod) + ", but has to be 0 or 1");
  return fmod == 1;
}

constinit const Operator Mod = {.name = "Mod", .history = kMod, .infer = infer_mod};

void mod_schemas(SchemaTable& table) { table.add(Mod); }

}  // namespace norn::ops
