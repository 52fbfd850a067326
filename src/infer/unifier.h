// Dimension variables that were found to be equal.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "opset/dim_expr.h"
#include "opset/value_type.h"

namespace norn::infer {

class Unifier {
 public:
  // Records a == b. A variable is replaced by the other side: a constant if there is one, else the expression without
  // fresh ('?') variables, else the older variable. Equations that cannot be solved for a variable are kept until what
  // is recorded later solves them. Throws norn::Error (InvalidGraph) if it makes a constant equal another, and then
  // has recorded nothing.
  void equal(const opset::DimExpr& a, const opset::DimExpr& b);
  opset::DimExpr resolve(const opset::DimExpr& e) const;
  opset::ValueType resolve(const opset::ValueType& type) const;
  bool empty() const noexcept { return log_.empty(); }

  struct Equation {
    opset::DimExpr left, right;
  };
  // Those that nothing solves yet.
  std::vector<Equation> open() const;

  // What holds in one branch only is recorded behind a mark and taken back to it. Marks nest; taking back costs what
  // was recorded behind the mark, however much there is before it.
  using Mark = std::size_t;
  Mark mark() const noexcept { return log_.size(); }
  void take_back(Mark to);
  // What was recorded behind the mark.
  std::vector<Equation> since(Mark from) const;

 private:
  struct Kept {
    Equation equation;
    bool closed = false;
  };
  struct Change {
    enum class Kind { Solved, Opened, Closed } kind;
    const std::string* variable;  // that was solved: the key in solved_
    std::size_t kept;             // that was opened or closed
  };
  void record(const opset::DimExpr& a, const opset::DimExpr& b);
  void keep(Equation equation);
  void solve(const std::string& variable, opset::DimExpr value, std::vector<Equation>& todo);

  std::unordered_map<std::string, opset::DimExpr> solved_;
  std::vector<Kept> kept_;
  std::unordered_map<std::string, std::vector<std::size_t>> kept_with_;  // those that a variable stands in
  std::vector<Change> log_;
};

}  // namespace norn::infer
