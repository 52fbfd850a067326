// Dimension variables that were found to be equal.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "opset/dim_expr.h"
#include "opset/value_type.h"

namespace norn::infer {

class Unifier {
 public:
  // Records a == b. A variable is replaced by the other side: a constant if there is one, else the expression without
  // fresh ('?') variables, else the older variable. Equations that cannot be solved for a variable are kept and held
  // against bindings when running. Throws norn::Error (InvalidGraph) if it makes a constant equal another.
  void equal(const opset::DimExpr& a, const opset::DimExpr& b);
  opset::DimExpr resolve(const opset::DimExpr& e) const;
  opset::ValueType resolve(const opset::ValueType& type) const;
  bool empty() const noexcept { return solved_.empty() && open_.empty(); }

  struct Equation {
    opset::DimExpr left, right;
  };
  const std::vector<Equation>& open() const noexcept { return open_; }

 private:
  std::unordered_map<std::string, opset::DimExpr> solved_;
  std::vector<Equation> open_;
};

}  // namespace norn::infer
