// What steps may do to a node. Values that a step puts between get fresh names, and their types are inferred, so that
// the next step can ask for them.
#include "transform/version_step.h"

#include <algorithm>
#include <utility>

#include "infer/inferrer.h"
#include "ir/tensor_data.h"
#include "norn/error.h"
#include "transform/step_state.h"

namespace norn::transform {
namespace {

const opset::ValueType& unknown_type() {
  static const opset::ValueType unknown;
  return unknown;
}

// The type of the only output of an inserted node; Unknown if inference cannot determine it. Fresh size variables stand
// in types of this version step only.
opset::ValueType infer_type(LocalValues* values, const BoundNode& bound) {
  infer::FactList facts;
  std::vector<infer::ValueId> inputs;
  for (const std::string& name : bound.node.input) {
    const opset::ValueType* type = values->type_of(name);
    inputs.push_back(facts.add());
    opset::Fact& fact = facts[inputs.back()];
    if (type) fact.type = *type;
    if (const norn::Tensor* t = values->constant_of(name)) fact.value.constant = *t;
  }
  const infer::ValueId output = facts.add();
  infer::Symbols symbols({}, std::string("?") + values->fresh_name("size") + "_");
  try {
    infer::Inferrer(facts, symbols, nullptr, infer::Mode::Trusted)
        .node({bound.op, {*bound.schema, bound.node.attribute}, inputs, {&output, 1}, infer::kNowhere});
  } catch (const Error& e) {  // an old version that does not take the type
    throw Error(ErrorCode::NotImplemented, "the step needs a node that cannot be there: " + e.message());
  }
  return facts[output].type;
}

std::string add_constant(LocalValues* values, const std::string& hint, norn::Tensor constant) {
  std::string name = values->fresh_name(hint);
  opset::Dims dims(constant.dims().begin(), constant.dims().end());
  values->types.emplace_back(name, opset::ValueType::tensor(constant.dtype(), std::move(dims)));
  values->constants.emplace_back(name, std::move(constant));
  return name;
}

BoundNode between(LocalValues* values, const opset::Operator& op, int version, std::string from, std::string to,
                  std::vector<ir::Attribute> attrs, std::vector<norn::Tensor> constants) {
  const opset::Schema* schema = opset::schema_at(op, version);
  if (!schema) {
    throw Error(ErrorCode::Internal, opset::full_name(op) + " has no version " + std::to_string(version));
  }
  BoundNode bound{.op = &op, .schema = schema};
  bound.node.op_type = std::string(op.name);
  if (!op.domain.empty()) bound.node.domain = std::string(op.domain);
  bound.node.input.push_back(std::move(from));
  for (norn::Tensor& t : constants) {
    bound.node.input.push_back(add_constant(values, std::string(op.name) + "_constant", std::move(t)));
  }
  bound.node.output.push_back(std::move(to));
  bound.node.attribute = std::move(attrs);
  return bound;
}

ir::Attribute* attribute(ir::Node& node, std::string_view name) {
  for (ir::Attribute& a : node.attribute) {
    if (a.name.get() == name) return &a;
  }
  return nullptr;
}

void put(ir::Node& node, ir::Attribute a) {
  if (auto* old = attribute(node, a.name.get()))
    *old = std::move(a);
  else
    node.attribute.push_back(std::move(a));
}

ir::Attribute named(std::string_view name, ir::AttributeType type) {
  ir::Attribute a;
  a.name = std::string(name);
  a.type = static_cast<std::int32_t>(type);
  return a;
}

}  // namespace

const opset::ValueType* LocalValues::type_of(const std::string& name) const {
  for (const auto& [n, type] : types) {
    if (n == name) return &type;
  }
  return context->type_of ? context->type_of(name) : nullptr;
}

const norn::Tensor* LocalValues::constant_of(const std::string& name) const {
  for (const auto& [n, constant] : constants) {
    if (n == name) return &constant;
  }
  return context->constant_of ? context->constant_of(name) : nullptr;
}

ir::Attribute make_attr(std::string_view name, std::int64_t value) {
  ir::Attribute a = named(name, ir::AttributeType::Int);
  a.i = value;
  return a;
}
ir::Attribute make_attr(std::string_view name, float value) {
  ir::Attribute a = named(name, ir::AttributeType::Float);
  a.f = value;
  return a;
}
ir::Attribute make_attr(std::string_view name, std::string value) {
  ir::Attribute a = named(name, ir::AttributeType::String);
  a.s = std::move(value);
  return a;
}
ir::Attribute make_attr(std::string_view name, std::vector<std::int64_t> values) {
  ir::Attribute a = named(name, ir::AttributeType::Ints);
  a.ints = std::move(values);
  return a;
}
ir::Attribute make_attr(std::string_view name, std::vector<std::string> values) {
  ir::Attribute a = named(name, ir::AttributeType::Strings);
  a.strings = std::move(values);
  return a;
}

opset::Attrs NodeEdit::attrs() const { return opset::Attrs(*s_->from, s_->node.attribute); }
int NodeEdit::input_count() const { return static_cast<int>(s_->node.input.size()); }
int NodeEdit::output_count() const { return static_cast<int>(s_->node.output.size()); }
bool NodeEdit::has_input(int i) const {
  return i >= 0 && i < input_count() && !s_->node.input[static_cast<std::size_t>(i)].empty();
}
bool NodeEdit::wants_output(int i) const {
  return i >= 0 && i < output_count() && !s_->node.output[static_cast<std::size_t>(i)].empty();
}

const opset::ValueType& NodeEdit::input_type(int i) const {
  if (!has_input(i)) return unknown_type();
  const opset::ValueType* type = s_->values->type_of(s_->node.input[static_cast<std::size_t>(i)]);
  return type ? *type : unknown_type();
}
const opset::ValueType& NodeEdit::output_type(int i) const {
  if (!wants_output(i)) return unknown_type();
  const opset::ValueType* type = s_->values->type_of(s_->node.output[static_cast<std::size_t>(i)]);
  return type ? *type : unknown_type();
}
std::optional<std::int64_t> NodeEdit::input_rank(int i) const {
  const opset::ValueType& type = input_type(i);
  if (type.has_rank()) return static_cast<std::int64_t>(type.shape->size());
  const norn::Tensor* constant = input_constant(i);
  return constant ? std::optional<std::int64_t>(constant->rank()) : std::nullopt;
}
const norn::Tensor* NodeEdit::input_constant(int i) const {
  return has_input(i) ? s_->values->constant_of(s_->node.input[static_cast<std::size_t>(i)]) : nullptr;
}

void NodeEdit::remove_attr(std::string_view name) {
  std::erase_if(s_->node.attribute, [&](const ir::Attribute& a) { return a.name.get() == name; });
}
void NodeEdit::set_attr(std::string_view name, std::int64_t value) { put(s_->node, make_attr(name, value)); }
void NodeEdit::set_attr(std::string_view name, float value) { put(s_->node, make_attr(name, value)); }
void NodeEdit::set_attr(std::string_view name, std::string value) { put(s_->node, make_attr(name, std::move(value))); }
void NodeEdit::set_attr(std::string_view name, std::vector<std::int64_t> values) {
  put(s_->node, make_attr(name, std::move(values)));
}
void NodeEdit::set_attr(std::string_view name, std::vector<float> values) {
  ir::Attribute a = named(name, ir::AttributeType::Floats);
  a.floats = std::move(values);
  put(s_->node, std::move(a));
}
void NodeEdit::set_attr(std::string_view name, std::vector<std::string> values) {
  put(s_->node, make_attr(name, std::move(values)));
}
void NodeEdit::set_attr(std::string_view name, const norn::Tensor& value) {
  ir::Attribute attribute;
  attribute.name = std::string(name);
  attribute.type = static_cast<std::int32_t>(ir::AttributeType::Tensor);
  attribute.t = ir::from_value(value);
  put(s_->node, std::move(attribute));
}

void NodeEdit::set_input(int i, const norn::Tensor& constant) {
  auto& inputs = s_->node.input;
  while (static_cast<int>(inputs.size()) <= i) inputs.emplace_back();
  std::string& slot = inputs[static_cast<std::size_t>(i)];
  const std::string hint = slot.empty() ? s_->node.op_type.get() + "_input" + std::to_string(i) : slot;
  slot = add_constant(s_->values, hint, constant);
}
void NodeEdit::set_input_ints(int i, const std::vector<std::int64_t>& values) {
  norn::Tensor t(DataType::Int64, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as_mutable<std::int64_t>());
  set_input(i, t);
}
void NodeEdit::insert_input(int i, const norn::Tensor& constant) {
  auto& inputs = s_->node.input;
  while (static_cast<int>(inputs.size()) < i) inputs.emplace_back();
  inputs.insert(inputs.begin() + i, std::string());
  set_input(i, constant);
}
void NodeEdit::drop_input(int i) {
  if (i < input_count()) s_->node.input.erase(s_->node.input.begin() + i);
}
void NodeEdit::drop_output(int i) {
  if (i < output_count()) s_->node.output.erase(s_->node.output.begin() + i);
}

void NodeEdit::wrap_input(int i, const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                          std::vector<norn::Tensor> constants) {
  if (!has_input(i)) throw Error(ErrorCode::Internal, "a version step wraps the omitted input " + std::to_string(i));
  std::string& slot = s_->node.input[static_cast<std::size_t>(i)];
  std::string name = s_->values->fresh_name(slot);
  s_->before.push_back(between(s_->values, op, version, slot, name, std::move(attrs), std::move(constants)));
  s_->values->types.emplace_back(name, infer_type(s_->values, s_->before.back()));
  slot = std::move(name);
}

void NodeEdit::wrap_output(int o, const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                           std::vector<norn::Tensor> constants) {
  if (!wants_output(o)) return;
  std::string& slot = s_->node.output[static_cast<std::size_t>(o)];
  std::string name = s_->values->fresh_name(slot);
  s_->after.insert(s_->after.begin(),
                   between(s_->values, op, version, name, slot, std::move(attrs), std::move(constants)));
  slot = std::move(name);
}

std::string NodeEdit::put_in_front(const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                                   std::vector<std::string> inputs, std::string_view called) {
  std::string name = s_->values->fresh_name(std::string(called.empty() ? op.name : called));
  BoundNode made = between(s_->values, op, version, std::move(inputs.front()), name, std::move(attrs), {});
  for (std::size_t i = 1; i < inputs.size(); ++i) made.node.input.push_back(std::move(inputs[i]));
  s_->values->types.emplace_back(name, infer_type(s_->values, made));
  s_->before.push_back(std::move(made));
  return name;
}

const std::string& NodeEdit::input_name(int i) const { return s_->node.input[static_cast<std::size_t>(i)]; }

void NodeEdit::replace_input(int i, std::string name) { s_->node.input[static_cast<std::size_t>(i)] = std::move(name); }

void NodeEdit::become(const opset::Operator& op, int version) {
  const opset::Schema* schema = opset::schema_at(op, version);
  if (!schema) {
    throw Error(ErrorCode::Internal, opset::full_name(op) + " has no version " + std::to_string(version));
  }
  s_->node.op_type = std::string(op.name);
  if (op.domain.empty())
    s_->node.domain.clear();
  else
    s_->node.domain = std::string(op.domain);
  s_->op = &op;
  s_->schema = schema;
}

void NodeEdit::cannot(std::string why, std::string hint) const {
  throw Error(ErrorCode::NotImplemented, std::move(why), {}, std::move(hint));
}

}  // namespace norn::transform
