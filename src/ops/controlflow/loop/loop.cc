// A graph repeated a number of times, while a condition holds. Both bounds may be left out. Carried values may change
// shape from turn to turn, and since 13 be sequences; scan outputs are stacked along a new first axis.
#include "ops/controlflow/loop/loop.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ops/controlflow/if/if.h"
#include "ops/controlflow/loop/carried.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace loop_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kM = {.name = "M", .type = "I", .option = kOptional};
constexpr Param kCond = {.name = "cond", .type = "B", .option = kOptional};
constexpr Param kInputs1[] = {
    kM,
    kCond,
    {.name = "v_initial", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Param kInputs11[] = {
    kM,
    kCond,
    {.name = "v_initial", .type = "V", .option = kVariadic, .min_arity = 0, .homogeneous = false},
};
constexpr Param kOutputs[] = {
    {.name = "v_final_and_scan_outputs", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Attr kAttrs[] = {{.name = "body", .type = ir::AttributeType::Graph, .required = true}};
constexpr TypeConstraint kTypes1[] = {
    {"V", tensors(types::kAll)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes13[] = {
    {"V", tensors(types::kAll) | sequences(types::kAll)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes16[] = {
    {"V",
     tensors(types::kAllBf) | sequences(types::kAllBf) | optionals(types::kAllBf) | optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes19[] = {
    {"V", tensors(types::kAllIr9) | sequences(types::kAllIr9) | optionals(types::kAllIr9) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes21[] = {
    {"V", tensors(types::kAllIr10) | sequences(types::kAllIr10) | optionals(types::kAllIr10) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes23[] = {
    {"V", tensors(types::kAllIr11) | sequences(types::kAllIr11) | optionals(types::kAllIr11) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes24[] = {
    {"V", tensors(types::kAllIr12) | sequences(types::kAllIr12) | optionals(types::kAllIr12) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};
constexpr TypeConstraint kTypes25[] = {
    {"V", tensors(types::kAllIr13) | sequences(types::kAllIr13) | optionals(types::kAllIr13) |
              optional_sequences(types::kAllBf)},
    {"I", tensors(elems(DataType::Int64))},
    {"B", tensors(types::kBool)},
};

constexpr Schema kLoop[] = {
    {.since = 1,
     .inputs = kInputs1,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 11,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes1,
     .determinism = Determinism::NonDeterministic},
    {.since = 13,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes13,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 16,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes16,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 19,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes19,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 21,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes21,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 23,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes23,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 24,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes24,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs11,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes25,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

bool is_true(const KnownValue& value) {
  const Tensor& t = value.constant;
  return t.defined() && t.dtype() == DataType::Bool && t.size() == 1 && t.as<bool>()[0];
}

// How often the body runs: as often as M says if nothing but M ends the loop.
DimExpr trip_count(InferContext& ctx, const KnownValue& cond_out) {
  const bool starts = !ctx.has_input(1) || (ctx.constant(1) && is_true({.constant = *ctx.constant(1), .ints = {}}));
  if (const Dims* most = ctx.ints(0); most && most->size() == 1 && starts && is_true(cond_out)) {
    const DimExpr& times = (*most)[0];
    if (!times.is_constant()) return DimExpr::max(times, 0);
    return std::max<std::int64_t>(times.constant(), 0);
  }
  return ctx.fresh_dim("it is the number of times that the body runs");
}

// Refuses what is known not to have one element; other ranks than 0 are taken.
void ask_for_one(InferContext& ctx, const ValueType& type, const char* what, const char* hint) {
  if (!type.has_rank()) return;
  for (const DimExpr& d : *type.shape)
    if (DimExpr::differ(d, 1))
      ctx.fail(std::string(what) + " is " + type.to_string() + ", but has to have one element", hint);
}

void infer_loop(InferContext& ctx) {
  ask_for_one(ctx, ctx.input(0), "the trip count M", "give one number");
  ask_for_one(ctx, ctx.input(1), "the condition", kOneConditionHint);
  const auto carried = static_cast<std::size_t>(std::max(ctx.input_count() - 2, 0));
  std::vector<Fact> formals(2 + carried);
  formals[0].type = ValueType::tensor(DataType::Int64);
  formals[1].type = ValueType::tensor(DataType::Bool);  // of the rank that the body declares, whatever the input's
  for (std::size_t i = 0; i < carried; ++i) {
    const int input = static_cast<int>(i) + 2;
    formals[2 + i].type = ctx.input(input);
    if (const Dims* ints = ctx.ints(input)) formals[2 + i].value.ints = *ints;
    if (const Tensor* constant = ctx.constant(input)) formals[2 + i].value.constant = *constant;
  }
  const Carried body = infer_carried(ctx, "body", formals, 2, 1, carried);
  const std::vector<Fact>& found = body.outputs;
  const std::size_t outputs = found.size() - 1;  // the first is the condition
  if (const ValueType& goes_on = found[0].type;
      goes_on.known() &&
      (!goes_on.is_tensor() || (goes_on.elem != DataType::Bool && goes_on.elem != DataType::Undefined)))
    ctx.fail("the body's first output says whether to go on and has to be tensor(bool), but it is " +
             goes_on.type_string());
  ask_for_one(ctx, found[0].type, "the condition that the body gives", kOneConditionHint);
  for (std::size_t i = 0; i < carried; ++i) {
    ValueType type = formals[2 + i].type;
    // What begins as an optional is afterwards what the body makes of it; models declare it so.
    if (type.kind == ValueType::Kind::Optional && type.element && found[1 + i].type.known() &&
        found[1 + i].type.kind != ValueType::Kind::Optional)
      type = ValueType(*type.element);
    if (type.known()) ctx.set(static_cast<int>(i), behind(ctx, std::move(type), body));
  }
  std::optional<DimExpr> times;
  for (std::size_t i = carried; i < outputs; ++i) {
    const ValueType each = behind(ctx, found[1 + i].type, body);
    if (!each.known()) continue;
    if (!each.is_tensor()) ctx.fail("the body's scan outputs have to be tensors, but one is " + each.to_string());
    ValueType all = ValueType::tensor(each.elem);
    if (each.has_rank()) {
      if (!times) times = trip_count(ctx, found[0].value);
      all.shape = Dims{*times};
      all.shape->insert(all.shape->end(), each.shape->begin(), each.shape->end());
    }
    ctx.set(static_cast<int>(i), std::move(all));
  }
}

}  // namespace
}  // namespace loop_cc

constinit const Operator Loop = {
    .name = "Loop", .history = kLoop, .infer = infer_loop, .control_flow = ControlFlow::Loop};

void loop_schemas(SchemaTable& table) { table.add(Loop); }

}  // namespace norn::ops
