// Ones with given probabilities, zeros else. The output's type is dtype's, else the input's.
#include "ops/generator/bernoulli/bernoulli.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace bernoulli_cc {
namespace {

using namespace opset;

constexpr TypeSet kSetT215 = tensors(types::kNumericBf | types::kBool);
constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int},
    {.name = "seed", .type = ir::AttributeType::Float},
};
constexpr TypeConstraint kTypes15[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", kSetT215}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", kSetT215}};

constexpr Schema kBernoulli[] = {
    {.since = 15,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes15,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

void infer_bernoulli(InferContext& ctx) {
  const DataType type = bernoulli_type(ctx, ctx.elem(0));
  if (type == DataType::Undefined) return;
  if (ctx.has_rank(0))
    ctx.set(0, type, ctx.shape(0));
  else
    ctx.set(0, type);
}

}  // namespace
}  // namespace bernoulli_cc

DataType bernoulli_type(const NodeView& node, DataType input) {
  return type_attribute(node, "dtype", "T2").value_or(input);
}

constinit const Operator Bernoulli = {.name = "Bernoulli", .history = kBernoulli, .infer = infer_bernoulli};

void bernoulli_schemas(SchemaTable& table) { table.add(Bernoulli); }

}  // namespace norn::ops
