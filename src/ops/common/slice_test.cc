#include "ops/common/slice_test.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_map>

#include "infer/inferrer.h"
#include "norn/error.h"
#include "ops/common/elements.h"

namespace norn::ops::test {
namespace {

using opset::DimExpr;
using opset::Dims;
using opset::KnownValue;
using opset::ValueType;

template <class T>
constexpr DataType kTypeOf = DataType::Undefined;
template <>
constexpr DataType kTypeOf<float> = DataType::Float;
template <>
constexpr DataType kTypeOf<double> = DataType::Double;
template <>
constexpr DataType kTypeOf<std::int8_t> = DataType::Int8;
template <>
constexpr DataType kTypeOf<std::int16_t> = DataType::Int16;
template <>
constexpr DataType kTypeOf<std::int32_t> = DataType::Int32;
template <>
constexpr DataType kTypeOf<std::int64_t> = DataType::Int64;
template <>
constexpr DataType kTypeOf<std::uint8_t> = DataType::Uint8;
template <>
constexpr DataType kTypeOf<std::uint16_t> = DataType::Uint16;
template <>
constexpr DataType kTypeOf<std::uint32_t> = DataType::Uint32;
template <>
constexpr DataType kTypeOf<std::uint64_t> = DataType::Uint64;
template <>
constexpr DataType kTypeOf<bool> = DataType::Bool;
template <>
constexpr DataType kTypeOf<std::string> = DataType::String;
template <>
constexpr DataType kTypeOf<std::complex<float>> = DataType::Complex64;
template <>
constexpr DataType kTypeOf<std::complex<double>> = DataType::Complex128;

const opset::Schema& schema_of(const opset::Operator& op, int opset) {
  const opset::Schema* schema = opset::schema_at(op, opset);
  if (!schema) throw Error(ErrorCode::Internal, opset::full_name(op) + " is not in opset " + std::to_string(opset));
  return *schema;
}

ValueType type_of(const Value& value) {
  if (value.is_tensor()) {
    const Tensor& t = value.tensor();
    return ValueType::tensor(t.dtype(), Dims(t.dims().begin(), t.dims().end()));
  }
  if (value.is_sequence()) {
    const auto& items = value.sequence().items;
    if (items.empty() || !items[0].is_tensor()) return ValueType::sequence({});
    return ValueType::sequence(ValueType::tensor(items[0].tensor().dtype()));
  }
  return {};
}

struct InferInput {
  ValueType type;
  bool present = true;
  KnownValue value;
};

Inferred infer_with(const opset::Operator& op, int opset, const Attributes& attrs, std::vector<InferInput> given,
                    int outputs, infer::Evaluator evaluator) {
  infer::FactList facts;
  std::vector<infer::ValueId> inputs, results;
  for (InferInput& in : given)
    inputs.push_back(in.present ? facts.add({std::move(in.type), std::move(in.value)}) : infer::kNoValue);
  for (int i = 0; i < outputs; ++i) results.push_back(facts.add());
  infer::Symbols symbols;
  infer::Inferrer(facts, symbols, evaluator, infer::Mode::Check)
      .node({&op, opset::Attrs(schema_of(op, opset), attrs), inputs, results, infer::kNowhere});
  Inferred inferred;
  for (infer::ValueId id : results) {
    opset::Fact& fact = facts[id];
    symbols.resolve(fact);
    inferred.types.push_back(std::move(fact.type));
    inferred.values.push_back(std::move(fact.value));
  }
  return inferred;
}

bool same_contents(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  if (a.dtype() == DataType::String) {
    return std::equal(a.as<std::string>(), a.as<std::string>() + a.size(), b.as<std::string>());
  }
  return a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

// Holds an inferred type against a computed value; sizes are evaluated under `lookup`.
void expect_fits(const ValueType& type, const Value& value, const DimExpr::Lookup& lookup, const char* how) {
  const std::string what = std::string(how) + ": inferred " + type.to_string() + ", computed " + value.describe();
  if (!value.is_tensor()) {
    EXPECT_TRUE(!type.known() || type.kind != ValueType::Kind::Tensor) << what;
    return;
  }
  const Tensor& t = value.tensor();
  ASSERT_TRUE(type.is_tensor()) << what;
  EXPECT_EQ(type.elem, t.dtype()) << what;
  if (!type.has_rank()) return;
  ASSERT_EQ(type.shape->size(), t.dims().size()) << what;
  for (std::size_t d = 0; d < t.dims().size(); ++d) {
    const DimExpr& e = (*type.shape)[d];
    if (has_fresh(e)) continue;
    EXPECT_EQ(e.evaluate(lookup).value_or(-1), t.dims()[d]) << what << ", dimension " << d;
  }
}

void expect_ints_fit(const KnownValue& known, const Value& value, const DimExpr::Lookup& lookup, const char* how) {
  if (known.constant.defined() && value.is_tensor()) {
    EXPECT_TRUE(same_contents(known.constant, value.tensor())) << how << ": inferred contents differ";
  }
  if (!known.ints || !value.is_tensor()) return;
  const auto computed = to_ints(value.tensor());
  ASSERT_EQ(known.ints->size(), computed.size()) << how;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const DimExpr& e = (*known.ints)[i];
    if (has_fresh(e)) continue;
    EXPECT_EQ(e.evaluate(lookup).value_or(-1), computed[i]) << how << ": " << e.to_string() << " at " << i;
  }
}

bool is_shape_like(const Tensor& t) {
  return (t.dtype() == DataType::Int64 || t.dtype() == DataType::Int32) && t.rank() <= 1;
}

std::vector<Value> evaluate_node(const opset::Operator& op, const opset::Schema& schema, const Attributes& attrs,
                                 const std::vector<const Value*>& inputs, int outputs) {
  return opset::evaluate(op, opset::Attrs(schema, attrs), inputs, outputs);
}

}  // namespace

template <class T>
Tensor tensor(const Shape& dims, const std::vector<T>& values) {
  static_assert(kTypeOf<T> != DataType::Undefined);
  Tensor t(kTypeOf<T>, dims);
  if (t.size() != static_cast<std::int64_t>(values.size())) {
    throw Error(ErrorCode::Internal,
                "a test gives " + std::to_string(values.size()) + " values for " + to_string(dims));
  }
  for (std::size_t i = 0; i < values.size(); ++i) t.as_mutable<T>()[i] = values[i];
  return t;
}
template Tensor tensor(const Shape&, const std::vector<float>&);
template Tensor tensor(const Shape&, const std::vector<double>&);
template Tensor tensor(const Shape&, const std::vector<std::int8_t>&);
template Tensor tensor(const Shape&, const std::vector<std::int16_t>&);
template Tensor tensor(const Shape&, const std::vector<std::int32_t>&);
template Tensor tensor(const Shape&, const std::vector<std::int64_t>&);
template Tensor tensor(const Shape&, const std::vector<std::uint8_t>&);
template Tensor tensor(const Shape&, const std::vector<std::uint16_t>&);
template Tensor tensor(const Shape&, const std::vector<std::uint32_t>&);
template Tensor tensor(const Shape&, const std::vector<std::uint64_t>&);
template Tensor tensor(const Shape&, const std::vector<bool>&);
template Tensor tensor(const Shape&, const std::vector<std::string>&);
template Tensor tensor(const Shape&, const std::vector<std::complex<float>>&);
template Tensor tensor(const Shape&, const std::vector<std::complex<double>>&);

Tensor tensor_of(DataType type, const Shape& dims, const std::vector<double>& values) {
  Tensor t(type, dims);
  if (t.size() != static_cast<std::int64_t>(values.size())) {
    throw Error(ErrorCode::Internal,
                "a test gives " + std::to_string(values.size()) + " values for " + to_string(dims));
  }
  switch (domain_of(type)) {
    case Domain::F64: store_all<double>(t, values); break;
    case Domain::I64: {
      std::vector<std::int64_t> v;
      for (double x : values) v.push_back(static_cast<std::int64_t>(std::nearbyint(x)));
      store_all<std::int64_t>(t, v);
      break;
    }
    case Domain::U64: {  // negative values wrap around
      std::vector<std::uint64_t> v;
      for (double x : values) v.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(x))));
      store_all<std::uint64_t>(t, v);
      break;
    }
    case Domain::Complex: store_all<std::complex<double>>(t, {values.begin(), values.end()}); break;
    case Domain::String: {
      std::vector<std::string> v;
      for (double x : values) v.push_back("s" + std::to_string(static_cast<long long>(x)));
      store_all<std::string>(t, v);
      break;
    }
  }
  return t;
}

