// From the raw scores of an example to its class and the scores that are given out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

struct ScoreRule {
  std::int64_t targets = 1;
  void (*transform)(std::span<double> scores) = nullptr;  // null: none
  // Classes, of which the one with the highest score before the transform is the example's; neither list: there are
  // none.
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  // Of two classes, one target has the score of both: class 1 gets it, class 0 the rest to 1, or its negative.
  std::int64_t shared_target = -1;
  bool shared_is_probability = false;
  bool zero_counts = false;  // a single class needs a score of 0; else above it

  // Writes element `row` of `labels_out`, and row `row` of `scores_out`, of type `type`; either may be null.
  void finish(double* scores, std::int64_t row, void* labels_out, void* scores_out, DataType type) const {
    if (shared_target >= 0) {
      scores[1] = scores[shared_target];
      scores[0] = shared_is_probability ? 1 - scores[1] : -scores[1];
    }
    if (labels_out != nullptr) {
      const bool none = targets == 1 && !(zero_counts ? scores[0] >= 0 : scores[0] > 0);
      const auto best = static_cast<std::size_t>(std::max_element(scores, scores + targets) - scores);
      if (!names.empty())
        static_cast<std::string*>(labels_out)[row] = none ? std::string() : names[best];
      else
        static_cast<std::int64_t*>(labels_out)[row] = none ? 0 : labels[best];
    }
    if (scores_out == nullptr) return;
    if (transform != nullptr) transform({scores, static_cast<std::size_t>(targets)});
    if (type == DataType::Double)
      std::copy_n(scores, targets, static_cast<double*>(scores_out) + row * targets);
    else
      std::transform(scores, scores + targets, static_cast<float*>(scores_out) + row * targets,
                     [](double v) { return static_cast<float>(v); });
  }
};

}  // namespace norn::kernels
