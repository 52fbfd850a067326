// Dimension variables of one inference: fresh ones with the reason for them, and what was found to be equal.
//
// A fresh variable stands for a size that inference cannot determine. It is named "?7" and remembers why it is unknown
// and at which place of the model it began. Equations are solved for their variables as they come; each remembers its
// place, so that a contradiction can name both sides.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opset/dim_expr.h"
#include "opset/value_type.h"

namespace norn::infer {

// A place in the model, numbered by the walk over it.
using PlaceId = std::uint32_t;
inline constexpr PlaceId kNowhere = 0xffffffffu;

class Symbols {
 public:
  // `describe` makes a place readable; called for messages only. Without it places are left out of them. Fresh
  // variables are named `prefix`, which has to start with '?', and a number from `first` on: where those of several
  // objects may meet, each has its own.
  explicit Symbols(std::function<std::string(PlaceId)> describe = {}, std::string prefix = "?", std::size_t first = 0)
      : describe_(std::move(describe)), prefix_(std::move(prefix)), first_(first) {}

  struct Origin {
    std::string why;
    PlaceId where = kNowhere;
  };
  opset::DimExpr fresh(std::string_view why, PlaceId where);
  // One that may be any integer: "?7~".
  opset::DimExpr fresh_int(std::string_view why, PlaceId where);
  // The number of the next one.
  std::size_t next_fresh() const noexcept { return first_ + origins_.size(); }
  // Null unless the name is of a fresh variable of this object.
  const Origin* origin(std::string_view variable) const;

  // Records a == b, as said at `by`. A variable is replaced by the other side: a constant if there is one, else the
  // expression without fresh variables, else the older variable. Equations that cannot be solved for a variable are
  // kept until what is recorded later solves them. Throws norn::Error (InvalidGraph) if it makes a constant equal
  // another, and then has recorded nothing.
  void equal(const opset::DimExpr& a, const opset::DimExpr& b, PlaceId by = kNowhere);
  // Throws norn::Error if the result cannot be written, since a number in it does not fit into 64 bits or the text is
  // too long. The other two leave such sizes as they are.
  opset::DimExpr resolve(const opset::DimExpr& e) const;
  opset::ValueType resolve(const opset::ValueType& type) const;
  void resolve(opset::Fact& fact) const;
  // Makes each variable stand for its final value, so that resolving costs the same however many equations led there.
  // Only when nothing will be taken back any more.
  void compress();
  // Whether there is nothing to resolve.
  bool empty() const noexcept { return log_.empty(); }

  struct Equation {
    opset::DimExpr left, right;
    PlaceId by = kNowhere;
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
  struct Solved {
    opset::DimExpr value;
    PlaceId by = kNowhere;
  };
  struct Kept {
    Equation equation;
    bool closed = false;
  };
  struct Change {
    enum class Kind { Solved, Opened, Closed } kind;
    const std::string* variable;  // that was solved: the key in solved_
    std::size_t kept;             // that was opened or closed
  };
  void resolve_known(opset::DimExpr& e) const;
  void record(const opset::DimExpr& a, const opset::DimExpr& b, PlaceId by);
  void keep(Equation equation);
  void solve(const std::string& variable, opset::DimExpr value, PlaceId by, std::vector<Equation>& todo);
  [[noreturn]] void fail(const Equation& equation) const;

  std::function<std::string(PlaceId)> describe_;
  std::string prefix_;
  std::size_t first_;
  std::vector<Origin> origins_;  // of the fresh ones, in order
  std::unordered_map<std::string, Solved> solved_;
  std::vector<Kept> kept_;
  std::unordered_map<std::string, std::vector<std::size_t>> kept_with_;  // those that a variable stands in
  std::vector<Change> log_;
};

// What the branches of a node have in common. One of them runs, so equations of all of them hold around it; an equation
// of one alone holds in that one.
//
//   Branches branches(symbols);
//   for each branch: { branches.enter(); ...infer it...; branches.leave(); }
//   branches.join(node);
class Branches {
 public:
  explicit Branches(Symbols& symbols) : symbols_(symbols) {}
  void enter() { outside_ = symbols_.mark(); }
  void leave();
  // Records the equations that all branches have. One that contradicts the rest is left out: then none of the branches
  // can run, which a run reports.
  void join(PlaceId by);

 private:
  Symbols& symbols_;
  Symbols::Mark outside_ = 0;
  bool first_ = true;
  std::vector<Symbols::Equation> common_;
};

}  // namespace norn::infer
