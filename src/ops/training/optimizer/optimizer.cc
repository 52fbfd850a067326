// One step of an optimizer, for any number of tensors at once. Behind the learning rate R and the step count T come
// lists in the same order: all tensors, all gradients, then for each kind of state all of its tensors. The outputs are
// the new tensors, then the new states, likewise.
#include "ops/training/optimizer/optimizer.h"

#include "base/text.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace optimizer_cc {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr TypeSet kReal = tensors(elems(DataType::Double, DataType::Float));
constexpr Param kInputs[] = {
    {.name = "R", .type = "T1"},
    {.name = "T", .type = "T2"},
    {.name = "inputs", .type = "T3", .option = kVariadic, .homogeneous = false},
};
constexpr Param kOutputs[] = {{.name = "outputs", .type = "T3", .option = kVariadic, .homogeneous = false}};
constexpr Attr kNormCoefficient = {
    .name = "norm_coefficient", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kAdagradAttrs[] = {
    {.name = "decay_factor", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-06f)},
    kNormCoefficient,
};
constexpr Attr kAdamAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(0.9f)},
    {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(0.999f)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-06f)},
    kNormCoefficient,
    {.name = "norm_coefficient_post", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
};
constexpr Attr kMomentumAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .required = true},
    {.name = "beta", .type = ir::AttributeType::Float, .required = true},
    {.name = "mode", .type = ir::AttributeType::String, .required = true},
    {.name = "norm_coefficient", .type = ir::AttributeType::Float, .required = true},
};
constexpr TypeConstraint kTypes[] = {{"T1", kReal}, {"T2", tensors(elems(DataType::Int64))}, {"T3", kReal}};

constexpr Schema kAdagrad[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAdagradAttrs, .types = kTypes},
};
constexpr Schema kAdam[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAdamAttrs, .types = kTypes},
};
constexpr Schema kMomentum[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kMomentumAttrs, .types = kTypes},
};

void infer_states(InferContext& ctx, int states) {
  const int count = optimized_tensors(ctx, ctx.input_count(), ctx.output_count(), states);
  for (const int i : {0, 1}) require_single(ctx, i);
  for (int i = 0; i < count; ++i) {
    // A tensor, its gradient and its states are all of one shape.
    std::optional<Dims> dims;
    for (int group = 0; group < states + 2; ++group) {
      const int at = 2 + group * count + i;
      if (!ctx.has_input(at)) ctx.fail("input " + std::to_string(at) + " is missing: none of them is optional");
      if (!ctx.has_rank(at)) continue;
      if (dims) ctx.require_rank(at, static_cast<std::int64_t>(dims->size()));
      if (!dims) dims = ctx.shape(at);
      for (std::size_t d = 0; d < dims->size(); ++d)
        (*dims)[d] = ctx.unify((*dims)[d], ctx.shape(at)[d], "sizes of a tensor and of what belongs to it");
    }
    for (int group = 0; group < states + 1; ++group) {
      const DataType type = ctx.elem(2 + (group ? group + 1 : 0) * count + i);
      if (type == DataType::Undefined) continue;
      if (dims)
        ctx.set(group * count + i, type, *dims);
      else
        ctx.set(group * count + i, type);
    }
  }
}

void infer_adagrad(InferContext& ctx) { infer_states(ctx, kAdagradStates); }
void infer_adam(InferContext& ctx) { infer_states(ctx, kAdamStates); }
void infer_momentum(InferContext& ctx) {
  is_nesterov(ctx);
  infer_states(ctx, kMomentumStates);
}

}  // namespace
}  // namespace optimizer_cc

int optimized_tensors(const NodeView& node, int inputs, int outputs, int states) {
  const int each = states + 2, given = inputs - 2;
  if (given < each || given % each != 0) {
    node.fail("there are " + std::to_string(given) +
              " inputs behind R and T, but each tensor comes with a gradient and " +
              (states == 1 ? "a state" : std::to_string(states) + " states") + ": a multiple of " +
              std::to_string(each) + " is needed");
  }
  const int count = given / each;
  if (outputs > count * (states + 1)) {
    node.fail("there are " + std::to_string(outputs) + " outputs, but " + std::to_string(count) + " tensors give " +
              std::to_string(count * (states + 1)));
  }
  return count;
}

bool is_nesterov(const NodeView& node) {
  const std::string mode = node.attrs().s("mode");
  if (mode != "nesterov" && mode != "standard")
    node.fail("mode is neither \"nesterov\" nor \"standard\": " + base::quoted(mode));
  return mode == "nesterov";
}

constinit const Operator Adagrad = {
    .domain = "ai.onnx.preview.training", .name = "Adagrad", .history = kAdagrad, .infer = infer_adagrad};
constinit const Operator Adam = {
    .domain = "ai.onnx.preview.training", .name = "Adam", .history = kAdam, .infer = infer_adam};
constinit const Operator Momentum = {
    .domain = "ai.onnx.preview.training", .name = "Momentum", .history = kMomentum, .infer = infer_momentum};

void optimizer_schemas(SchemaTable& table) {
  for (const Operator* op : {&Adagrad, &Adam, &Momentum}) table.add(*op);
}

}  // namespace norn::ops
