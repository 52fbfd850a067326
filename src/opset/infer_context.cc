#include "opset/infer_context.h"

#include <cmath>

#include "norn/error.h"
#include "opset/inference_faults.h"

namespace norn::opset {
namespace {

// Longer lists are data, not parameters.
constexpr std::int64_t kMostInts = 1024;
// A shape has no more sizes; more are data, for which nothing is gained by naming each.
constexpr std::int64_t kMostFresh = 16;
// Of factors that are worth an expression.
constexpr std::int64_t kMostDenominator = std::int64_t{1} << 16;

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

std::optional<Fractions> InferContext::fractions(int i) const {
  if (!has_input(i)) return {};
  const KnownValue* value = inputs_[i].value;
  if (value && value->fractions) return *value->fractions;
  const norn::Tensor* t = constant(i);
  if (!t || t->rank() > 1 || t->size() > kMostFresh) return {};
  Fractions all;
  for (std::int64_t k = 0; k < t->size(); ++k) {
    double x = 0;
    if (t->dtype() == DataType::Float)
      x = t->as<float>()[k];
    else if (t->dtype() == DataType::Double)
      x = t->as<double>()[k];
    else
      return {};
    std::int64_t denominator = 1;
    while (x != std::floor(x) && denominator < kMostDenominator) x *= 2, denominator *= 2;
    if (x != std::floor(x) || !(std::abs(x) < 0x1p53)) return {};
    if (x == 0 && std::signbit(x)) return {};
    all.push_back({DimExpr(static_cast<std::int64_t>(x)), denominator});
  }
  return all;
}

void InferContext::set(int output, ValueType type) {
  if (output < output_count()) outputs_[output].type = std::move(type);
}
void InferContext::set_ints(int output, Dims ints) {
  if (output < output_count()) outputs_[output].value.ints = std::move(ints);
}
void InferContext::set_fractions(int output, Fractions values) {
  if (output < output_count()) outputs_[output].value.fractions = std::move(values);
}
void InferContext::set_constant(int output, norn::Tensor value) {
  if (output < output_count()) outputs_[output].value.constant = std::move(value);
}

DimExpr InferContext::fresh_dim(std::string_view why) { return engine_->fresh_dim(why); }
DimExpr InferContext::fresh_int(std::string_view why) { return engine_->fresh_int(why); }

std::optional<Dims> InferContext::fresh_dims(const DimExpr& rank, std::string_view why) {
  if (!rank.is_constant() || rank.constant() > kMostDims) return {};
  Dims dims;
  for (std::int64_t i = 0; i < rank.constant(); ++i) dims.push_back(fresh_dim(why));
  return dims;
}

std::optional<Dims> InferContext::partly_known_ints(int i) {
  if (auto ints = known_ints(i)) return ints;
  if (!has_rank(i) || rank(i) > 1 || (elem(i) != DataType::Int64 && elem(i) != DataType::Int32)) return {};
  const DimExpr count = rank(i) == 0 ? DimExpr(1) : shape(i)[0];
  if (!count.is_constant() || count.constant() < 0 || count.constant() > kMostFresh) return {};
  Dims values;
  for (std::int64_t k = 0; k < count.constant(); ++k) values.push_back(fresh_int());
  return values;
}

void InferContext::explain(std::string_view why) { engine_->explain(why); }

DimExpr InferContext::unify(const DimExpr& a, const DimExpr& b, std::string_view what) const {
  if (a == b) return a;
  const auto differ = [&](const std::string& why) {
    throw SizesDiffer(std::string(what) + " must be equal: " + why, a, b);
  };
  if (DimExpr::differ(a, b)) differ(a.to_string() + " and " + b.to_string());
  DimExpr known = NodeView::unify(a, b, what);
  try {
    engine_->equal(a, b, what);
  } catch (const Error& e) {
    differ(e.message());
  }
  if (known.is_constant()) return known;
  return has_fresh(a) && !has_fresh(b) ? b : a;
}

void InferContext::require_rank(int i, std::int64_t wanted) const {
  if (!has_rank(i) || rank(i) == wanted) return;
  throw RankDiffers(
      input_name(i) + " has rank " + std::to_string(rank(i)) + ", but rank " + std::to_string(wanted) + " is required",
      i, wanted);
}

std::vector<Fact> InferContext::infer_subgraph(std::string_view attribute, std::span<const Fact> formals) {
  return engine_->infer_subgraph(attribute, formals);
}

}  // namespace norn::opset
