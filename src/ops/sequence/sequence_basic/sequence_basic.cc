// SequenceConstruct and SequenceAt: tensors of one element type but any shapes, in order.
//
// Trap: a variable that stands for an unknown size has one value in a run, but the elements of a sequence may each have
// another. Inside a sequence's type such a variable is no more than a placeholder.
#include "ops/sequence/sequence_basic/sequence_basic.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "opset/type_check.h"

namespace norn::ops {

using namespace opset;

inline namespace sequence_basic_cc {
namespace {

constexpr Param kConstructInputs[] = {{.name = "inputs", .type = "T", .option = ParamOption::Variadic}};
constexpr Param kConstructOutputs[] = {{.name = "output_sequence", .type = "S"}};
constexpr TypeConstraint kConstructTypes[] = {{"T", tensors(types::kAll)}, {"S", sequences(types::kAll)}};
constexpr Schema kSequenceConstruct[] = {
    {.since = 11, .inputs = kConstructInputs, .outputs = kConstructOutputs, .types = kConstructTypes},
};

constexpr Param kAtInputs[] = {{.name = "input_sequence", .type = "S"}, {.name = "position", .type = "I"}};
constexpr Param kAtOutputs[] = {{.name = "tensor", .type = "T"}};
constexpr TypeConstraint kAtTypes[] = {
    {"S", sequences(types::kAll)},
    {"T", tensors(types::kAll)},
    {"I", tensors(types::kIndex)},
};
constexpr Schema kSequenceAt[] = {
    {.since = 11, .inputs = kAtInputs, .outputs = kAtOutputs, .types = kAtTypes},
};

bool is_fresh(const DimExpr& d) {
  std::vector<std::string> names;
  d.collect_variables(names);
  for (const std::string& name : names) {
    if (name.starts_with('?')) return true;
  }
  return false;
}

void infer_sequence_construct(InferContext& ctx) {
  if (ctx.input_count() == 0) return;
  ctx.explain("the tensors of the sequence differ in it");
  ValueType element = ctx.input(0);
  for (int i = 1; i < ctx.input_count(); ++i) {
    element = common_type(ctx, element, ctx.input(i), "inputs 0 and " + std::to_string(i));
  }
  if (element.known()) ctx.set(0, ValueType::sequence(std::move(element)));
}

void infer_sequence_at(InferContext& ctx) {
  require_position(ctx, 1);
  ValueType element = element_of(ctx, ctx.input(0));
  if (element.known()) ctx.set(0, std::move(element));
}

}  // namespace
}  // namespace sequence_basic_cc

ValueType common_type(InferContext& ctx, const ValueType& a, const ValueType& b, std::string_view what) {
  if (!a.known() || !b.known()) {
    const ValueType& one = a.known() ? a : b;
    if (!one.is_tensor()) return {};
    return one.elem == DataType::Undefined ? ValueType{} : ValueType::tensor(one.elem);
  }
  const auto differ = [&] {
    ctx.fail(std::string(what) + " have different types: " + a.to_string() + " and " + b.to_string());
  };
  if (a.kind != b.kind || a.name != b.name) differ();
  ValueType result;
  result.kind = a.kind;
  result.name = a.name;
  if (a.elem != b.elem && a.elem != DataType::Undefined && b.elem != DataType::Undefined) differ();
  result.elem = a.elem != DataType::Undefined ? a.elem : b.elem;
  if (a.element && b.element) {
    result.element = std::make_shared<const ValueType>(common_type(ctx, *a.element, *b.element, what));
  } else {
    // What one of them says of sizes need not hold for the other.
    if (const auto& one = a.element ? a.element : b.element)
      result.element = std::make_shared<const ValueType>(without_shape(*one));
  }
  if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
    Dims dims = *a.shape;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!(dims[i] == (*b.shape)[i])) dims[i] = ctx.fresh_dim();
    }
    result.shape = std::move(dims);
  }
  return result;
}

ValueType element_of(InferContext& ctx, const ValueType& sequence) {
  if (!sequence.element) return {};
  ValueType element = *sequence.element;
  if (element.shape) {
    for (DimExpr& d : *element.shape) {
      if (is_fresh(d)) d = ctx.fresh_dim("it may differ between the elements of the sequence");
    }
  }
  return element;
}

void require_position(const NodeView& node, int input) {
  const auto shape = node.known_shape(input);
  if (shape && std::any_of(shape->begin(), shape->end(), [](const DimExpr& d) { return DimExpr::differ(d, 1); }))
    node.fail("position must be a scalar, not of shape " + to_string(*shape));
}

constinit const Operator SequenceConstruct = {
    .name = "SequenceConstruct", .history = kSequenceConstruct, .infer = infer_sequence_construct};
constinit const Operator SequenceAt = {.name = "SequenceAt", .history = kSequenceAt, .infer = infer_sequence_at};

void sequence_basic_schemas(SchemaTable& table) {
  table.add(SequenceConstruct);
  table.add(SequenceAt);
}

}  // namespace norn::ops
