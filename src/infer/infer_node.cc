// Around an operator's own function: what the schema alone says is checked before and filled in after.
//
// Contents come in two forms that have to agree: a constant, and integers as expressions. Whichever is there gives the
// other. Trap: an int32 result computed in 64 bits may not fit; such integers are dropped rather than wrapped.
#include "infer/infer_node.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "infer/cure.h"
#include "infer/signature.h"
#include "ir/small_vector.h"
#include "norn/error.h"
#include "opset/type_check.h"

namespace norn::infer {
namespace {

using opset::Attrs;
using opset::DimExpr;
using opset::Dims;
using opset::InferContext;
using opset::KnownValue;
using opset::Operator;
using opset::Param;
using opset::ParamOption;
using opset::Schema;
using opset::ValueType;

[[noreturn]] void fail(Fault fault, std::string message, std::string hint = {}) {
  throw NodeError(fault, std::move(message), std::move(hint));
}

std::string place(std::string_view what, std::size_t i, const Param& param) {
  return std::string(what) + " " + std::to_string(i) + " \"" + std::string(param.name) + "\"";
}

std::string list_types(const opset::TypeSet& set) {
  std::string text;
  for (const std::string& s : opset::type_strings(set)) text += (text.empty() ? "" : ", ") + s;
  return text;
}

// What each type variable stands for, and which input said so. Input types outlive it.
struct Binding {
  std::string_view variable;
  const ValueType* type;
  std::size_t input;
};
struct Bindings {
  ir::SmallVector<Binding, 4> all;
  const Binding* find(std::string_view variable) const {
    for (const Binding& b : all) {
      if (b.variable == variable) return &b;
    }
    return nullptr;
  }
};

void check_arity(const Operator& op, const Schema& schema, std::span<const InferContext::Input> inputs,
                 std::size_t outputs) {
  const auto count = [&](bool in, std::size_t n, int least, int most) {
    if (n >= static_cast<std::size_t>(least) && n <= static_cast<std::size_t>(most)) return;
    FaultText fault = wrong_count(in, n, least, most, op, schema);
    fail(Fault::Signature, std::move(fault.message), std::move(fault.hint));
  };
  count(true, inputs.size(), opset::min_inputs(schema), opset::max_inputs(schema));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Param* p = param_at(schema.inputs, i);
    if (!p || p->option == ParamOption::Optional || inputs[i].type) continue;
    FaultText fault = empty_input(i, inputs.size(), op, schema);
    fail(Fault::Signature, std::move(fault.message), std::move(fault.hint));
  }
  count(false, outputs, opset::min_outputs(schema), opset::max_outputs(schema));
}

std::string hint_for_later_version(const Operator& op, const Schema& schema, const Param& param,
                                   const ValueType& type) {
  for (const Schema& row : op.history) {
    if (row.since <= schema.since || row.deprecated) continue;
    for (const Param& p : row.inputs) {
      if (p.name != param.name) continue;
      const auto* constraint = opset::find_type(row, p.type);
      if (constraint && opset::allows(constraint->set, type)) {
        return opset::full_name(op) + " accepts it from opset version " + std::to_string(row.since) + " on";
      }
    }
  }
  const auto* own = opset::find_type(schema, param.type);
  const auto takes = [&](DataType elem) { return own && opset::allows(own->set, ValueType::tensor(elem)); };
  const std::string_view one = takes(DataType::Float)   ? "float"
                               : takes(DataType::Int64) ? "int64"
                               : takes(DataType::Bool)  ? "bool"
                                                        : "";
  if (type.is_tensor() && type.elem != DataType::String && !one.empty())
    return "put a Cast to " + std::string(one) + " before the node, or mend what makes the value";
  if (type.kind == ValueType::Kind::Sequence && own && type.element && opset::allows(own->set, *type.element))
    return "take an element with SequenceAt, or join them with ConcatFromSequence";
  if (type.kind == ValueType::Kind::Optional && own && type.element && opset::allows(own->set, *type.element))
    return "take what it holds with OptionalGetElement";
  return {};
}

bool needs_conversion(const opset::TypeSet& set, const ValueType& type) {
  if (type.kind == ValueType::Kind::Optional) return type.element && opset::allows(set, *type.element);
  return opset::allows(set, ValueType::optional(type));
}

// With `check` off only binds.
Bindings bind_types(const Operator& op, const Schema& schema, std::span<const InferContext::Input> inputs, bool check) {
  Bindings bindings;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Param* p = param_at(schema.inputs, i);
    if (!p || !inputs[i].type || !inputs[i].type->known()) continue;
    const ValueType& type = *inputs[i].type;
    // Like the first one, and right therefore: most operators of several inputs have one type variable.
    if (!bindings.all.empty() && bindings.all[0].variable.data() == p->type.data() &&
        bindings.all[0].variable.size() == p->type.size() && type.is_tensor() && bindings.all[0].type->is_tensor() &&
        bindings.all[0].type->elem == type.elem)
      continue;
    const auto* constraint = opset::find_type(schema, p->type);
    if (!constraint) {
      if (!check) continue;
      const ValueType literal = opset::type_from_string(p->type);
      if (opset::same_type(literal, type)) continue;
      fail(Fault::InputType,
           place("input", i, *p) + " is " + type.to_string() + ", but has to be " + std::string(p->type));
    }
    if (check && !opset::allows(constraint->set, type)) {
      fail(needs_conversion(constraint->set, type) ? Fault::Conversion : Fault::InputType,
           place("input", i, *p) + " is " + type.to_string() + ", but " + opset::full_name(op) + " of version " +
               std::to_string(schema.since) + " takes only " + list_types(constraint->set),
           hint_for_later_version(op, schema, *p, type));
    }
    if ((p->option == ParamOption::Variadic && !p->homogeneous) ||
        (type.is_tensor() && type.elem == DataType::Undefined)) {
      continue;
    }
    if (const Binding* bound = bindings.find(p->type)) {
      if (!check || opset::same_type(*bound->type, type)) continue;
      fail(Fault::TypeVariable,
           place("input", i, *p) + " is " + type.to_string() + ", but " + std::string(p->type) + " is " +
               opset::without_shape(*bound->type).to_string() + " because of " +
               place("input", bound->input, *param_at(schema.inputs, bound->input)),
           type.is_tensor() && bound->type->is_tensor() && type.elem != DataType::String &&
                   bound->type->elem != DataType::String
               ? "both have to be of one type: put a Cast before the node"
               : "both have to be of one type");
    }
    bindings.all.push_back({p->type, &type, i});
  }
  return bindings;
}

