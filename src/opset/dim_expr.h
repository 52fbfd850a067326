// Symbolic dimensions: integer expressions over dimension variables, in canonical form.
//
// "N", "2*seq + 1", "floor((H + 1)/2)", "max(M, N)". Two expressions are known to be equal exactly when they print
// the same. Variables stand for integers >= 0 but one kind. A size that inference cannot determine (the length of
// NonZero's output) gets a fresh variable, whose name starts with '?': it has one value in a run, but no name in the
// model. An unknown element of a shape vector gets one whose name ends with '~' as well: any integer, since it may be a
// -1 that Reshape is to replace.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/small_vector.h"
#include "norn/error.h"

namespace norn::opset {

// An expression that grew too long to be worked with. Inference treats the size as unknown.
class DimTooLong final : public Error {
 public:
  DimTooLong();
};

class DimExpr {
 public:
  DimExpr() = default;  // 0
  DimExpr(std::int64_t constant) : constant_(constant) {}
  static DimExpr variable(std::string_view name);
  // Whether `name` stands for any integer, not just for those >= 0.
  static bool is_signed_variable(std::string_view name) noexcept {
    return name.starts_with('?') && name.ends_with('~');
  }

  bool is_constant() const noexcept { return !node_; }
  // Meaningful only if is_constant().
  std::int64_t constant() const noexcept { return constant_; }
  // The variable's name if the expression is just one variable; else "".
  std::string_view variable_name() const noexcept;

  // Overflow of coefficients throws norn::Error (InvalidGraph).
  friend DimExpr operator+(const DimExpr&, const DimExpr&);
  friend DimExpr operator-(const DimExpr&, const DimExpr&);
  friend DimExpr operator*(const DimExpr&, const DimExpr&);
  // Rounded towards minus infinity / plus infinity; the divisor must be a positive constant or is taken as positive.
  static DimExpr floor_div(const DimExpr&, const DimExpr&);
  static DimExpr ceil_div(const DimExpr&, const DimExpr&);
  static DimExpr min(const DimExpr&, const DimExpr&);
  static DimExpr max(const DimExpr&, const DimExpr&);
  // What converting to a floating type whose significand has `bits` bits (24 of float, 53 of double) leaves of the
  // integer: the nearest one that it has, ties to even. Printed as "float(N)".
  static DimExpr rounded(const DimExpr&, int bits);
  // a - b*floor(a/b)
  static DimExpr mod(const DimExpr&, const DimExpr&);

  // Known to be equal.
  friend bool operator==(const DimExpr&, const DimExpr&);
  // Known to differ: their difference is a constant other than 0.
  static bool differ(const DimExpr&, const DimExpr&);

  // Value of a variable by name; nothing if unbound.
  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;
  // The value under the given bindings, if every variable is bound (and no division by zero or overflow happens).
  std::optional<std::int64_t> evaluate(const Lookup&) const;
  // Replaces variables; those for which `replacement` gives nothing stay.
  using Substitution = std::function<std::optional<DimExpr>(std::string_view)>;
  DimExpr substitute(const Substitution& replacement) const;
  void collect_variables(std::vector<std::string>& names) const;

  std::string to_string() const;

 private:
  struct Node;
  friend struct DimAlgebra;
  // Counts references to a node. Most expressions are constants and have none.
  class NodeRef {
   public:
    NodeRef() = default;
    explicit NodeRef(const Node* counted) noexcept : node_(counted) {}
    NodeRef(const NodeRef& o) noexcept : node_(o.node_) {
      if (node_) retain(node_);
    }
    NodeRef(NodeRef&& o) noexcept : node_(std::exchange(o.node_, nullptr)) {}
    NodeRef& operator=(NodeRef o) noexcept {
      std::swap(node_, o.node_);
      return *this;
    }
    ~NodeRef() {
      if (node_) release(node_);
    }
    explicit operator bool() const noexcept { return node_ != nullptr; }
    const Node* operator->() const noexcept { return node_; }
    friend bool operator==(const NodeRef&, const NodeRef&) = default;

   private:
    static void retain(const Node* node) noexcept;
    static void release(const Node* node) noexcept;
    const Node* node_ = nullptr;
  };
  std::int64_t constant_ = 0;
  NodeRef node_;  // null for a constant
};

// Shapes have few dimensions, and large graphs many shapes.
using Dims = ir::SmallVector<DimExpr, 4>;
std::string to_string(const Dims& dims);  // "[N,3,2*H]"

}  // namespace norn::opset
