#include "infer/loop_memory.h"

#include <memory>
#include <utility>

#include "opset/type_check.h"

namespace norn::infer {
namespace {

using opset::DimExpr;
using opset::Fact;
using opset::ValueType;

DimExpr other_than(const DimExpr& d) {
  DimExpr other = DimExpr::variable("?");
  return other == d ? DimExpr::variable("??") : other;
}

// Whether something was widened, which `now` then says otherwise in the same place.
bool disturb(ValueType& now, const ValueType& first, const ValueType& last) {
  if (!now.known()) {
    if (first.known() || !last.known()) return false;
    now = opset::without_shape(last);
    return true;
  }
  if (now.element) {
    if (!first.element || !last.element) return false;
    ValueType element = *now.element;
    if (!disturb(element, *first.element, *last.element)) return false;
    now.element = std::make_shared<const ValueType>(std::move(element));
    return true;
  }
  if (!now.shape || !first.shape) return false;
  if (!last.shape) {
    now.shape.reset();
    return true;
  }
  const std::size_t rank = now.shape->size();
  if (first.shape->size() != rank || last.shape->size() != rank) return false;
  bool disturbed = false;
  for (std::size_t d = 0; d < rank; ++d) {
    if ((*first.shape)[d] == (*last.shape)[d]) continue;
    (*now.shape)[d] = other_than((*now.shape)[d]);
    disturbed = true;
  }
  return disturbed;
}

}  // namespace

std::optional<std::vector<Fact>> LoopMemory::answer(const opset::Operator& op, std::span<const Fact> formals) {
  if (std::exchange(asked_, true)) {
    last_.assign(formals.begin(), formals.end());
    return {};
  }
  // A Loop's first two formals are its own, and its body's first output is the condition.
  const std::size_t ahead = op.control_flow == opset::ControlFlow::Loop ? 1 : 0;
  std::vector<Fact> given(formals.begin() + static_cast<std::ptrdiff_t>(ahead), formals.end());
  bool widened = false;
  const bool remembers = times_ > kTimesWithout && formals.size() == first_.size();
  for (std::size_t i = 0; remembers && i < given.size(); ++i) {
    const Fact &first = first_[i + ahead], &last = last_[i + ahead];
    widened = disturb(given[i].type, first.type, last.type) || widened;
    if (!given[i].value.known() || !first.value.known() || last.value.known()) continue;
    given[i].value = {};
    widened = true;
  }
  first_.assign(formals.begin(), formals.end());
  if (widened) return given;
  last_ = first_;
  return {};
}

}  // namespace norn::infer
