// Activation functions of one tensor. All of them are functions of simpler operators, too. Selu's constants gained
// digits with version 6, so version 1 gives other bits. Shrink alone takes integers.
#include "ops/math/activation/activation.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace activation_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kAlpha1 = {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Attr kHardSigmoidAlpha = {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(0.2f)};
constexpr Attr kLeakyReluAlpha = {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(0.01f)};
constexpr Attr kConsumedInputs = {.name = "consumed_inputs", .type = ir::AttributeType::Ints};
constexpr Attr kBeta = {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(0.5f)};
constexpr Param kInputs12[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kShrinkInputs[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs12[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kShrinkOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs12[] = {kAlpha1};
constexpr Attr kEluAttrs[] = {kAlpha1, kConsumedInputs};
constexpr Attr kGeluAttrs[] = {{.name = "approximate", .type = ir::AttributeType::String, .def = def_string("none")}};
constexpr Attr kHardSigmoidAttrs1[] = {kHardSigmoidAlpha, kBeta, kConsumedInputs};
constexpr Attr kHardSigmoidAttrs6[] = {kHardSigmoidAlpha, kBeta};
constexpr Attr kLeakyReluAttrs1[] = {kLeakyReluAlpha, kConsumedInputs};
constexpr Attr kLeakyReluAttrs6[] = {kLeakyReluAlpha};
constexpr Attr kSeluAttrs1[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.6732f)},
    kConsumedInputs,
    {.name = "gamma", .type = ir::AttributeType::Float, .def = def_float(1.0507f)},
};
constexpr Attr kSeluAttrs6[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.6732632f)},
    {.name = "gamma", .type = ir::AttributeType::Float, .def = def_float(1.050701f)},
};
constexpr Attr kShrinkAttrs[] = {
    {.name = "bias", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "lambd", .type = ir::AttributeType::Float, .def = def_float(0.5f)},
};
constexpr TypeConstraint kCeluTypes12[] = {{"T", tensors(elems(DataType::Float))}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kShrinkTypes[] = {{"T", tensors(types::kNumeric)}};

constexpr Schema kCelu[] = {
    {.since = 12, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs12, .types = kCeluTypes12},
    {.since = 28,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kAttrs12,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr Schema kElu[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kEluAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs12, .types = kTypes1},
    {.since = 22,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kAttrs12,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr Schema kGelu[] = {
    {.since = 20, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kGeluAttrs, .types = kTypes28},
};

constexpr Schema kHardSigmoid[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kHardSigmoidAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kHardSigmoidAttrs6, .types = kTypes1},
    {.since = 22,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kHardSigmoidAttrs6,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr Schema kHardSwish[] = {
    {.since = 14, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes1},
    {.since = 22, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes28, .same_meaning = true},
};

constexpr Schema kLeakyRelu[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kLeakyReluAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kLeakyReluAttrs6, .types = kTypes1},
    {.since = 16,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kLeakyReluAttrs6,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr Schema kMish[] = {
    {.since = 18, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes1},
    {.since = 22, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes28, .same_meaning = true},
};

constexpr Schema kSelu[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kSeluAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kSeluAttrs6, .types = kTypes1},
    {.since = 22,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kSeluAttrs6,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr Schema kShrink[] = {
    {.since = 9, .inputs = kShrinkInputs, .outputs = kShrinkOutputs, .attrs = kShrinkAttrs, .types = kShrinkTypes},
};

constexpr Schema kSoftplus[] = {
    {.since = 1, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes1},
    {.since = 22, .inputs = kInputs12, .outputs = kOutputs12, .types = kTypes28, .same_meaning = true},
};

constexpr Schema kSwish[] = {
    {.since = 24, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs12, .types = kTypes28},
};

constexpr Schema kThresholdedRelu[] = {
    {.since = 10, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs12, .types = kTypes1},
    {.since = 22,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kAttrs12,
     .types = kTypes28,
     .same_meaning = true},
};

void infer_gelu(InferContext& ctx) {
  resolve_activation(ctx.attrs());
  same_as_input(ctx);
}

}  // namespace
}  // namespace activation_cc

ActivationParams resolve_activation(const opset::Attrs& attrs) {
  ActivationParams p;
  if (attrs.declares("alpha")) p.alpha = attrs.f("alpha");
  if (attrs.declares("beta")) p.beta = attrs.f("beta");
  if (attrs.declares("gamma")) p.beta = attrs.f("gamma");
  if (attrs.declares("lambd")) p.alpha = attrs.f("lambd");
  if (attrs.declares("bias")) p.beta = attrs.f("bias");
  if (attrs.declares("approximate")) {
    const std::string approximate = attrs.s("approximate");
    p.by_tanh = approximate == "tanh";
    if (!p.by_tanh && approximate != "none")
      throw Error(ErrorCode::InvalidGraph, "approximate is \"" + approximate + "\", but has to be none or tanh");
  }
  return p;
}

constinit const Operator Celu = {.name = "Celu", .history = kCelu, .infer = same_as_input, .elementwise = true};
constinit const Operator Elu = {.name = "Elu", .history = kElu, .infer = same_as_input, .elementwise = true};
constinit const Operator Gelu = {.name = "Gelu", .history = kGelu, .infer = infer_gelu, .elementwise = true};
constinit const Operator HardSigmoid = {
    .name = "HardSigmoid", .history = kHardSigmoid, .infer = same_as_input, .elementwise = true};
constinit const Operator HardSwish = {
    .name = "HardSwish", .history = kHardSwish, .infer = same_as_input, .elementwise = true};
constinit const Operator LeakyRelu = {
    .name = "LeakyRelu", .history = kLeakyRelu, .infer = same_as_input, .elementwise = true};
constinit const Operator Mish = {.name = "Mish", .history = kMish, .infer = same_as_input, .elementwise = true};
constinit const Operator Selu = {.name = "Selu", .history = kSelu, .infer = same_as_input, .elementwise = true};
constinit const Operator Shrink = {.name = "Shrink", .history = kShrink, .infer = same_as_input, .elementwise = true};
constinit const Operator Softplus = {
    .name = "Softplus", .history = kSoftplus, .infer = same_as_input, .elementwise = true};
constinit const Operator Swish = {.name = "Swish", .history = kSwish, .infer = same_as_input, .elementwise = true};
constinit const Operator ThresholdedRelu = {
    .name = "ThresholdedRelu", .history = kThresholdedRelu, .infer = same_as_input, .elementwise = true};

void activation_schemas(SchemaTable& table) {
  for (const Operator* op : {&Celu, &Elu, &Gelu, &HardSigmoid, &HardSwish, &LeakyRelu, &Mish, &Selu, &Shrink, &Softplus,
                             &Swish, &ThresholdedRelu})
    table.add(*op);
}

}  // namespace norn::ops
