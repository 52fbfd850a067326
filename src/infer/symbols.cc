// Equations between dimensions, solved one variable at a time. A named variable is replaced only by expressions of
// named variables: a user would not know what "?3" is.
#include "infer/symbols.h"

#include <algorithm>
#include <charconv>
#include <memory>
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
std::vector<std::string> variables_of(const DimExpr& a, const DimExpr& b) {
  std::vector<std::string> names = variables_of(a);
  b.collect_variables(names);
  return names;
}
using opset::has_fresh;

// Which variable goes first: fresh ones, the youngest of them, then those met last.
void order_for_elimination(std::vector<std::string>& names) {
  std::reverse(names.begin(), names.end());
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    if (is_fresh(a) != is_fresh(b)) return is_fresh(a);
    if (!is_fresh(a)) return false;
    return a.size() != b.size() ? a.size() > b.size() : a > b;  // "?10" is younger than "?9"
  });
}

// Nothing if the expression has no value there: something is divided by the variable.
std::optional<DimExpr> with(const DimExpr& e, std::string_view name, std::int64_t value) {
  try {
    return e.substitute([&](std::string_view n) { return n == name ? std::optional<DimExpr>(value) : std::nullopt; });
  } catch (const Error&) {
    return {};
  }
}

// From `difference` == 0: what `name` must be, if the equation is linear in it and the rest divides.
std::optional<DimExpr> solve_for(const DimExpr& difference, std::string_view name) {
  const std::optional<DimExpr> at_0 = with(difference, name, 0), at_1 = with(difference, name, 1);
  if (!at_0 || !at_1) return {};
  const DimExpr& rest = *at_0;
  const DimExpr slope = *at_1 - rest;
  if (!slope.is_constant() || slope.constant() == 0) return {};
  if (!(difference == slope * DimExpr::variable(name) + rest)) return {};
  DimExpr value = DimExpr::floor_div(DimExpr(0) - rest, slope);
  if (!(value * slope + rest == DimExpr(0))) return {};
  return value;
}

}  // namespace

DimExpr Symbols::fresh(std::string_view why, PlaceId where) {
  origins_.push_back({std::string(why), where});
  return DimExpr::variable(prefix_ + std::to_string(next_fresh() - 1));
}

DimExpr Symbols::fresh_int(std::string_view why, PlaceId where) {
  origins_.push_back({std::string(why), where});
  return DimExpr::variable(prefix_ + std::to_string(next_fresh() - 1) + "~");
}

const Symbols::Origin* Symbols::origin(std::string_view variable) const {
  std::size_t index = 0;
  if (DimExpr::is_signed_variable(variable)) variable.remove_suffix(1);
  if (!variable.starts_with(prefix_)) return nullptr;
  const auto [end, error] = std::from_chars(variable.data() + prefix_.size(), variable.data() + variable.size(), index);
  const bool whole = error == std::errc() && end == variable.data() + variable.size();
  return whole && index >= first_ && index < next_fresh() ? &origins_[index - first_] : nullptr;
}

// "N cannot equal 4: N is 3 by graph "g" / node 2 (Add)".
void Symbols::fail(const Equation& equation) const {
  std::string because;
  std::vector<std::string> todo = variables_of(equation.left, equation.right);
  for (std::size_t i = 0; i < todo.size() && i < 16; ++i) {
    const auto at = solved_.find(todo[i]);
    if (at == solved_.end()) continue;
    if (!is_fresh(todo[i]) || at->second.by != kNowhere) {
      const std::string by = describe_ && at->second.by != kNowhere ? " by " + describe_(at->second.by) : std::string();
      because += (because.empty() ? ": " : "; ") + todo[i] + " is " + at->second.value.to_string() + by;
    }
    for (std::string& name : variables_of(at->second.value))
      if (std::find(todo.begin(), todo.end(), name) == todo.end()) todo.push_back(std::move(name));
  }
  throw Error(ErrorCode::InvalidGraph,
              equation.left.to_string() + " cannot equal " + equation.right.to_string() + because);
}

DimExpr Symbols::resolve(const DimExpr& e) const {
  if (e.is_constant() || solved_.empty()) return e;
  DimExpr current = e;
  for (bool changed = true; changed && !current.is_constant();) {
    changed = false;
    current = current.substitute([&](std::string_view name) -> std::optional<DimExpr> {
      const auto at = solved_.find(std::string(name));
      if (at == solved_.end()) return {};
      changed = true;
      return at->second.value;
    });
  }
  return current;
}

void Symbols::resolve_known(DimExpr& e) const {
  try {
    e = resolve(e);
  } catch (const Error&) {  // what it would be cannot be written
  }
}

opset::ValueType Symbols::resolve(const opset::ValueType& type) const {
  opset::ValueType t = type;
  if (solved_.empty()) return t;
  if (t.shape) {
    for (DimExpr& d : *t.shape) resolve_known(d);
  }
  if (t.element) t.element = std::make_shared<const opset::ValueType>(resolve(*t.element));
  return t;
}

void Symbols::resolve(opset::Fact& fact) const {
  if (solved_.empty()) return;
  if (fact.type.known()) fact.type = resolve(fact.type);
  if (fact.value.ints && !fact.value.constant.defined())
    for (DimExpr& e : *fact.value.ints) resolve_known(e);
  if (fact.value.fractions)
    for (opset::Fraction& f : *fact.value.fractions) resolve_known(f.numerator);
}

