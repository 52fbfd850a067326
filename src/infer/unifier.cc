// Equations between dimensions, solved one variable at a time. A named variable is replaced only by expressions of named
// variables: a user would not know what "?3" is.
#include "infer/unifier.h"

#include <algorithm>
#include <utility>

#include "norn/error.h"

namespace norn::infer {
namespace {

using opset::DimExpr;

bool is_fresh(std::string_view name) { return name.starts_with('?'); }

std::vector<std::string> variables_of(const DimExpr& e) {
  std::vector<std::string> names;
  e.collect_variables(names);
  return names;
}
bool has_fresh(const DimExpr& e) {
  const auto names = variables_of(e);
  return std::any_of(names.begin(), names.end(), is_fresh);
}

// Which variable goes first: fresh ones, the youngest of them, then those met last.
void order_for_elimination(std::vector<std::string>& names) {
  std::reverse(names.begin(), names.end());
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    if (is_fresh(a) != is_fresh(b)) return is_fresh(a);
    if (!is_fresh(a)) return false;
    return a.size() != b.size() ? a.size() > b.size() : a > b;  // "?10" is younger than "?9"
  });
}

DimExpr with(const DimExpr& e, std::string_view name, std::int64_t value) {
  return e.substitute([&](std::string_view n) { return n == name ? std::optional<DimExpr>(value) : std::nullopt; });
}

// From `difference` == 0: what `name` must be, if the equation is linear in it and the rest divides.
std::optional<DimExpr> solve(const DimExpr& difference, std::string_view name) {
  const DimExpr rest = with(difference, name, 0);
  const DimExpr slope = with(difference, name, 1) - rest;
  if (!slope.is_constant() || slope.constant() == 0) return {};
  if (!(difference == slope * DimExpr::variable(name) + rest)) return {};
  const DimExpr value = DimExpr::floor_div(DimExpr(0) - rest, slope);
  if (!(value * slope + rest == DimExpr(0))) return {};
  return value;
}

[[noreturn]] void contradiction(const DimExpr& a, const DimExpr& b) {
  throw Error(ErrorCode::InvalidGraph, a.to_string() + " cannot equal " + b.to_string());
}

}  // namespace

DimExpr Unifier::resolve(const DimExpr& e) const {
  if (e.is_constant() || solved_.empty()) return e;
  DimExpr current = e;
  for (bool changed = true; changed && !current.is_constant();) {
    changed = false;
    current = current.substitute([&](std::string_view name) -> std::optional<DimExpr> {
      const auto at = solved_.find(std::string(name));
      if (at == solved_.end()) return {};
      changed = true;
      return at->second;
    });
  }
  return current;
}

opset::ValueType Unifier::resolve(const opset::ValueType& type) const {
  opset::ValueType t = type;
  if (solved_.empty()) return t;
  if (t.shape) {
    for (DimExpr& d : *t.shape) d = resolve(d);
  }
  if (t.element) t.element = std::make_shared<const opset::ValueType>(resolve(*t.element));
  return t;
}

void Unifier::equal(const DimExpr& a, const DimExpr& b) {
  std::vector<Equation> todo = {{a, b}};
  while (!todo.empty()) {
    const Equation equation = std::move(todo.back());
    todo.pop_back();
    const DimExpr left = resolve(equation.left), right = resolve(equation.right);
    if (left == right) continue;
    if (DimExpr::differ(left, right)) contradiction(equation.left, equation.right);
    const DimExpr difference = left - right;
    auto names = variables_of(left);
    for (std::string& name : variables_of(right)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    order_for_elimination(names);
    bool found = false;
    for (const std::string& name : names) {
      auto value = solve(difference, name);
      if (!value || (!is_fresh(name) && has_fresh(*value))) {
        // c*v == k with c not dividing k has no solution
        if (!value && names.size() == 1 && with(difference, name, 0).is_constant()) {
          const DimExpr slope = with(difference, name, 1) - with(difference, name, 0);
          if (slope.is_constant() && slope.constant() != 0 &&
              difference == slope * DimExpr::variable(name) + with(difference, name, 0)) {
            contradiction(left, right);
          }
        }
        continue;
      }
      if (value->is_constant() && value->constant() < 0) contradiction(left, right);
      solved_.emplace(name, *std::move(value));
      found = true;
      break;
    }
    if (!found) {
      open_.push_back({left, right});
    } else {
      todo.insert(todo.end(), open_.begin(), open_.end());
      open_.clear();
    }
  }
}

}  // namespace norn::infer
