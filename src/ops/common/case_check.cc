#include "ops/common/case_check.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "infer/inferrer.h"
#include "norn/error.h"
#include "ops/common/elements.h"

namespace norn::ops::cases {
namespace {

using opset::DimExpr;
using opset::KnownValue;
using opset::ValueType;

// The distance of neighbours relative to 1, and the smallest number.
struct Spacing {
  double relative, least;
};
Spacing spacing(DataType type) {
  if (type == DataType::Double || type == DataType::Complex128) return {1e-13, 1e-15};
  if (type == DataType::Float || type == DataType::Complex64) return {0x1p-23, 0x1p-149};
  if (type == DataType::Float16) return {0x1p-10, 0x1p-24};
  if (type == DataType::BFloat16) return {0x1p-7, 0x1p-133};
  for (int bits = 1; bits < 8; ++bits) {  // narrow formats: found by rounding
    const double step = std::ldexp(1.0, -bits);
    if (round_to(type, 1 + step) == 1 + step) continue;
    return {2 * step, 2 * step};
  }
  return {1, 1};
}

std::string number(double v) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", v);
  return buffer;
}

bool near(double got, double want, DataType type, Bound bound) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(got) && std::isnan(want);
  if (bound.tolerance == 0) return got == want && std::signbit(got) == std::signbit(want);
  if (got == want) return true;
  if (std::isinf(got) && bound.by_steps) return true;
  if (std::isinf(want) || std::isinf(got)) return false;
  const Spacing s = spacing(type);
  if (bound.by_steps && std::abs(got - want) <= 16 * s.relative * (1 + std::abs(want))) return true;
  const double off =
      std::max({bound.tolerance, type == DataType::Float ? bound.fast : 0.0, 0.0}) * (1 + std::abs(want));
  return std::abs(got - want) <= std::max(off, s.relative * std::abs(want) + s.least);
}

std::string index_text(std::int64_t at, const Shape& dims) {
  std::vector<std::int64_t> index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = at % dims[d];
    at /= dims[d];
  }
  return to_string(index);
}

template <class T, class Same, class Text>
std::string first_differing(const Tensor& got, const Tensor& want, Same same, Text text) {
  const auto a = load_all<T>(got), b = load_all<T>(want);
  std::string all;
  int differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same(i, a[i], b[i])) continue;
    if (++differing <= 4)
      all += "\n    at " + index_text(static_cast<std::int64_t>(i), got.dims()) + ": " + text(a[i]) + ", not " +
             text(b[i]);
  }
  if (differing) all = std::to_string(differing) + " of " + std::to_string(a.size()) + " elements differ:" + all;
  return all;
}

}  // namespace

std::string difference(const Value& got, const Value& want, Bound bound, const std::vector<std::int64_t>& zeros_below) {
  const auto kinds = [&] { return "it is " + got.describe() + ", not " + want.describe(); };
  if (want.is_sequence() && got.is_sequence()) {
    const auto &a = got.sequence().items, &b = want.sequence().items;
    if (a.size() != b.size()) return kinds();
    for (std::size_t i = 0; i < a.size(); ++i)
      if (auto d = difference(a[i], b[i], bound); !d.empty()) return "item " + std::to_string(i) + ": " + d;
    return {};
  }
  if (want.is_empty() && got.is_empty()) return {};
  if (want.is_map() && got.is_map()) {
    if (auto d = difference(got.map().keys, want.map().keys, bound); !d.empty()) return "keys: " + d;
    return difference(Sequence{got.map().values}, Sequence{want.map().values}, bound);
  }
  if (!got.is_tensor() || !want.is_tensor()) return kinds();
  const Tensor &a = got.tensor(), &b = want.tensor();
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return kinds();
  const auto type = a.dtype();
  switch (domain_of(type)) {
    case Domain::F64:
      return first_differing<double>(
          a, b,
          [&](std::size_t i, double x, double y) {
            const auto at = static_cast<std::int64_t>(i);
            if (std::find(zeros_below.begin(), zeros_below.end(), at) != zeros_below.end() && !std::signbit(x))
              return false;
            return near(x, y, type, bound);
          },
          number);
    case Domain::I64:
      return first_differing<std::int64_t>(
          a, b, [](std::size_t, auto x, auto y) { return x == y; }, [](auto v) { return std::to_string(v); });
    case Domain::U64:
      return first_differing<std::uint64_t>(
          a, b, [](std::size_t, auto x, auto y) { return x == y; }, [](auto v) { return std::to_string(v); });
    case Domain::Complex:
      return first_differing<std::complex<double>>(
          a, b,
          [&](std::size_t, auto x, auto y) {
            return near(x.real(), y.real(), type, bound) && near(x.imag(), y.imag(), type, bound);
          },
          [](auto v) { return number(v.real()) + "," + number(v.imag()); });
    case Domain::String:
      return first_differing<std::string>(
          a, b, [](std::size_t, const auto& x, const auto& y) { return x == y; },
          [](const auto& v) { return '"' + v + '"'; });
  }
  return {};
}

