// Canonical form: a polynomial with integer coefficients over atoms. An atom is a variable, a floor of a quotient that
// does not divide, or a minimum or maximum that is not decided. Terms are kept in graded lexicographic order (highest
// first), which also makes exact polynomial division possible. The constant term is kept apart from the others, so that
// a constant dimension is a plain integer and N, N + 1 share one node.
//
// Trap: variables are >= 0 (those of unknown elements not even that), not > 0. Cancelling in a quotient is allowed
// nevertheless, because a divisor is by contract taken as positive.
#include "opset/dim_expr.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "norn/error.h"

namespace norn::opset {
namespace {

constexpr std::size_t kMaxText = 1 << 16;
constexpr int kFloatBits = 24;

[[noreturn]] void overflow() { throw Error(ErrorCode::InvalidGraph, "a dimension does not fit into 64 bits"); }
[[noreturn]] void too_long() { throw DimTooLong(); }
std::int64_t mul(std::int64_t a, std::int64_t b) {
  auto r = base::checked_mul(a, b);
  if (!r) overflow();
  return *r;
}
std::int64_t add(std::int64_t a, std::int64_t b) {
  auto r = base::checked_add(a, b);
  if (!r) overflow();
  return *r;
}
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {  // b > 0
  const std::int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

// Nothing near the ends of 64 bits.
std::optional<std::int64_t> nearest(std::int64_t v, std::int64_t bits) {
  if (v > std::int64_t{1} << 62 || v < -(std::int64_t{1} << 62)) return {};
  return bits == kFloatBits ? static_cast<std::int64_t>(static_cast<float>(v))
                            : static_cast<std::int64_t>(static_cast<double>(v));
}

struct Atom {
  enum class Kind : std::uint8_t { Variable, FloorDiv, Min, Max, Rounded } kind;
  std::string text;  // as printed; two atoms are the same exactly if their texts are
  std::vector<DimExpr>
      args;  // dividend and divisor; what the minimum or maximum is of; what is rounded, and to how many bits
};
using AtomPtr = std::shared_ptr<const Atom>;

struct Factor {
  AtomPtr atom;
  int power = 1;
};
using Monomial = std::vector<Factor>;  // by the atoms' text

int degree(const Monomial& m) {
  int d = 0;
  for (const Factor& f : m) d += f.power;
  return d;
}

// Negative if a comes before b: higher degree first, then lexicographically.
int compare(const Monomial& a, const Monomial& b) {
  if (const int da = degree(a), db = degree(b); da != db) return db - da;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].atom != b[i].atom) {
      if (const int c = a[i].atom->text.compare(b[i].atom->text)) return c;
    }
    if (a[i].power != b[i].power) return b[i].power - a[i].power;
  }
  return 0;
}

Monomial multiply(const Monomial& a, const Monomial& b) {
  Monomial m;
  m.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const int c = i == a.size() ? 1 : j == b.size() ? -1 : a[i].atom->text.compare(b[j].atom->text);
    if (c < 0)
      m.push_back(a[i++]);
    else if (c > 0)
      m.push_back(b[j++]);
    else {
      const std::int64_t power = std::int64_t{a[i].power} + b[j].power;
      if (power > 1 << 20) overflow();
      m.push_back({a[i].atom, static_cast<int>(power)});
      ++i, ++j;
    }
  }
  return m;
}

// a / b if b divides a.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
  Monomial q;
  std::size_t j = 0;
  for (const Factor& f : a) {
    int power = f.power;
    if (j < b.size() && b[j].atom->text == f.atom->text) power -= b[j++].power;
    if (power < 0) return {};
    if (power > 0) q.push_back({f.atom, power});
  }
  if (j != b.size()) return {};
  return q;
}

Monomial common(const Monomial& a, const Monomial& b) {
  Monomial m;
  for (const Factor& f : a) {
    for (const Factor& g : b) {
      if (f.atom->text == g.atom->text) m.push_back({f.atom, std::min(f.power, g.power)});
    }
  }
  return m;
}

struct Term {
  std::int64_t coefficient;
  Monomial monomial;
};

std::string term_text(std::int64_t magnitude, const Monomial& m) {
  std::string s;
  if (magnitude != 1) s = std::to_string(magnitude);
  for (const Factor& f : m) {
    if (!s.empty()) s += '*';
    s += f.atom->text;
    if (f.power > 1) (s += '^') += std::to_string(f.power);
  }
  return s;
}

}  // namespace