std::vector<double> doubles(const Tensor& t) {
  std::vector<double> values;
  switch (domain_of(t.dtype())) {
    case Domain::F64: return load_all<double>(t);
    case Domain::I64:
      for (std::int64_t v : load_all<std::int64_t>(t)) values.push_back(static_cast<double>(v));
      return values;
    case Domain::U64:
      for (std::uint64_t v : load_all<std::uint64_t>(t)) values.push_back(static_cast<double>(v));
      return values;
    default: throw Error(ErrorCode::Internal, "doubles() of a tensor that is not real");
  }
}

Tensor random_tensor(DataType type, const Shape& dims, std::uint32_t seed, bool odd) {
  std::mt19937 generator(seed);
  const auto unit = [&] {  // in (0, 1); the standard's distributions differ between libraries
    return (static_cast<double>(generator()) + 0.5) / 4294967296.0;
  };
  const auto normal = [&] { return std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit()); };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e-42, 65504.0};
  const Domain domain = domain_of(type);
  Tensor t(type, dims);
  std::vector<double> values(static_cast<std::size_t>(t.size()));
  for (double& v : values) {
    v = normal();
    if (domain == Domain::I64 || domain == Domain::String)
      v = std::nearbyint(v * (storage_bits(type) == 2 ? 1 : 3));
    else if (domain == Domain::U64)
      v = std::nearbyint(std::abs(v) * 3);
    else if (odd && generator() % 5 == 0)
      v = special[generator() % std::size(special)];
  }
  if (type == DataType::Bool) {
    for (double& v : values) v = generator() % 2;
  }
  if (domain != Domain::Complex) return tensor_of(type, dims, values);
  std::vector<std::complex<double>> complex;
  for (double v : values) complex.emplace_back(v, normal());
  store_all<std::complex<double>>(t, complex);
  return t;
}