// An output's type as far as the schema alone determines it.
ValueType type_from_schema(const Schema& schema, const Param& param, const Bindings& bindings) {
  const auto* constraint = opset::find_type(schema, param.type);
  if (!constraint) return opset::type_from_string(param.type);
  if (param.option == ParamOption::Variadic && !param.homogeneous) return {};
  if (const Binding* bound = bindings.find(param.type)) return opset::without_shape(*bound->type);
  return opset::only_type(constraint->set);
}

void check_output_type(const Operator& op, const Schema& schema, const Param& param, std::size_t i,
                       const ValueType& expected, const ValueType& type) {
  if (!opset::same_type(expected, type)) {
    fail(Fault::OutputType, place("output", i, param) + " is " + type.to_string() + ", but " + std::string(param.type) +
                                " is " + expected.to_string());
  }
  const auto* constraint = opset::find_type(schema, param.type);
  if (constraint && !opset::allows(constraint->set, type)) {
    fail(Fault::OutputType, place("output", i, param) + " would be " + type.to_string() + ", but " +
                                opset::full_name(op) + " of version " + std::to_string(schema.since) + " gives only " +
                                list_types(constraint->set));
  }
}

// Whether the output's type is one that an input of its type variable has, and is right therefore. Not for nested ones.
bool has_bound_type(const ValueType& type, const Param& param, const Bindings& bindings) {
  if (!type.is_tensor() || (param.option == ParamOption::Variadic && !param.homogeneous)) return false;
  const Binding* bound = bindings.find(param.type);
  return bound && bound->type->is_tensor() && bound->type->elem == type.elem;
}

void complete_output_types(const Operator& op, const Schema& schema, const Bindings& bindings,
                           std::span<InferContext::Output> outputs, bool check) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Param* p = param_at(schema.outputs, i);
    if (!p || !outputs[i].wanted) continue;
    ValueType& type = outputs[i].type;
    const bool complete = type.known() && !(type.is_tensor() && type.elem == DataType::Undefined);
    if (complete && (!check || has_bound_type(type, *p, bindings))) continue;
    const ValueType expected = type_from_schema(schema, *p, bindings);
    if (!type.known()) type = expected;
    if (type.is_tensor() && type.elem == DataType::Undefined && expected.is_tensor()) type.elem = expected.elem;
    if (check) check_output_type(op, schema, *p, i, expected, type);
  }
}

constexpr std::size_t kMostCharacters = 1 << 16;

bool is_int(DataType type) { return type == DataType::Int64 || type == DataType::Int32; }