DimTooLong::DimTooLong()
    : Error(ErrorCode::LimitExceeded, "a symbolic dimension grew beyond " + std::to_string(kMaxText) + " characters",
            {}, "give the model's inputs fixed sizes") {}

struct DimExpr::Node {
  std::vector<Term> terms;  // not empty, no zero coefficients, none with an empty monomial
  std::string text;         // decides equality
  mutable std::atomic<std::size_t> users{1};
};

void DimExpr::NodeRef::retain(const Node* node) noexcept { node->users.fetch_add(1, std::memory_order_relaxed); }
void DimExpr::NodeRef::release(const Node* node) noexcept {
  if (node->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node;
}

struct DimAlgebra {
  using Terms = std::vector<Term>;

  static const Terms& terms(const DimExpr& e) {
    static const Terms none;
    return e.node_ ? e.node_->terms : none;
  }

  static DimExpr make(Terms terms, std::int64_t constant) {
    DimExpr e(constant);
    if (terms.empty()) return e;
    auto node = std::make_unique<DimExpr::Node>();
    for (const int sign : {1, -1}) {  // positive terms are printed first
      for (const Term& t : terms) {
        if ((t.coefficient > 0) != (sign > 0)) continue;
        if (t.coefficient == INT64_MIN) overflow();
        node->text += sign < 0 ? (node->text.empty() ? "-" : " - ") : (node->text.empty() ? "" : " + ");
        node->text += term_text(sign * t.coefficient, t.monomial);
        if (node->text.size() > kMaxText) too_long();
      }
    }
    node->terms = std::move(terms);
    e.node_ = DimExpr::NodeRef(node.release());
    return e;
  }

  static DimExpr of_atom(Atom::Kind kind, std::string text, std::vector<DimExpr> args = {}) {
    if (text.size() > kMaxText) too_long();
    auto atom = std::make_shared<const Atom>(Atom{kind, std::move(text), std::move(args)});
    return make({{1, {{std::move(atom), 1}}}}, 0);
  }

  // a + factor*b
  static DimExpr sum(const DimExpr& a, const DimExpr& b, std::int64_t factor) {
    const std::int64_t constant = add(a.constant_, mul(factor, b.constant_));
    if (!b.node_) {
      DimExpr e = a;
      e.constant_ = constant;
      return e;
    }
    const Terms &x = terms(a), &y = terms(b);
    Terms out;
    out.reserve(x.size() + y.size());
    std::size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
      const int c = i == x.size() ? 1 : j == y.size() ? -1 : compare(x[i].monomial, y[j].monomial);
      if (c < 0)
        out.push_back(x[i++]);
      else if (c > 0)
        out.push_back({mul(factor, y[j].coefficient), y[j].monomial}), ++j;
      else {
        const std::int64_t k = add(x[i].coefficient, mul(factor, y[j].coefficient));
        if (k != 0) out.push_back({k, x[i].monomial});
        ++i, ++j;
      }
    }
    return make(std::move(out), constant);
  }

  static Terms collected(Terms all) {
    std::sort(all.begin(), all.end(), [](const Term& a, const Term& b) { return compare(a.monomial, b.monomial) < 0; });
    Terms out;
    for (Term& t : all) {
      if (!out.empty() && compare(out.back().monomial, t.monomial) == 0) {
        out.back().coefficient = add(out.back().coefficient, t.coefficient);
      } else {
        if (!out.empty() && out.back().coefficient == 0) out.pop_back();
        out.push_back(std::move(t));
      }
    }
    if (!out.empty() && out.back().coefficient == 0) out.pop_back();
    return out;
  }

  static DimExpr product(const DimExpr& a, const DimExpr& b) {
    if (!a.node_ && !b.node_) return mul(a.constant_, b.constant_);
    if (!b.node_) return b.constant_ == 0 ? DimExpr(0) : b.constant_ == 1 ? a : sum(DimExpr(0), a, b.constant_);
    if (!a.node_) return product(b, a);
    const Terms &x = terms(a), &y = terms(b);
    if (x.size() * y.size() > kMaxText) too_long();
    Terms all;
    all.reserve((x.size() + 1) * (y.size() + 1));
    for (const Term& s : x) {
      for (const Term& t : y) all.push_back({mul(s.coefficient, t.coefficient), multiply(s.monomial, t.monomial)});
      if (b.constant_ != 0) all.push_back({mul(s.coefficient, b.constant_), s.monomial});
    }
    if (a.constant_ != 0) {
      for (const Term& t : y) all.push_back({mul(t.coefficient, a.constant_), t.monomial});
    }
    return make(collected(std::move(all)), mul(a.constant_, b.constant_));
  }

  // Nothing known below, or a lower bound.
  static bool nonnegative(const DimExpr& e) {
    if (e.constant_ < 0) return false;
    for (const Term& t : terms(e)) {
      if (t.coefficient < 0) return false;
      for (const Factor& f : t.monomial) {
        if (f.power % 2 != 0 && !nonnegative(*f.atom)) return false;
      }
    }
    return true;
  }
  static bool nonnegative(const Atom& atom) {
    const auto is = [](const DimExpr& e) { return nonnegative(e); };
    switch (atom.kind) {
      case Atom::Kind::Variable: return !DimExpr::is_signed_variable(atom.text);
      case Atom::Kind::FloorDiv:
      case Atom::Kind::Rounded: return nonnegative(atom.args[0]);
      case Atom::Kind::Min: return std::all_of(atom.args.begin(), atom.args.end(), is);
      default: return std::any_of(atom.args.begin(), atom.args.end(), is);
    }
  }

  static std::string operand(const DimExpr& e) {
    const std::string s = e.to_string();
    const Terms& t = terms(e);
    const bool simple = !e.node_ || (e.constant_ == 0 && t.size() == 1 && t[0].coefficient == 1 &&
                                     t[0].monomial.size() == 1 && t[0].monomial[0].power == 1);
    return simple ? s : "(" + s + ")";
  }

  static DimExpr floor_atom(DimExpr a, DimExpr b) {
    std::string text = "floor(" + operand(a) + "/" + operand(b) + ")";
    return of_atom(Atom::Kind::FloorDiv, std::move(text), {std::move(a), std::move(b)});
  }

  // b > 0
  static DimExpr floor_by_constant(const DimExpr& a, std::int64_t b) {
    if (b == 1) return a;
    if (!a.node_) return floor_quotient(a.constant_, b);
    Terms whole, rest;
    std::int64_t divisor = b;
    for (const Term& t : terms(a)) {
      const std::int64_t q = floor_quotient(t.coefficient, b), r = t.coefficient - q * b;
      if (q != 0) whole.push_back({q, t.monomial});
      if (r != 0) {
        rest.push_back({r, t.monomial});
        divisor = std::gcd(divisor, r);
      }
    }
    const std::int64_t q = floor_quotient(a.constant_, b);
    std::int64_t r = a.constant_ - q * b;
    DimExpr result = make(std::move(whole), q);
    if (rest.empty()) return result;
    for (Term& t : rest) t.coefficient /= divisor;
    b /= divisor;
    r /= divisor;  // floor((g*x + r)/(g*b)) = floor((x + floor(r/g))/b)
    if (b == 1) return sum(result, make(std::move(rest), r), 1);
    // floor((floor(x/m) + r)/b) = floor((x + r*m)/(m*b))
    if (rest.size() == 1 && rest[0].coefficient == 1 && rest[0].monomial.size() == 1 &&
        rest[0].monomial[0].power == 1) {
      const Atom& atom = *rest[0].monomial[0].atom;
      if (atom.kind == Atom::Kind::FloorDiv && atom.args[1].is_constant()) {
        const std::int64_t m = atom.args[1].constant();
        return sum(result, floor_by_constant(sum(atom.args[0], mul(r, m), 1), mul(m, b)), 1);
      }
    }
    return sum(result, floor_atom(make(std::move(rest), r), b), 1);
  }

  // Quotient of a by b if b divides a as a polynomial.
  static std::optional<DimExpr> exact_quotient(DimExpr a, const DimExpr& b) {
    const Term& lead = terms(b)[0];
    DimExpr quotient;
    for (int steps = 0; a.node_ && steps < 64; ++steps) {
      const Term& t = terms(a)[0];
      auto m = divide(t.monomial, lead.monomial);
      if (!m || t.coefficient % lead.coefficient != 0) return {};
      const std::int64_t k = t.coefficient / lead.coefficient;
      const DimExpr q = m->empty() ? DimExpr(k) : make({{k, *std::move(m)}}, 0);
      quotient = sum(quotient, q, 1);
      a = sum(a, product(q, b), -1);
    }
    if (a.node_ || a.constant_ != 0) return {};
    return quotient;
  }

  static DimExpr quotient_by_monomial(const DimExpr& a, std::int64_t k, const Monomial& m) {
    if (m.empty() && !a.node_) return a.constant_ / k;
    Terms out;
    std::int64_t constant = m.empty() ? a.constant_ / k : 0;
    for (const Term& t : terms(a)) {
      Monomial rest = *divide(t.monomial, m);
      if (rest.empty())
        constant = t.coefficient / k;
      else
        out.push_back({t.coefficient / k, std::move(rest)});
    }
    return make(std::move(out), constant);
  }

  static DimExpr floor_by_expression(DimExpr a, DimExpr b) {
    if (!a.node_ && a.constant_ == 0) return 0;
    if (auto q = exact_quotient(a, b)) return *q;
    // What every term of both has in common cancels.
    std::int64_t k = 0;
    std::optional<Monomial> m;
    for (const DimExpr* e : {&a, &b}) {
      k = std::gcd(k, e->constant_);
      if (e->constant_ != 0) m = Monomial{};
      for (const Term& t : terms(*e)) {
        k = std::gcd(k, t.coefficient);
        m = m ? common(*m, t.monomial) : t.monomial;
      }
    }
    if (k > 1 || !m->empty()) {
      a = quotient_by_monomial(a, k, *m);
      b = quotient_by_monomial(b, k, *m);
      if (!b.node_) return DimExpr::floor_div(a, b);
    }
    // floor((q*b + r)/b) = q + floor(r/b) for a divisor of one term
    if (terms(b).size() == 1 && b.constant_ == 0 && terms(b)[0].coefficient > 0) {
      const Term& divisor = terms(b)[0];
      Terms whole, rest;
      std::int64_t q_constant = 0;
      for (const Term& t : terms(a)) {
        auto q = divide(t.monomial, divisor.monomial);
        if (!q || t.coefficient % divisor.coefficient != 0)
          rest.push_back(t);
        else if (q->empty())
          q_constant = t.coefficient / divisor.coefficient;
        else
          whole.push_back({t.coefficient / divisor.coefficient, *std::move(q)});
      }
      if (!whole.empty() || q_constant != 0) {
        const DimExpr remainder = make(std::move(rest), a.constant_);
        return sum(make(collected(std::move(whole)), q_constant), DimExpr::floor_div(remainder, b), 1);
      }
    }
    return floor_atom(std::move(a), std::move(b));
  }

  // Minimum (sign = -1) or maximum (sign = 1).
  static DimExpr extreme(const DimExpr& a, const DimExpr& b, Atom::Kind kind) {
    if (a.is_constant() && b.is_constant())
      return kind == Atom::Kind::Max ? std::max(a.constant_, b.constant_) : std::min(a.constant_, b.constant_);
    std::vector<DimExpr> args;
    const auto wins = [&](const DimExpr& x, const DimExpr& y) {  // x makes y superfluous
      return kind == Atom::Kind::Max ? nonnegative(sum(x, y, -1)) : nonnegative(sum(y, x, -1));
    };
    const auto offer = [&](const DimExpr& e) {
      for (const DimExpr& x : args) {
        if (wins(x, e)) return;
      }
      std::erase_if(args, [&](const DimExpr& x) { return wins(e, x); });
      args.push_back(e);
    };
    for (const DimExpr* e : {&a, &b}) {
      const Terms& t = terms(*e);
      const bool same_kind = t.size() == 1 && e->constant_ == 0 && t[0].coefficient == 1 && t[0].monomial.size() == 1 &&
                             t[0].monomial[0].power == 1 && t[0].monomial[0].atom->kind == kind;
      if (!same_kind) {
        offer(*e);
        continue;
      }
      for (const DimExpr& inner : t[0].monomial[0].atom->args) offer(inner);
    }
    if (args.size() == 1) return args[0];
    std::vector<std::pair<std::string, DimExpr>> sorted;
    for (DimExpr& e : args) sorted.emplace_back(e.to_string(), std::move(e));
    std::sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::string text = kind == Atom::Kind::Max ? "max(" : "min(";
    args.clear();
    for (auto& [name, e] : sorted) {
      if (!args.empty()) text += ", ";
      text += name;
      args.push_back(std::move(e));
    }
    return of_atom(kind, text + ")", std::move(args));
  }

  static DimExpr rounded(const DimExpr& e, std::int64_t bits) {
    if (!e.node_) {
      const auto value = nearest(e.constant_, bits);
      if (!value) overflow();
      return *value;
    }
    // Powers of two change the exponent only, and what was rounded is not changed by rounding again.
    std::uint64_t any = static_cast<std::uint64_t>(e.constant_);
    for (const Term& t : terms(e)) any |= static_cast<std::uint64_t>(t.coefficient);
    if (const int shift = std::countr_zero(any); shift > 0) {
      const std::int64_t power = std::int64_t{1} << std::min(shift, 61);
      Terms less = terms(e);
      for (Term& t : less) t.coefficient /= power;
      return product(rounded(make(std::move(less), e.constant_ / power), bits), power);
    }
    if (const Terms& t = terms(e); t.size() == 1 && e.constant_ == 0 && t[0].coefficient == 1 &&
                                   t[0].monomial.size() == 1 && t[0].monomial[0].power == 1) {
      const Atom& atom = *t[0].monomial[0].atom;
      if (atom.kind == Atom::Kind::Rounded && atom.args[1].constant() <= bits) return e;
    }
    return of_atom(Atom::Kind::Rounded, (bits == kFloatBits ? "float(" : "double(") + e.to_string() + ")", {e, bits});
  }

  static std::optional<std::int64_t> value_of(const Atom& atom, const DimExpr::Lookup& lookup) {
    if (atom.kind == Atom::Kind::Variable) return lookup(atom.text);
    std::vector<std::int64_t> values;
    for (const DimExpr& e : atom.args) {
      auto v = e.evaluate(lookup);
      if (!v) return {};
      values.push_back(*v);
    }
    switch (atom.kind) {
      case Atom::Kind::FloorDiv:
        if (values[1] <= 0) return {};
        return floor_quotient(values[0], values[1]);
      case Atom::Kind::Min: return *std::min_element(values.begin(), values.end());
      case Atom::Kind::Rounded: return nearest(values[0], values[1]);
      default: return *std::max_element(values.begin(), values.end());
    }
  }

  // The atom with its variables replaced; nothing if it stays as it is.
  static std::optional<DimExpr> replaced(const Atom& atom, const DimExpr::Substitution& by) {
    if (atom.kind == Atom::Kind::Variable) return by(atom.text);
    std::vector<DimExpr> args;
    bool changed = false;
    for (const DimExpr& e : atom.args) {
      args.push_back(e.substitute(by));
      changed |= args.back().node_ != e.node_ || args.back().constant_ != e.constant_;
    }
    if (!changed) return {};
    if (atom.kind == Atom::Kind::FloorDiv) return DimExpr::floor_div(args[0], args[1]);
    if (atom.kind == Atom::Kind::Rounded) return rounded(args[0], args[1].constant());
    DimExpr result = args[0];
    for (std::size_t i = 1; i < args.size(); ++i) result = extreme(result, args[i], atom.kind);
    return result;
  }
};

