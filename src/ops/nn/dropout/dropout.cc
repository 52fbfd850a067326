// Signatures of Dropout, whose sense of training changed twice: versions 1 and 6 drop unless is_test is set (and it is
// 0 by default), 7 and 10 never drop, 12 and later drop where the input training_mode says so. The mask has the input's
// type before version 10, bool since.
#include "ops/nn/dropout/dropout.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace dropout_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;
constexpr auto kRandom = Determinism::NonDeterministic;

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kOutputs1[] = {
    {.name = "output", .type = "T"},
    {.name = "mask", .type = "T", .option = kOptional},
};
constexpr Param kOutputs10[] = {
    {.name = "output", .type = "T"},
    {.name = "mask", .type = "T1", .option = kOptional},
};
constexpr Param kInputs12[] = {
    {.name = "data", .type = "T"},
    {.name = "ratio", .type = "T1", .option = kOptional},
    {.name = "training_mode", .type = "T2", .option = kOptional},
};
constexpr Param kOutputs12[] = {
    {.name = "output", .type = "T"},
    {.name = "mask", .type = "T2", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "ratio", .type = "T1", .option = kOptional, .diff = kNonDiff},
    {.name = "training_mode", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs13[] = {
    {.name = "output", .type = "T", .diff = kDiff},
    {.name = "mask", .type = "T2", .option = kOptional, .diff = kNonDiff},
};

constexpr Attr kAttrs1[] = {
    {.name = "consumed_inputs", .type = ir::AttributeType::Ints},
    {.name = "is_test", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "ratio", .type = ir::AttributeType::Float, .def = def_float(0.5f)},
};
constexpr Attr kAttrs6[] = {
    {.name = "is_test", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "ratio", .type = ir::AttributeType::Float, .def = def_float(0.5f)},
};
constexpr Attr kAttrs7[] = {{.name = "ratio", .type = ir::AttributeType::Float, .def = def_float(0.5f)}};
constexpr Attr kAttrs12[] = {{.name = "seed", .type = ir::AttributeType::Int}};

constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes10[] = {
    {"T", tensors(types::kFloat16To64)},
    {"T1", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes12[] = {
    {"T", tensors(types::kFloat16To64)},
    {"T1", tensors(types::kFloat16To64)},
    {"T2", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes13[] = {
    {"T", tensors(types::kFloats)},
    {"T1", tensors(types::kFloat16To64)},
    {"T2", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes22[] = {
    {"T", tensors(types::kFloats | types::kFloat8)},
    {"T1", tensors(types::kFloats | types::kFloat8)},
    {"T2", tensors(types::kBool)},
};

constexpr Schema kDropout[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1, .determinism = kRandom},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs6, .types = kTypes1, .determinism = kRandom},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs7, .types = kTypes1, .determinism = kRandom},
    {.since = 10,
     .inputs = kInputs1,
     .outputs = kOutputs10,
     .attrs = kAttrs7,
     .types = kTypes10,
     .determinism = kRandom},
    {.since = 12,
     .inputs = kInputs12,
     .outputs = kOutputs12,
     .attrs = kAttrs12,
     .types = kTypes12,
     .determinism = kRandom},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs12,
     .types = kTypes13,
     .determinism = kRandom,
     .same_meaning = true},
    {.since = 22,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs12,
     .types = kTypes22,
     .determinism = kRandom,
     .same_meaning = true},
};

void infer_dropout(InferContext& ctx) {
  same_as_input(ctx);
  const DataType mask = ctx.version() >= 10 ? DataType::Bool : ctx.elem(0);
  if (ctx.has_rank(0))
    ctx.set(1, mask, ctx.shape(0));
  else if (mask != DataType::Undefined)
    ctx.set(1, mask);
  resolve_dropout(ctx);
}

}  // namespace
}  // namespace dropout_cc

DropoutParams resolve_dropout(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  DropoutParams p;
  if (node.version() < 12) {
    p.training = node.version() < 7 && !attrs.flag("is_test");
    p.ratio = static_cast<double>(attrs.f("ratio"));
  } else {
    if (const auto seed = attrs.find_i("seed")) p.seed = static_cast<std::uint32_t>(*seed);
    for (const int i : {1, 2}) require_single(node, i);
    if (!node.has_input(1))
      p.ratio = 0.5;
    else if (const norn::Tensor* t = node.constant(1); t && t->size() == 1)
      p.ratio = number_at(*t, 0);
    if (!node.has_input(2))
      p.training = false;
    else if (const norn::Tensor* t = node.constant(2); t && t->size() == 1)
      p.training = *t->as<std::uint8_t>() != 0;
  }
  if (p.training.value_or(false) && p.ratio && !(*p.ratio >= 0 && *p.ratio < 1))
    node.fail("ratio is " + std::to_string(*p.ratio) + ", but has to be in [0, 1)");
  return p;
}

constinit const Operator Dropout = {.name = "Dropout", .history = kDropout, .infer = infer_dropout};

void dropout_schemas(opset::SchemaTable& table) { table.add(Dropout); }

}  // namespace norn::ops