Tensor tensor_of(const Dims& ints, DataType elem, Shape dims) {
  Tensor t(elem, std::move(dims));
  for (std::size_t i = 0; i < ints.size(); ++i) {
    if (elem == DataType::Int64)
      t.as_mutable<std::int64_t>()[i] = ints[i].constant();
    else
      t.as_mutable<std::int32_t>()[i] = static_cast<std::int32_t>(ints[i].constant());
  }
  return t;
}

void refine_shape(ValueType& type, const Shape& dims) {
  bool fits = !type.shape || type.shape->size() == dims.size();
  for (std::size_t d = 0; fits && type.shape && d < dims.size(); ++d) {
    fits = !DimExpr::differ((*type.shape)[d], DimExpr(dims[d]));
  }
  if (!fits) {
    throw Error(ErrorCode::Internal,
                "inference gives " + type.to_string() + ", but the value's shape is " + norn::to_string(dims));
  }
  type.shape = Dims(dims.begin(), dims.end());
}

// Those of another number than the shape has are dropped.
void complete_fractions(InferContext::Output& out) {
  if (!out.value.fractions) return;
  const bool floating = out.type.is_tensor() && (out.type.elem == DataType::Float || out.type.elem == DataType::Double);
  const bool vector = floating && out.type.has_rank() && out.type.shape->size() <= 1;
  const DimExpr count = static_cast<std::int64_t>(out.value.fractions->size());
  if (!vector || !((out.type.shape->empty() ? DimExpr(1) : out.type.shape->front()) == count))
    out.value.fractions.clear();
}

void complete_output_value(InferContext::Output& out) {
  KnownValue& value = out.value;
  if (value.constant.defined()) {
    const Tensor& t = value.constant;
    if (!out.type.known()) out.type = ValueType::tensor(t.dtype());
    if (!out.type.is_tensor() || out.type.elem != t.dtype()) {
      throw Error(ErrorCode::Internal, "inference gives " + out.type.to_string() + " a value of type " +
                                           std::string(data_type_name(t.dtype())));
    }
    refine_shape(out.type, t.dims());
    complete_value(value);
    value.fractions.clear();
    return;
  }
  complete_fractions(out);
  if (!value.ints) return;
  const auto n = static_cast<std::int64_t>(value.ints->size());
  const bool narrow = out.type.elem == DataType::Int32;
  const bool usable = out.type.is_tensor() && is_int(out.type.elem) && out.type.has_rank() &&
                      out.type.shape->size() <= 1 && n <= kSmall && (out.type.shape->size() == 1 || n == 1);
  const bool fits = std::all_of(value.ints->begin(), value.ints->end(), [&](const DimExpr& e) {
    return !narrow || !e.is_constant() || e.constant() == static_cast<std::int32_t>(e.constant());
  });
  if (!usable || !fits) {
    value.ints.clear();
    return;
  }
  const Shape dims = out.type.shape->empty() ? Shape{} : Shape{n};
  refine_shape(out.type, dims);
  if (std::all_of(value.ints->begin(), value.ints->end(), [](const DimExpr& e) { return e.is_constant(); })) {
    value.constant = tensor_of(*value.ints, out.type.elem, dims);
  }
}

bool has_graph_attribute(const Schema& schema) {
  return std::any_of(schema.attrs.begin(), schema.attrs.end(), [](const opset::Attr& a) {
    return a.type == ir::AttributeType::Graph || a.type == ir::AttributeType::Graphs;
  });
}

// True if every known size says that the result stays small; sizes that depend on contents are bounded by the inputs.
bool result_is_small(std::span<const InferContext::Output> outputs) {
  bool any = false;
  for (const auto& out : outputs) {
    if (!out.wanted) continue;
    if (!out.type.is_tensor() || !out.type.has_rank()) return false;
    std::int64_t count = 1;
    for (const DimExpr& d : *out.type.shape) {
      if (!d.is_constant()) continue;
      if (d.constant() < 0 || d.constant() > kSmall) return false;
      count *= d.constant();
      if (count > kSmall) return false;
    }
    any = true;
  }
  return any;
}

// Strings may be as long as the file; a thousand copies of one are not small.
bool is_small(const Tensor& t) {
  if (t.size() > kSmall || t.dtype() != DataType::String) return t.size() <= kSmall;
  std::size_t length = 0;
  for (std::int64_t i = 0; i < t.size(); ++i) length += t.as<std::string>()[i].size();
  return length <= kMostCharacters;
}