std::vector<Value> run(const opset::Operator& op, int opset, const Attributes& attrs, const std::vector<Value>& inputs,
                       int outputs) {
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(v.is_empty() ? nullptr : &v);
  return evaluate_node(op, schema_of(op, opset), attrs, pointers, outputs);
}

transform::Lifted move_node(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                            const std::vector<Known>& inputs, int outputs) {
  transform::BoundNode bound{.op = &op, .schema = &schema_of(op, opset)};
  bound.node.op_type = std::string(op.name);
  bound.node.domain = std::string(op.domain);
  bound.node.attribute = attrs;
  std::unordered_map<std::string, const Known*> known;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    bound.node.input.push_back(inputs[i].present ? "in" + std::to_string(i) : std::string());
    if (inputs[i].present) known[bound.node.input.back()] = &inputs[i];
  }
  for (int o = 0; o < outputs; ++o) bound.node.output.push_back("out" + std::to_string(o));
  transform::NodeContext context;
  context.type_of = [&](const std::string& name) -> const ValueType* {
    const auto at = known.find(name);
    return at == known.end() || !at->second->type.known() ? nullptr : &at->second->type;
  };
  context.constant_of = [&](const std::string& name) -> const Tensor* {
    const auto at = known.find(name);
    return at == known.end() || !at->second->contents ? nullptr : &*at->second->contents;
  };
  int fresh = 0;
  context.fresh_name = [&](const std::string& hint) { return hint + "_" + std::to_string(fresh++); };
  return transform::move_version(bound, target, context);
}

transform::Lifted moved(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                        const std::vector<ValueType>& types, const std::vector<std::optional<Tensor>>& contents,
                        int outputs) {
  std::vector<Known> inputs;
  for (std::size_t i = 0; i < types.size(); ++i)
    inputs.push_back({types[i], i < contents.size() ? contents[i] : std::nullopt, types[i].known()});
  return move_node(op, opset, target, attrs, inputs, outputs);
}

namespace {

std::vector<Value> move_and_run(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                                const std::vector<Value>& inputs, int outputs, bool inputs_are_constants) {
  std::vector<Known> known;
  std::unordered_map<std::string, Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = inputs[i];
    known.push_back({.type = type_of(input), .present = !input.is_empty()});
    if (inputs_are_constants && input.is_tensor()) known.back().contents = input.tensor();
    values["in" + std::to_string(i)] = input;
  }
  transform::Lifted lifted = move_node(op, opset, target, attrs, known, outputs);
  for (auto& [name, constant] : lifted.constants) values[name] = std::move(constant);
  for (const auto& b : lifted.nodes) {
    std::vector<const Value*> pointers;
    for (const std::string& name : b.node.input) pointers.push_back(name.empty() ? nullptr : &values.at(name));
    auto results = evaluate_node(*b.op, *b.schema, b.node.attribute, pointers, static_cast<int>(b.node.output.size()));
    for (std::size_t o = 0; o < results.size(); ++o) values[b.node.output[o]] = std::move(results[o]);
  }
  std::vector<Value> out;
  for (int o = 0; o < outputs; ++o) out.push_back(values["out" + std::to_string(o)]);
  return out;
}

}  // namespace

std::vector<Value> run_lifted(const opset::Operator& op, int opset, const Attributes& attrs,
                              const std::vector<Value>& inputs, int outputs) {
  constexpr int kNewest = 1 << 20;
  return run_moved(op, opset, kNewest, attrs, inputs, outputs);
}

