// For the tests of shape arithmetic and of version steps: inference of one node after another with symbolic contents,
// and a node moved between opsets whose result can be run.
#pragma once
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "infer/inferrer.h"
#include "ir/tensor_data.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {

// What is known of one value.
struct Fact {
  opset::ValueType type;
  opset::KnownValue value;
  bool present = true;

  std::string shape() const { return type.has_rank() ? to_string(*type.shape) : "?"; }
  std::string contents() const { return value.ints ? to_string(*value.ints) : "?"; }
};
inline Fact fact(std::string_view text) { return {type(text), {}}; }
inline Fact fact(const Tensor& constant) {
  Fact f{opset::ValueType::tensor(constant.dtype(), opset::Dims(constant.dims().begin(), constant.dims().end())), {}};
  f.value.constant = constant;
  return f;
}
inline Fact ints_fact(const std::vector<std::int64_t>& values) {
  return fact(tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}
inline Fact int_fact(std::int64_t value) { return fact(tensor<std::int64_t>({}, {value})); }
// A vector of symbolic integers: constants or variables.
inline Fact symbols(const opset::Dims& values) {
  Fact f{opset::ValueType::tensor(DataType::Int64, {static_cast<std::int64_t>(values.size())}), {}};
  f.value.ints = values;
  return f;
}
inline Fact absent() { return {{}, {}, false}; }

// One graph's worth of inference: sizes found equal stay equal, fresh sizes stay distinct.
class Chain final : infer::Surroundings {
 public:
  Fact operator()(const opset::Operator& op, int opset, const Attributes& attrs, std::vector<Fact> inputs) {
    infer::FactList facts;
    std::vector<infer::ValueId> given;
    for (Fact& f : inputs) {
      f = resolved(f);
      given.push_back(f.present ? facts.add({f.type, f.value}) : infer::kNoValue);
    }
    const infer::ValueId output = facts.add();
    infer::Inferrer(facts, symbols_, opset::evaluate, infer::Mode::Check)
        .node({&op, opset::Attrs(*opset::schema_at(op, opset), attrs), given, {&output, 1}, infer::kNowhere}, this);
    return resolved({facts[output].type, facts[output].value});
  }
  Fact resolved(Fact f) const {
    f.type = symbols_.resolve(f.type);
    if (f.value.ints) {
      for (opset::DimExpr& e : *f.value.ints) e = symbols_.resolve(e);
    }
    return f;
  }
  std::vector<std::vector<opset::ValueType>> branches;  // what then_branch and else_branch give
  int subgraphs_inferred = 0;

 private:
  std::vector<opset::Fact> infer_subgraph(std::string_view name, std::span<const opset::Fact>) override {
    ++subgraphs_inferred;
    std::vector<opset::Fact> facts;
    for (const opset::ValueType& given : branches.at(name == "then_branch" ? 0 : 1)) facts.push_back({given, {}});
    return facts;
  }
  infer::Symbols symbols_;
};

inline ir::Attribute tensor_attr(std::string_view name, const Tensor& value) {
  ir::Attribute a;
  a.name = std::string(name);
  a.type = static_cast<std::int32_t>(ir::AttributeType::Tensor);
  a.t = ir::from_value(value);
  return a;
}
inline ir::Attribute strings_attr(std::string_view name, std::vector<std::string> values) {
  ir::Attribute a;
  a.name = std::string(name);
  a.type = static_cast<std::int32_t>(ir::AttributeType::Strings);
  a.strings = std::move(values);
  return a;
}
inline ir::Attribute floats_attr(std::string_view name, std::vector<float> values) {
  ir::Attribute a;
  a.name = std::string(name);
  a.type = static_cast<std::int32_t>(ir::AttributeType::Floats);
  a.floats = std::move(values);
  return a;
}

// An input of a node to be moved: what a conversion knows of it. `constant`: whether it sees the contents.
struct Operand {
  Value value;
  bool constant = false;
  bool typed = true;
};

// Moves a node from one opset to another, as converting a model does.
inline transform::Lifted moved(const opset::Operator& op, int from, int to, const Attributes& attrs,
                               const std::vector<Operand>& inputs) {
  std::vector<Known> known;
  for (const Operand& in : inputs) {
    known.push_back({.present = !in.value.is_empty()});
    if (!in.value.is_tensor()) continue;
    const Tensor& t = in.value.tensor();
    if (in.typed)
      known.back().type = opset::ValueType::tensor(t.dtype(), opset::Dims(t.dims().begin(), t.dims().end()));
    if (in.constant) known.back().contents = t;
  }
  return move_node(op, from, to, attrs, known);
}

// Runs the nodes that moved() gave: each is lifted again by its own version's steps and then computed.
inline Value run_moved(const transform::Lifted& lifted, const std::vector<Operand>& inputs) {
  std::unordered_map<std::string, Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) values["in" + std::to_string(i)] = inputs[i].value;
  for (const auto& [name, constant] : lifted.constants) values[name] = constant;
  for (const auto& bound : lifted.nodes) {
    std::vector<Value> given;
    for (const std::string& name : bound.node.input) given.push_back(name.empty() ? Value() : values.at(name));
    values[bound.node.output.at(0)] = run_lifted(*bound.op, bound.schema->since, bound.node.attribute, given)[0];
  }
  return values.at("out0");
}

inline std::vector<std::int64_t> ints(const Value& value) {
  std::vector<std::int64_t> values;
  for (const double d : doubles(value.tensor())) values.push_back(static_cast<std::int64_t>(d));
  return values;
}
inline std::vector<std::string> strings(const Value& value) {
  const Tensor& t = value.tensor();
  return {t.as<std::string>(), t.as<std::string>() + t.size()};
}
// 0, 1, ..., n-1 under the given dimensions.
inline Tensor iota(DataType dtype, const norn::Shape& dims) {
  std::vector<double> values(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return tensor_of(dtype, dims, values);
}
// The element types that the newest version of an operator takes for one of its type variables.
inline std::vector<DataType> types_of(const opset::Operator& op, std::size_t variable = 0) {
  std::vector<DataType> all;
  for (int t = 1; t < kDataTypeCount; ++t) {
    const auto type = static_cast<DataType>(t);
    if (op.history.back().types[variable].set.allows_tensor(type)) all.push_back(type);
  }
  return all;
}
// The bytes of two tensors (the strings of string tensors) are the same.
inline bool same_elements(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.size() != b.size()) return false;
  if (a.dtype() == DataType::String) return strings(Value(a)) == strings(Value(b));
  return a.size() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

}  // namespace norn::ops::test