DimExpr DimExpr::variable(std::string_view name) {
  return DimAlgebra::of_atom(Atom::Kind::Variable, std::string(name));
}

std::string_view DimExpr::variable_name() const noexcept {
  if (!node_ || constant_ != 0 || node_->terms.size() != 1) return {};
  const Term& t = node_->terms[0];
  if (t.coefficient != 1 || t.monomial.size() != 1 || t.monomial[0].power != 1) return {};
  const Atom& atom = *t.monomial[0].atom;
  return atom.kind == Atom::Kind::Variable ? std::string_view(atom.text) : std::string_view{};
}

DimExpr operator+(const DimExpr& a, const DimExpr& b) {
  return a.is_constant() ? DimAlgebra::sum(b, a, 1) : DimAlgebra::sum(a, b, 1);
}
DimExpr operator-(const DimExpr& a, const DimExpr& b) { return DimAlgebra::sum(a, b, -1); }
DimExpr operator*(const DimExpr& a, const DimExpr& b) { return DimAlgebra::product(a, b); }

DimExpr DimExpr::floor_div(const DimExpr& a, const DimExpr& b) {
  if (!b.is_constant()) return DimAlgebra::floor_by_expression(a, b);
  if (b.constant() == 0) throw Error(ErrorCode::InvalidGraph, "the dimension " + a.to_string() + " is divided by 0");
  if (b.constant() > 0) return DimAlgebra::floor_by_constant(a, b.constant());
  return DimAlgebra::floor_by_constant(DimExpr(0) - a, mul(b.constant(), -1));
}
DimExpr DimExpr::ceil_div(const DimExpr& a, const DimExpr& b) { return floor_div(a + b - DimExpr(1), b); }
DimExpr DimExpr::min(const DimExpr& a, const DimExpr& b) { return DimAlgebra::extreme(a, b, Atom::Kind::Min); }
DimExpr DimExpr::max(const DimExpr& a, const DimExpr& b) { return DimAlgebra::extreme(a, b, Atom::Kind::Max); }
DimExpr DimExpr::rounded(const DimExpr& e, int bits) { return DimAlgebra::rounded(e, bits); }
DimExpr DimExpr::mod(const DimExpr& a, const DimExpr& b) { return a - b * floor_div(a, b); }