std::vector<Value> run_moved(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                             const std::vector<Value>& inputs, int outputs) {
  std::vector<Value> known = move_and_run(op, opset, target, attrs, inputs, outputs, true);
  if (schema_of(op, opset).determinism != opset::Determinism::Deterministic) return known;
  std::vector<Value> unknown;
  try {
    unknown = move_and_run(op, opset, target, attrs, inputs, outputs, false);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::NotImplemented) throw;  // some steps need to know an input's contents
    return known;
  }
  for (std::size_t o = 0; o < known.size(); ++o) {
    if (!known[o].is_tensor()) continue;
    EXPECT_TRUE(unknown[o].is_tensor() && same_contents(known[o].tensor(), unknown[o].tensor()))
        << "output " << o << " differs when the step does not know the inputs' contents";
  }
  return known;
}

Inferred infer(const opset::Operator& op, int opset, const Attributes& attrs, const std::vector<ValueType>& types,
               const std::vector<std::optional<Tensor>>& contents, int outputs) {
  std::vector<InferInput> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    inputs.push_back({types[i]});
    if (i < contents.size() && contents[i]) inputs.back().value.constant = *contents[i];
  }
  return infer_with(op, opset, attrs, std::move(inputs), outputs, nullptr);
}

ValueType type(std::string_view text) {
  const auto inside = [&](std::string_view prefix) {
    return text.starts_with(prefix) && text.ends_with(')')
               ? std::optional(text.substr(prefix.size(), text.size() - prefix.size() - 1))
               : std::nullopt;
  };
  if (auto of = inside("seq(")) return ValueType::sequence(type(*of));
  if (auto of = inside("optional(")) return ValueType::optional(type(*of));
  const auto bracket = text.find('[');
  const DataType elem = data_type_from_name(text.substr(0, bracket));
  if (elem == DataType::Undefined) throw Error(ErrorCode::Internal, "no type: " + std::string(text));
  if (bracket == std::string_view::npos) return ValueType::tensor(elem);
  std::string_view rest = text.substr(bracket + 1, text.size() - bracket - 2);
  Dims dims;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string token(rest.substr(0, comma));
    const bool number = token.find_first_not_of("0123456789") == std::string::npos;
    dims.push_back(number ? DimExpr(std::stoll(token)) : DimExpr::variable(token));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return ValueType::tensor(elem, std::move(dims));
}

std::vector<Value> run_and_check(const opset::Operator& op, int opset, const Attributes& attrs,
                                 const std::vector<Value>& inputs, int outputs) {
  std::vector<Value> results = run(op, opset, attrs, inputs, outputs);
  const DimExpr::Lookup nothing = [](std::string_view) { return std::nullopt; };

  std::vector<InferInput> types_only, with_contents, symbolic;
  std::map<std::string, std::int64_t, std::less<>> sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    InferInput in{type_of(inputs[i]), !inputs[i].is_empty()};
    types_only.push_back(in);
    symbolic.push_back(in);
    if (inputs[i].is_tensor()) {
      const Tensor& t = inputs[i].tensor();
      in.value.constant = t;
      if (is_shape_like(t)) {
        symbolic.back().value.constant = t;
      } else {
        Dims dims;
        for (std::size_t d = 0; d < t.dims().size(); ++d) {
          const std::string name = "i" + std::to_string(i) + "d" + std::to_string(d);
          sizes[name] = t.dims()[d];
          dims.push_back(DimExpr::variable(name));
        }
        symbolic.back().type.shape = std::move(dims);
      }
    }
    with_contents.push_back(std::move(in));
  }
  const DimExpr::Lookup lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto at = sizes.find(name);
    return at == sizes.end() ? std::nullopt : std::optional(at->second);
  };
  const auto check = [&](std::vector<InferInput> given, const DimExpr::Lookup& sizes_of, infer::Evaluator evaluator,
                         const char* how) {
    const Inferred inferred = infer_with(op, opset, attrs, std::move(given), outputs, evaluator);
    for (std::size_t o = 0; o < results.size(); ++o) {
      expect_fits(inferred.types[o], results[o], sizes_of, how);
      expect_ints_fit(inferred.values[o], results[o], sizes_of, how);
    }
    return inferred;
  };
  check(types_only, nothing, nullptr, "from types");
  check(symbolic, lookup, nullptr, "from symbolic shapes");
  const Inferred known = check(with_contents, nothing, nullptr, "from contents");
  for (std::size_t o = 0; o < results.size(); ++o) {
    EXPECT_TRUE(!results[o].is_tensor() || known.types[o].has_rank()) << "with all contents the rank must be known";
  }
  check(with_contents, nothing, opset::evaluate, "evaluated");
  return results;
}

}  // namespace norn::ops::test