void evaluate_contents(const Operator& op, const Attrs& attrs, std::span<const InferContext::Input> inputs,
                       std::span<InferContext::Output> outputs, Evaluator evaluator) {
  const auto is_constant = [](const InferContext::Input& in) {
    return !in.type || (in.value && in.value->constant.defined() && is_small(in.value->constant));
  };
  if (!std::all_of(inputs.begin(), inputs.end(), is_constant) || !result_is_small(outputs)) return;  // most nodes
  const Schema& schema = attrs.schema();
  if (schema.determinism != opset::Determinism::Deterministic || has_graph_attribute(schema)) return;
  if (std::any_of(outputs.begin(), outputs.end(), [](const auto& o) { return o.value.known(); })) return;
  std::vector<Value> values(inputs.size());
  std::vector<const Value*> pointers(inputs.size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].type) continue;
    values[i] = inputs[i].value->constant;
    pointers[i] = &values[i];
  }
  std::vector<Value> results;
  try {
    results = evaluator(op, attrs, pointers, static_cast<int>(outputs.size()));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::NotImplemented) return;
    if (e.code() != ErrorCode::RuntimeError) throw;
    throw Error(ErrorCode::InvalidGraph, e.message(), e.where(), e.hint());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].wanted && results[i].is_tensor() && results[i].tensor().size() <= kSmall) {
      outputs[i].value.constant = results[i].tensor();
    }
  }
}

}  // namespace

void complete_value(KnownValue& value) {
  if (!value.constant.defined() || value.ints) return;
  const Tensor& t = value.constant;
  if (t.rank() > 1 || !is_int(t.dtype()) || t.size() > kSmall) return;
  Dims ints;
  ints.reserve(static_cast<std::size_t>(t.size()));
  for (std::int64_t i = 0; i < t.size(); ++i) {
    ints.emplace_back(t.dtype() == DataType::Int64 ? t.as<std::int64_t>()[i] : t.as<std::int32_t>()[i]);
  }
  value.ints = std::move(ints);
}

std::string describe_inputs(std::span<const InferContext::Input> inputs, const InputNames* names) {
  constexpr std::size_t kMost = 16;
  std::string text = "inputs (";
  for (std::size_t i = 0; i < inputs.size() && i < kMost; ++i) {
    if (i) text += ", ";
    if (!inputs[i].type) {
      text += "none";
      continue;
    }
    if (const std::string name = names ? names->input_name(i) : std::string(); !name.empty())
      text += base::quoted(name) + " ";
    text += inputs[i].type->to_string();
  }
  if (inputs.size() > kMost) text += ", and " + std::to_string(inputs.size() - kMost) + " more";
  return text + ")";
}

void infer_node(const Operator& op, const Attrs& attrs, std::span<const InferContext::Input> given,
                std::span<InferContext::Output> outputs, InferContext::Engine& engine, Evaluator evaluator, Mode mode,
                const InputNames* names) {
  const bool check = mode != Mode::Static;
  try {
    const Schema& schema = attrs.schema();
    if (check) check_arity(op, schema, given, outputs.size());
    const Bindings bindings = check || !op.infer ? bind_types(op, schema, given, check) : Bindings{};

    std::span<const InferContext::Input> inputs = given;
    std::vector<InferContext::Input> with_ints;
    std::vector<KnownValue> completed;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const KnownValue* value = given[i].value;
      if (!value || value->ints || !value->constant.defined()) continue;
      const Tensor& t = value->constant;
      if (t.rank() > 1 || !is_int(t.dtype()) || t.size() > kSmall) continue;
      if (with_ints.empty()) {
        with_ints.assign(given.begin(), given.end());
        completed.reserve(given.size());
        inputs = with_ints;
      }
      complete_value(completed.emplace_back(*value));
      with_ints[i].value = &completed.back();
    }
    InferContext context(attrs, inputs, outputs, engine);
    try {
      if (op.infer) op.infer(context);
    } catch (const opset::DimTooLong&) {
      for (auto& out : outputs) out.type = {}, out.value = {};
      context.explain("the expression of a size is too long to be worked with");
    }

    for (auto& out : outputs) {
      if (!out.type.known() && out.value.constant.defined()) out.type = ValueType::tensor(out.value.constant.dtype());
    }
    complete_output_types(op, schema, bindings, outputs, check);
    for (auto& out : outputs) complete_output_value(out);
    if (!evaluator) return;
    evaluate_contents(op, attrs, inputs, outputs, evaluator);
    for (auto& out : outputs) complete_output_value(out);
  } catch (Error& e) {
    // Planning says which of the sizes that are fed do not fit.
    if (check && e.code() == ErrorCode::InvalidGraph && e.hint().empty()) e.help(cure_of(e, attrs, given, names));
    if (!given.empty()) e.within(describe_inputs(given, names));
    throw;
  }
}

}  // namespace norn::infer