void Symbols::compress() {
  std::vector<Solved*> path;
  for (auto& [name, solved] : solved_) {
    path.assign(1, &solved);
    for (;;) {
      const auto next = solved_.find(std::string(path.back()->value.variable_name()));
      if (next == solved_.end()) break;
      path.push_back(&next->second);
    }
    for (Solved* s : path) s->value = path.back()->value;
  }
}

void Symbols::equal(const DimExpr& a, const DimExpr& b, PlaceId by) {
  const Mark before = mark();
  try {
    record(a, b, by);
  } catch (const Error&) {
    take_back(before);
    throw;
  }
}

void Symbols::record(const DimExpr& a, const DimExpr& b, PlaceId by) {
  std::vector<Equation> todo = {{a, b, by}};
  while (!todo.empty()) {
    const Equation equation = std::move(todo.back());
    todo.pop_back();
    const DimExpr left = resolve(equation.left), right = resolve(equation.right);
    if (left == right) continue;
    if (DimExpr::differ(left, right)) fail(equation);
    const DimExpr difference = left - right;
    auto names = variables_of(left, right);
    order_for_elimination(names);
    bool found = false;
    for (const std::string& name : names) {
      auto value = solve_for(difference, name);
      if (!value || (!is_fresh(name) && has_fresh(*value))) {
        // c*v == k with c not dividing k has no solution
        const std::optional<DimExpr> at_0 = with(difference, name, 0), at_1 = with(difference, name, 1);
        if (!value && names.size() == 1 && at_0 && at_0->is_constant() && at_1) {
          const DimExpr slope = *at_1 - *at_0;
          if (slope.is_constant() && slope.constant() != 0 && difference == slope * DimExpr::variable(name) + *at_0)
            fail(equation);
        }
        continue;
      }
      if (value->is_constant() && value->constant() < 0) fail(equation);
      solve(name, *std::move(value), equation.by, todo);
      found = true;
      break;
    }
    if (!found) keep({left, right, equation.by});
  }
}

void Symbols::keep(Equation equation) {
  for (const std::string& name : variables_of(equation.left, equation.right)) kept_with_[name].push_back(kept_.size());
  log_.push_back({Change::Kind::Opened, nullptr, kept_.size()});
  kept_.push_back({std::move(equation)});
}

// What was kept is tried again where the variable stands in it.
void Symbols::solve(const std::string& variable, DimExpr value, PlaceId by, std::vector<Equation>& todo) {
  const auto at = solved_.emplace(variable, Solved{std::move(value), by}).first;
  log_.push_back({Change::Kind::Solved, &at->first, 0});
  const auto with_it = kept_with_.find(variable);
  if (with_it == kept_with_.end()) return;
  for (std::size_t index : with_it->second) {
    Kept& kept = kept_[index];
    if (kept.closed) continue;
    kept.closed = true;
    log_.push_back({Change::Kind::Closed, nullptr, index});
    todo.push_back(kept.equation);
  }
}

void Symbols::take_back(Mark to) {
  for (; log_.size() > to; log_.pop_back()) {
    const Change& change = log_.back();
    switch (change.kind) {
      case Change::Kind::Solved: solved_.erase(solved_.find(*change.variable)); break;
      case Change::Kind::Closed: kept_[change.kept].closed = false; break;
      case Change::Kind::Opened: {
        const Equation& equation = kept_.back().equation;
        for (const std::string& name : variables_of(equation.left, equation.right)) {
          const auto at = kept_with_.find(name);
          at->second.pop_back();
          if (at->second.empty()) kept_with_.erase(at);
        }
        kept_.pop_back();
        break;
      }
    }
  }
}

std::vector<Symbols::Equation> Symbols::open() const {
  std::vector<Equation> open;
  for (const Kept& kept : kept_)
    if (!kept.closed) open.push_back(kept.equation);
  return open;
}

std::vector<Symbols::Equation> Symbols::since(Mark from) const {
  std::vector<Equation> said;
  for (std::size_t i = from; i < log_.size(); ++i) {
    const Change& change = log_[i];
    if (change.kind == Change::Kind::Solved) {
      const Solved& solved = solved_.at(*change.variable);
      said.push_back({DimExpr::variable(*change.variable), solved.value, solved.by});
    }
    if (change.kind == Change::Kind::Opened && !kept_[change.kept].closed) said.push_back(kept_[change.kept].equation);
  }
  return said;
}

void Branches::leave() {
  if (first_) {
    common_ = symbols_.since(outside_);
    first_ = false;
  } else {
    std::erase_if(common_, [&](const Symbols::Equation& e) {
      try {
        return !(symbols_.resolve(e.left) == symbols_.resolve(e.right));
      } catch (const Error&) {  // sizes that cannot be
        return true;
      }
    });
  }
  symbols_.take_back(outside_);
}

void Branches::join(PlaceId by) {
  for (const Symbols::Equation& e : std::exchange(common_, {})) {
    try {
      symbols_.equal(e.left, e.right, by);
    } catch (const Error&) {  // none of the branches can run
    }
  }
}

}  // namespace norn::infer
