// A widened size keeps its variable from then on: whatever the graph makes of it fits. So every round widens at least
// one size, rank or contents, and the rounds end.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ops/controlflow/loop/carried.h"
#include "opset/type_check.h"

namespace norn::ops {

using namespace opset;

inline namespace loop_carried_cc {
namespace {

class Widening {
 public:
  explicit Widening(InferContext& ctx) : ctx_(ctx) {}

  // Makes `formal` wide enough for `given`; whether it had to change.
  bool widen(Fact& formal, const Fact& given) {
    bool changed = widen(formal.type, given.type);
    if (formal.value.known() && (changed || !same(formal.value, given.value))) {
      formal.value = {};
      changed = true;
    }
    return changed;
  }
  std::vector<DimExpr> take() { return std::move(wide_); }

 private:
  static bool same(const KnownValue& a, const KnownValue& b) { return a.ints && b.ints && *a.ints == *b.ints; }

  bool widen(ValueType& formal, const ValueType& given) {
    if (formal.element) {
      if (!given.element) return drop_shapes(formal);
      ValueType element = *formal.element;
      if (!widen(element, *given.element)) return false;
      formal.element = std::make_shared<const ValueType>(std::move(element));
      return true;
    }
    if (!formal.shape) return false;
    if (!given.shape || given.shape->size() != formal.shape->size()) {
      formal.shape.reset();
      return true;
    }
    bool changed = false;
    for (std::size_t d = 0; d < formal.shape->size(); ++d) {
      DimExpr& dim = (*formal.shape)[d];
      if (dim == (*given.shape)[d] || is_wide(dim)) continue;
      dim = ctx_.fresh_dim("it changes while the loop runs");
      wide_.push_back(dim);
      changed = true;
    }
    return changed;
  }

  static bool drop_shapes(ValueType& type) {
    ValueType bare = without_shape(type);
    const bool changed = !(bare.to_string() == type.to_string());
    type = std::move(bare);
    return changed;
  }

  bool is_wide(const DimExpr& dim) const {
    return std::any_of(wide_.begin(), wide_.end(), [&](const DimExpr& w) { return w == dim; });
  }

  InferContext& ctx_;
  std::vector<DimExpr> wide_;
};

}  // namespace
}  // namespace loop_carried_cc

Carried infer_carried(InferContext& ctx, std::string_view attribute, std::vector<Fact>& formals,
                      std::size_t first_formal, std::size_t first_output, std::size_t count) {
  Widening widening(ctx);
  for (;;) {
    std::vector<Fact> found = ctx.infer_subgraph(attribute, formals);
    bool changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      Fact& formal = formals[first_formal + i];
      Fact given = found[first_output + i];
      if (formal.type.kind == ValueType::Kind::Optional && given.type.known() &&
          given.type.kind != ValueType::Kind::Optional)
        given.type = ValueType::optional(std::move(given.type));
      if (!same_type(formal.type, given.type))
        ctx.fail("the value carried at position " + std::to_string(i) + " begins as " + formal.type.to_string() +
                 ", but the graph gives " + given.type.to_string());
      if (!formal.type.known() && given.type.known()) formal.type = without_shape(given.type), changed = true;
      changed = widening.widen(formal, given) || changed;
    }
    if (!changed) return {std::move(found), widening.take()};
  }
}

ValueType behind(InferContext& ctx, ValueType type, const Carried& carried) {
  if (carried.wide.empty()) return type;
  if (type.element) {
    type.element = std::make_shared<const ValueType>(behind(ctx, *type.element, carried));
    return type;
  }
  if (!type.shape) return type;
  std::vector<std::pair<std::string, DimExpr>> others;
  for (DimExpr& dim : *type.shape) {
    dim = dim.substitute([&](std::string_view name) -> std::optional<DimExpr> {
      for (const auto& [wide, other] : others)
        if (wide == name) return other;
      for (const DimExpr& wide : carried.wide) {
        if (wide.variable_name() != name) continue;
        return others.emplace_back(name, ctx.fresh_dim("it changes while the loop runs")).second;
      }
      return std::nullopt;
    });
  }
  return type;
}

}  // namespace norn::ops