Inferred infer(const opset::Operator& op, const opset::Schema& row, const std::vector<ir::Attribute>& attrs,
               const std::vector<Known>& inputs, std::size_t outputs, infer::Evaluator evaluator,
               const VariableSizes* sizes) {
  infer::FactList facts;
  std::vector<infer::ValueId> given, results;
  for (const Known& k : inputs) {
    if (!k.present) {
      given.push_back(infer::kNoValue);
      continue;
    }
    given.push_back(facts.add({k.type, k.value}));
    infer::complete_value(facts[given.back()].value);
  }
  for (std::size_t i = 0; i < outputs; ++i) results.push_back(facts.add());
  infer::Symbols symbols;
  infer::Inferrer(facts, symbols, evaluator, infer::Mode::Check)
      .node({&op, opset::Attrs(row, attrs), given, results, infer::kNowhere});
  if (sizes) {
    const DimExpr::Lookup lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
      const auto at = sizes->find(name);
      return at == sizes->end() ? std::nullopt : std::optional(at->second);
    };
    for (const auto& [name, size] : *sizes) {
      const DimExpr same = symbols.resolve(DimExpr::variable(name));
      if (!is_fresh(same) && same.evaluate(lookup).value_or(-1) != size)
        throw Error(ErrorCode::Internal,
                    "inference holds that " + name + " is " + same.to_string() + ", but it is " + std::to_string(size));
    }
  }
  Inferred inferred;
  for (infer::ValueId id : results) {
    opset::Fact& fact = facts[id];
    symbols.resolve(fact);
    inferred.types.push_back(std::move(fact.type));
    inferred.values.push_back(std::move(fact.value));
  }
  return inferred;
}

bool is_fresh(const DimExpr& e) {
  std::vector<std::string> names;
  e.collect_variables(names);
  return std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.starts_with('?'); });
}

bool is_shape_like(const Value& value) {
  if (!value.is_tensor()) return false;
  const Tensor& t = value.tensor();
  return (t.dtype() == DataType::Int64 || t.dtype() == DataType::Int32) && t.rank() <= 1;
}

std::string misfit(const ValueType& type, const KnownValue& known, const Value& value, const DimExpr::Lookup& sizes,
                   Bound bound) {
  if (type.kind == ValueType::Kind::Optional && type.element)
    return value.is_empty() ? std::string() : misfit(*type.element, known, value, sizes, bound);
  const std::string what = "inferred is " + type.to_string() + ", computed " + show(value, 4);
  if (!value.is_tensor()) return type.known() && type.kind == ValueType::Kind::Tensor ? what : std::string();
  const Tensor& t = value.tensor();
  if (!type.is_tensor() || type.elem != t.dtype()) return what;
  if (type.has_rank()) {
    if (type.shape->size() != t.dims().size()) return what;
    for (std::size_t d = 0; d < t.dims().size(); ++d) {
      const DimExpr& e = (*type.shape)[d];
      if (!is_fresh(e) && e.evaluate(sizes).value_or(-1) != t.dims()[d])
        return what + ", dimension " + std::to_string(d);
    }
  }
  if (known.constant.defined())
    if (auto d = difference(Value(known.constant), value, bound); !d.empty()) return "inferred contents: " + d;
  if (!known.ints) return {};
  const auto computed = to_ints(t);
  if (known.ints->size() != computed.size()) return what + ", inferred contents " + to_string(*known.ints);
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const DimExpr& e = (*known.ints)[i];
    if (!is_fresh(e) && e.evaluate(sizes).value_or(-1) != computed[i])
      return what + ", inferred contents " + to_string(*known.ints) + " at " + std::to_string(i);
  }
  return {};
}

std::string misfit(const ValueType& type, const KnownValue& known, const Given& want) {
  const auto contents = [&] {
    return known.ints                 ? " " + to_string(*known.ints)
           : known.constant.defined() ? " " + show(Value(known.constant))
                                      : "";
  };
  const auto text = [&] { return "inferred is " + type.to_string() + contents(); };
  ValueType bare = want.type, got = type;
  bare.shape.reset();
  got.shape.reset();
  if (bare.known() != got.known() || bare.to_string() != got.to_string()) return text();
  if (want.type.is_tensor()) {
    if (want.type.has_rank() != type.has_rank()) return text();
    if (type.has_rank()) {
      if (type.shape->size() != want.type.shape->size()) return text();
      for (std::size_t d = 0; d < type.shape->size(); ++d) {
        const DimExpr &g = (*type.shape)[d], &w = (*want.type.shape)[d];
        if (w.variable_name() == "?" ? !is_fresh(g) : !(g == w)) return text();
      }
    }
  }
  if (want.unknown && known.known()) return text();
  if (want.ints) {
    if (!known.ints || known.ints->size() != want.ints->size()) return text();
    for (std::size_t i = 0; i < want.ints->size(); ++i) {
      const DimExpr &g = (*known.ints)[i], &w = (*want.ints)[i];
      if (w.variable_name() == "?" ? !is_fresh(g) : !(g == w)) return text();
    }
  }
  if (want.value) {
    Value value;
    if (known.constant.defined()) {
      value = Value(known.constant);
    } else if (known.ints && want.value->is_tensor()) {
      Tensor t(want.value->tensor().dtype(), want.value->tensor().dims());
      if (static_cast<std::int64_t>(known.ints->size()) != t.size()) return text();
      for (std::size_t i = 0; i < known.ints->size(); ++i) {
        if (!(*known.ints)[i].is_constant()) return text();
        const std::int64_t v = (*known.ints)[i].constant();
        store<std::int64_t>(t, static_cast<std::int64_t>(i), 1, &v);
      }
      value = Value(std::move(t));
    } else {
      return text() + ", without contents";
    }
    return difference(value, *want.value, {});
  }
  return {};
}

}  // namespace norn::ops::cases
