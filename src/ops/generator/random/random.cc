// Random tensors of a given shape, or of another tensor's. The seed is a float, and without one the runtime chooses. No
// two runtimes draw the same numbers.
#include "ops/generator/random/random.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator RandomNormal = {.name = "RandomNormal", .history = kRandomNormal};
constinit const Operator RandomNormalLike = {.name = "RandomNormalLike", .history = kRandomNormalLike};
constinit const Operator RandomUniform = {.name = "RandomUniform", .history = kRandomUniform};
constinit const Operator RandomUniformLike = {.name = "RandomUniformLike", .history = kRandomUniformLike};

void random_schemas(SchemaTable& table) {
  for (const Operator* op : {&RandomNormal, &RandomNormalLike, &RandomUniform, &RandomUniformLike}) table.add(*op);
}

}  // namespace norn::ops