bool operator==(const DimExpr& a, const DimExpr& b) {
  if (a.constant_ != b.constant_) return false;
  if (a.node_ == b.node_) return true;
  return a.node_ && b.node_ && a.node_->text == b.node_->text;
}

bool DimExpr::differ(const DimExpr& a, const DimExpr& b) {
  if (a.constant_ == b.constant_) return false;
  return a.node_ == b.node_ || (a.node_ && b.node_ && a.node_->text == b.node_->text);
}

std::optional<std::int64_t> DimExpr::evaluate(const Lookup& lookup) const {
  std::int64_t total = constant_;
  for (const Term& t : DimAlgebra::terms(*this)) {
    std::int64_t product = t.coefficient;
    for (const Factor& f : t.monomial) {
      const auto v = DimAlgebra::value_of(*f.atom, lookup);
      if (!v) return {};
      for (int i = 0; i < f.power; ++i) {
        auto next = base::checked_mul(product, *v);
        if (!next) return {};
        product = *next;
        if (product == 0 || *v == 1) break;
      }
    }
    auto next = base::checked_add(total, product);
    if (!next) return {};
    total = *next;
  }
  return total;
}

DimExpr DimExpr::substitute(const Substitution& replacement) const {
  if (!node_) return *this;
  DimExpr result(constant_);
  bool changed = false;
  DimAlgebra::Terms kept;
  for (const Term& t : node_->terms) {
    std::vector<std::pair<DimExpr, int>> replaced;
    Monomial rest;
    for (const Factor& f : t.monomial) {
      if (auto e = DimAlgebra::replaced(*f.atom, replacement))
        replaced.emplace_back(*std::move(e), f.power);
      else
        rest.push_back(f);
    }
    if (replaced.empty()) {
      kept.push_back(t);
      continue;
    }
    changed = true;
    DimExpr product = rest.empty() ? DimExpr(t.coefficient) : DimAlgebra::make({{t.coefficient, std::move(rest)}}, 0);
    for (const auto& [e, power] : replaced) {
      for (int i = 0; i < power; ++i) product = product * e;
    }
    result = result + product;
  }
  if (!changed) return *this;
  return kept.empty() ? result : result + DimAlgebra::make(std::move(kept), 0);
}

void DimExpr::collect_variables(std::vector<std::string>& names) const {
  for (const Term& t : DimAlgebra::terms(*this)) {
    for (const Factor& f : t.monomial) {
      if (f.atom->kind != Atom::Kind::Variable) {
        for (const DimExpr& e : f.atom->args) e.collect_variables(names);
      } else if (std::find(names.begin(), names.end(), f.atom->text) == names.end()) {
        names.push_back(f.atom->text);
      }
    }
  }
}

std::string DimExpr::to_string() const {
  if (!node_) return std::to_string(constant_);
  if (constant_ == 0) return node_->text;
  if (constant_ > 0 && node_->text.front() == '-') {
    std::string rest = node_->text;
    return std::to_string(constant_) + " - " + rest.substr(1);
  }
  return node_->text + (constant_ > 0 ? " + " : " - ") + std::to_string(constant_).substr(constant_ > 0 ? 0 : 1);
}

std::string to_string(const Dims& dims) {
  std::string s = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i) s += ',';
    s += dims[i].to_string();
  }
  return s + "]";
}

}  // namespace norn::opset
