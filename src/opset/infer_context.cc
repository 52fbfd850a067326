#include "opset/infer_context.h"

#include "norn/error.h"

namespace norn::opset {
namespace {

bool has_fresh(const DimExpr& e) {
  std::vector<std::string> names;
  e.collect_variables(names);
  for (const std::string& n : names) {
    if (n.starts_with('?')) return true;
  }
  return false;
}

// Longer lists are data, not parameters.
constexpr std::int64_t kMostInts = 1024;

}  // namespace

const ValueType& InferContext::input(int i) const noexcept {
  static const ValueType unknown;
  return has_input(i) ? *inputs_[i].type : unknown;
}

const norn::Tensor* InferContext::constant(int i) const noexcept {
  if (!has_input(i)) return nullptr;
  const KnownValue* value = inputs_[i].value;
  return value && value->constant.defined() ? &value->constant : nullptr;
}

const Dims* InferContext::ints(int i) const noexcept {
  if (!has_input(i)) return nullptr;
  const KnownValue* value = inputs_[i].value;
  return value && value->ints ? &*value->ints : nullptr;
}

std::optional<Dims> InferContext::known_ints(int i) const {
  if (const Dims* known = ints(i)) return *known;
  if (has_rank(i) && rank(i) == 1 && shape(i)[0] == DimExpr(0)) return Dims{};
  const norn::Tensor* t = constant(i);
  if (!t || t->rank() > 1 || t->size() > kMostInts) return {};
  Dims values;
  for (std::int64_t k = 0; k < t->size(); ++k) {
    if (t->dtype() == DataType::Int64)
      values.emplace_back(t->as<std::int64_t>()[k]);
    else if (t->dtype() == DataType::Int32)
      values.emplace_back(t->as<std::int32_t>()[k]);
    else
      return {};
  }
  return values;
}

void InferContext::set(int output, ValueType type) {
  if (output < output_count()) outputs_[output].type = std::move(type);
}
void InferContext::set_ints(int output, Dims ints) {
  if (output < output_count()) outputs_[output].value.ints = std::move(ints);
}
void InferContext::set_constant(int output, norn::Tensor value) {
  if (output < output_count()) outputs_[output].value.constant = std::move(value);
}

DimExpr InferContext::fresh_dim() { return engine_->fresh_dim(); }

DimExpr InferContext::unify(const DimExpr& a, const DimExpr& b, std::string_view what) {
  if (a == b) return a;
  if (DimExpr::differ(a, b)) fail(std::string(what) + " must be equal: " + a.to_string() + " and " + b.to_string());
  try {
    engine_->require_equal(a, b, what);
  } catch (const Error& e) {
    fail(std::string(what) + " must be equal: " + e.message());
  }
  if (a.is_constant() || b.is_constant()) return a.is_constant() ? a : b;
  return has_fresh(a) && !has_fresh(b) ? b : a;
}

void InferContext::fail(std::string message, std::string hint) const {
  throw Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint));
}

void InferContext::require_rank(int i, std::int64_t wanted) const {
  if (!has_rank(i) || rank(i) == wanted) return;
  std::string name;
  const auto params = schema().inputs;
  if (!params.empty()) name = params[std::min<std::size_t>(i, params.size() - 1)].name;
  fail("input " + std::to_string(i) + " \"" + name + "\" has rank " + std::to_string(rank(i)) + ", but rank " +
       std::to_string(wanted) + " is required");
}

std::vector<ValueType> InferContext::infer_subgraph(std::string_view attribute, const std::vector<ValueType>& inputs) {
  return engine_->infer_subgraph(attribute, inputs);
}

}  // namespace norn::opset
