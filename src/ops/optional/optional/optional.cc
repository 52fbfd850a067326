// Values that may be absent. From 18 on the two readers also take plain tensors and sequences, and OptionalHasElement
// an input left out.
#include "ops/optional/optional/optional.h"

#include <utility>

#include "opset/infer_context.h"
#include "opset/type_check.h"

namespace norn::ops {
inline namespace optional_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr TypeSet kSetV15 = tensors(types::kAll) | sequences(types::kAll);
constexpr TypeSet kSetO15 = optionals(types::kAll) | optional_sequences(types::kAll);
constexpr TypeSet kSetV28 = tensors(types::kAllIr14) | sequences(types::kAllIr14);
constexpr TypeSet kSetO18 =
    tensors(types::kAll) | sequences(types::kAll) | optionals(types::kAll) | optional_sequences(types::kAll);
constexpr TypeSet kSetO28 = tensors(types::kAllIr14) | sequences(types::kAllIr14) | optionals(types::kAllIr14) |
                            optional_sequences(types::kAllIr14);
constexpr Param kOptionalInputs[] = {{.name = "input", .type = "V", .option = kOptional}};
constexpr Param kOptionalGetElementInputs[] = {{.name = "input", .type = "O"}};
constexpr Param kOptionalHasElementInputs[] = {{.name = "input", .type = "O", .option = kOptional}};
constexpr Param kOptionalOutputs[] = {{.name = "output", .type = "O"}};
constexpr Param kOptionalGetElementOutputs[] = {{.name = "output", .type = "V"}};
constexpr Param kOptionalHasElementOutputs[] = {{.name = "output", .type = "B"}};
constexpr Attr kAttrs[] = {{.name = "type", .type = ir::AttributeType::TypeProto}};
constexpr TypeConstraint kOptionalTypes15[] = {{"V", kSetV15}, {"O", kSetO15}};
constexpr TypeConstraint kOptionalTypes28[] = {
    {"V", kSetV28},
    {"O", optionals(types::kAllIr14) | optional_sequences(types::kAllIr14)},
};
constexpr TypeConstraint kOptionalGetElementTypes15[] = {{"O", kSetO15}, {"V", kSetV15}};
constexpr TypeConstraint kOptionalGetElementTypes18[] = {{"O", kSetO18}, {"V", kSetV15}};
constexpr TypeConstraint kOptionalGetElementTypes28[] = {{"O", kSetO28}, {"V", kSetV28}};
constexpr TypeConstraint kOptionalHasElementTypes15[] = {{"O", kSetO15}, {"B", tensors(types::kBool)}};
constexpr TypeConstraint kOptionalHasElementTypes18[] = {{"O", kSetO18}, {"B", tensors(types::kBool)}};
constexpr TypeConstraint kOptionalHasElementTypes28[] = {{"O", kSetO28}, {"B", tensors(types::kBool)}};

constexpr Schema kOptionalRows[] = {
    {.since = 15, .inputs = kOptionalInputs, .outputs = kOptionalOutputs, .attrs = kAttrs, .types = kOptionalTypes15},
    {.since = 28,
     .inputs = kOptionalInputs,
     .outputs = kOptionalOutputs,
     .attrs = kAttrs,
     .types = kOptionalTypes28,
     .same_meaning = true},
};

constexpr Schema kOptionalGetElement[] = {
    {.since = 15,
     .inputs = kOptionalGetElementInputs,
     .outputs = kOptionalGetElementOutputs,
     .types = kOptionalGetElementTypes15},
    {.since = 18,
     .inputs = kOptionalGetElementInputs,
     .outputs = kOptionalGetElementOutputs,
     .types = kOptionalGetElementTypes18,
     .same_meaning = true},
    {.since = 28,
     .inputs = kOptionalGetElementInputs,
     .outputs = kOptionalGetElementOutputs,
     .types = kOptionalGetElementTypes28,
     .same_meaning = true},
};

constexpr Schema kOptionalHasElement[] = {
    {.since = 15,
     .inputs = kOptionalGetElementInputs,
     .outputs = kOptionalHasElementOutputs,
     .types = kOptionalHasElementTypes15},
    {.since = 18,
     .inputs = kOptionalHasElementInputs,
     .outputs = kOptionalHasElementOutputs,
     .types = kOptionalHasElementTypes18},
    {.since = 28,
     .inputs = kOptionalHasElementInputs,
     .outputs = kOptionalHasElementOutputs,
     .types = kOptionalHasElementTypes28,
     .same_meaning = true},
};

Tensor scalar(bool value) {
  Tensor t(DataType::Bool, {});
  *t.as_mutable<std::uint8_t>() = value;
  return t;
}

// The type of what the optional may hold: the input's, else that of the attribute.
void infer_optional(InferContext& ctx) {
  const ir::Type* said = optional_type(ctx);
  ValueType element = ctx.input(0);
  if (said) {
    ValueType declared = from_ir(*said, [&] { return ctx.fresh_dim(); });
    if (!ctx.has_input(0))
      element = std::move(declared);
    else if (!same_type(declared, element))
      ctx.fail("the attribute type says " + declared.to_string() + ", but the input is " + element.to_string());
  }
  if (element.known()) ctx.set(0, ValueType::optional(std::move(element)));
}

void infer_optional_get_element(InferContext& ctx) {
  const ValueType& input = ctx.input(0);
  if (input.kind == ValueType::Kind::Optional) {
    if (input.element && input.element->known()) ctx.set(0, *input.element);
    return;
  }
  ctx.set(0, input);
  if (const norn::Tensor* value = ctx.constant(0))
    ctx.set_constant(0, *value);
  else if (const Dims* ints = ctx.ints(0))
    ctx.set_ints(0, *ints);
}

void infer_optional_has_element(InferContext& ctx) {
  ctx.set(0, DataType::Bool, {});
  const bool certain = ctx.input(0).known() && ctx.input(0).kind != ValueType::Kind::Optional;
  if (certain || !ctx.has_input(0)) ctx.set_constant(0, scalar(certain));
}

}  // namespace
}  // namespace optional_cc

const ir::Type* optional_type(const NodeView& node) {
  const ir::Type* const type = node.attrs().type("type");
  if (!type && !node.has_input(0)) node.fail("an optional without a value needs the attribute type");
  return type;
}

constinit const Operator Optional = {.name = "Optional", .history = kOptionalRows, .infer = infer_optional};
constinit const Operator OptionalGetElement = {
    .name = "OptionalGetElement", .history = kOptionalGetElement, .infer = infer_optional_get_element};
constinit const Operator OptionalHasElement = {
    .name = "OptionalHasElement", .history = kOptionalHasElement, .infer = infer_optional_has_element};

void optional_schemas(SchemaTable& table) {
  for (const Operator* op : {&Optional, &OptionalGetElement, &OptionalHasElement}) table.add(*op);
}

}  // namespace norn::ops
