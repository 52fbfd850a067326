// Random tensors of a given shape, or of another tensor's. The seed is a float, and without one the runtime chooses.
// The standard does not say which numbers a seed gives; ops/common/random.h does. A rounded number may be `high`
// itself.
#include "ops/generator/random/random.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace random_cc {
namespace {

using namespace opset;

constexpr Attr kDtype1 = {.name = "dtype", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kDtype1Attr = {.name = "dtype", .type = ir::AttributeType::Int};
constexpr Attr kMean = {.name = "mean", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kScale = {.name = "scale", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Attr kSeed = {.name = "seed", .type = ir::AttributeType::Float};
constexpr Attr kShape = {.name = "shape", .type = ir::AttributeType::Ints, .required = true};
constexpr Attr kHigh = {.name = "high", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Attr kLow = {.name = "low", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kRandomNormalOutputs[] = {{.name = "output", .type = "T"}};
constexpr Param kRandomNormalLikeOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kRandomNormalAttrs[] = {kDtype1, kMean, kScale, kSeed, kShape};
constexpr Attr kRandomNormalLikeAttrs[] = {kDtype1Attr, kMean, kScale, kSeed};
constexpr Attr kRandomUniformAttrs[] = {kDtype1, kHigh, kLow, kSeed, kShape};
constexpr Attr kRandomUniformLikeAttrs[] = {kDtype1Attr, kHigh, kLow, kSeed};
constexpr TypeConstraint kRandomNormalTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kRandomNormalTypes22[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kRandomNormalLikeTypes1[] = {
    {"T1", tensors(types::kAll)},
    {"T2", tensors(types::kFloat16To64)},
};
constexpr TypeConstraint kRandomNormalLikeTypes22[] = {{"T1", tensors(types::kAllBf)}, {"T2", tensors(types::kFloats)}};

constexpr Schema kRandomNormal[] = {
    {.since = 1,
     .outputs = kRandomNormalOutputs,
     .attrs = kRandomNormalAttrs,
     .types = kRandomNormalTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .outputs = kRandomNormalOutputs,
     .attrs = kRandomNormalAttrs,
     .types = kRandomNormalTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

constexpr Schema kRandomNormalLike[] = {
    {.since = 1,
     .inputs = kInputs,
     .outputs = kRandomNormalLikeOutputs,
     .attrs = kRandomNormalLikeAttrs,
     .types = kRandomNormalLikeTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .inputs = kInputs,
     .outputs = kRandomNormalLikeOutputs,
     .attrs = kRandomNormalLikeAttrs,
     .types = kRandomNormalLikeTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

constexpr Schema kRandomUniform[] = {
    {.since = 1,
     .outputs = kRandomNormalOutputs,
     .attrs = kRandomUniformAttrs,
     .types = kRandomNormalTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .outputs = kRandomNormalOutputs,
     .attrs = kRandomUniformAttrs,
     .types = kRandomNormalTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

constexpr Schema kRandomUniformLike[] = {
    {.since = 1,
     .inputs = kInputs,
     .outputs = kRandomNormalLikeOutputs,
     .attrs = kRandomUniformLikeAttrs,
     .types = kRandomNormalLikeTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 22,
     .inputs = kInputs,
     .outputs = kRandomNormalLikeOutputs,
     .attrs = kRandomUniformLikeAttrs,
     .types = kRandomNormalLikeTypes22,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

void infer_random(InferContext& ctx) {
  const RandomParams p = resolve_random(ctx);
  ctx.set(0, p.type, to_dims(p.shape));
}

void infer_random_like(InferContext& ctx) {
  const DataType type = random_like_type(ctx, ctx.elem(0));
  if (type == DataType::Undefined) return;
  if (ctx.has_rank(0))
    ctx.set(0, type, ctx.shape(0));
  else
    ctx.set(0, type);
}

}  // namespace
}  // namespace random_cc

RandomParams resolve_random(const NodeView& node) {
  RandomParams p{.type = *type_attribute(node, "dtype", "T"), .shape = node.attrs().ints("shape")};
  for (const std::int64_t d : p.shape) {
    if (d < 0) node.fail("the shape asked for has a negative size: " + norn::to_string(p.shape));
  }
  return p;
}

DataType random_like_type(const NodeView& node, DataType input) {
  if (const auto given = type_attribute(node, "dtype", "T2")) return *given;
  if (input != DataType::Undefined && !find_type(node.schema(), "T2")->set.allows_tensor(input)) {
    node.fail("the output would be " + std::string(data_type_name(input)) + " like the input, which it cannot be",
              "give the attribute dtype");
  }
  return input;
}

constinit const Operator RandomNormal = {.name = "RandomNormal", .history = kRandomNormal, .infer = infer_random};
constinit const Operator RandomNormalLike = {
    .name = "RandomNormalLike", .history = kRandomNormalLike, .infer = infer_random_like};
constinit const Operator RandomUniform = {.name = "RandomUniform", .history = kRandomUniform, .infer = infer_random};
constinit const Operator RandomUniformLike = {
    .name = "RandomUniformLike", .history = kRandomUniformLike, .infer = infer_random_like};

void random_schemas(SchemaTable& table) {
  for (const Operator* op : {&RandomNormal, &RandomNormalLike, &RandomUniform, &RandomUniformLike}) table.add(*op);
}

}  // namespace norn::ops
