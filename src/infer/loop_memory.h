// Loops in loops. A loop infers its body until the types that it carries are wide enough, so inner bodies are inferred
// again, and the loops in them find anew what they have to widen: twice as often at each level. A memory is kept for
// each inner loop while an outer one is inferred, and after some rounds answers its first question. What had to be
// widened before might not have to be now, so types may be wider than needed, but not in loops of few levels.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::infer {

class LoopMemory {
 public:
  // Whether a node of the operator carries values that it may have to widen.
  static bool serves(const opset::Operator& op) noexcept {
    return op.control_flow == opset::ControlFlow::Loop || op.control_flow == opset::ControlFlow::Scan;
  }
  // The node is inferred, perhaps again.
  void begin() noexcept {
    asked_ = false;
    ++times_;
  }
  // The node asks what its body gives for these formals. An answer, if this is its first question, it has been inferred
  // often, and it had to widen something the last time: one that makes it widen the same at once, and ask again.
  std::optional<std::vector<opset::Fact>> answer(const opset::Operator& op, std::span<const opset::Fact> formals);

 private:
  // Loops in loops that each take two rounds are inferred so often on the fifth level.
  static constexpr int kTimesWithout = 16;

  int times_ = 0;
  bool asked_ = false;
  std::vector<opset::Fact> first_, last_;  // the formals of its first and of its last question
};

}  // namespace norn::infer
