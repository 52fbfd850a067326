// Floats go out as doubles of the same value; infinities, which JSON has not, as the strings "inf" and "-inf".
#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/constants.h"
#include "norn/opset.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn {
namespace {

using nlohmann::json;
using namespace opset;

json number(float f) {
  if (std::isinf(f)) return f > 0 ? "inf" : "-inf";
  return static_cast<double>(f);
}

template <class T, class F>
json list(std::span<const T> values, F&& of) {
  json all = json::array();
  for (const T& v : values) all.push_back(of(v));
  return all;
}

json default_of(const Default& d) {
  const auto text = [](std::string_view s) { return std::string(s); };
  switch (d.kind) {
    case Default::Kind::Int: return d.i;
    case Default::Kind::Float: return number(d.f);
    case Default::Kind::String: return text(d.s);
    case Default::Kind::Ints: return list(d.ints, [](std::int64_t v) { return v; });
    case Default::Kind::Floats: return list(d.floats, number);
    case Default::Kind::Strings: return list(d.strings, text);
    case Default::Kind::Tensor: {
      const bool floating = d.tensor_type == DataType::Float || d.tensor_type == DataType::Double;
      const json value = d.tensor_type == DataType::String ? json(text(d.s)) : floating ? number(d.f) : json(d.i);
      return {{"tensor", std::string(data_type_name(d.tensor_type))}, {"value", value}};
    }
    default: return nullptr;
  }
}

json param(const Param& p) {
  constexpr const char* kOptions[] = {"Single", "Optional", "Variadic"};
  constexpr const char* kDiff[] = {"Unknown", "Differentiable", "NonDifferentiable"};
  return {{"name", p.name},
          {"type", p.type},
          {"option", kOptions[static_cast<int>(p.option)]},
          {"min_arity", p.min_arity},
          {"homogeneous", p.homogeneous},
          {"diff", kDiff[static_cast<int>(p.diff)]}};
}

json attribute(const Attr& a) {
  return {{"name", a.name},
          {"type", ir::attribute_type_name(a.type)},
          {"required", a.required},
          {"default", default_of(a.def)}};
}

json row_of(const Operator& op, const Schema& row) {
  constexpr const char* kDeterminism[] = {"Unknown", "NonDeterministic", "Deterministic"};
  return {
      {"domain", op.domain},
      {"name", op.name},
      {"since", row.since},
      {"inputs", list(row.inputs, param)},
      {"outputs", list(row.outputs, param)},
      {"attributes", list(row.attrs, attribute)},
      {"types", list(row.types,
                     [](const TypeConstraint& t) { return json{{"name", t.name}, {"allowed", type_strings(t.set)}}; })},
      {"min_inputs", min_inputs(row)},
      {"max_inputs", max_inputs(row)},
      {"min_outputs", min_outputs(row)},
      {"max_outputs", max_outputs(row)},
      {"determinism", kDeterminism[static_cast<int>(row.determinism)]},
      {"support", row.support == Support::Experimental ? "EXPERIMENTAL" : "COMMON"},
      {"deprecated", row.deprecated},
      {"runnable", is_runnable(op)},
      {"function", body_at(op, row.since) != nullptr},
      {"same_meaning", row.same_meaning}};
}

}  // namespace

std::string schemas_json() {
  json all = json::array();
  for (const Operator* op : all_operators()) {
    for (const Schema& row : op->history) all.push_back(row_of(*op, row));
  }
  return all.dump();
}

}  // namespace norn
