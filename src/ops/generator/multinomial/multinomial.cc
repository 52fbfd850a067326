// Class numbers drawn by unnormalised log-probabilities. With replacement, sample_size of them for each batch entry.
#include "ops/generator/multinomial/multinomial.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace multinomial_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int, .def = def_int(6)},
    {.name = "sample_size", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "seed", .type = ir::AttributeType::Float},
};
constexpr TypeConstraint kTypes7[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(types::kIndex)}};

constexpr Schema kMultinomial[] = {
    {.since = 7,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes7,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

void infer_multinomial(InferContext& ctx) {
  const MultinomialParams p = resolve_multinomial(ctx);
  ctx.set(0, p.type, {ctx.has_rank(0) ? ctx.shape(0)[0] : ctx.fresh_dim(), p.samples});
}

}  // namespace
}  // namespace multinomial_cc

MultinomialParams resolve_multinomial(const NodeView& node) {
  const MultinomialParams p{.type = *type_attribute(node, "dtype", "T2"), .samples = node.attrs().i("sample_size")};
  if (p.samples < 0) node.fail("sample_size is negative: " + std::to_string(p.samples));
  node.require_rank(0, 2);
  const auto x = node.known_shape(0);
  if (x && (*x)[1] == DimExpr(0) && (*x)[0].is_constant() && (*x)[0].constant() > 0 && p.samples > 0)
    node.fail("there are no classes to draw from");
  return p;
}

constinit const Operator Multinomial = {.name = "Multinomial", .history = kMultinomial, .infer = infer_multinomial};

void multinomial_schemas(SchemaTable& table) { table.add(Multinomial); }

}  // namespace norn::ops
