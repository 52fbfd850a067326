// The dimensions of a reduction, neighbours of one kind merged. Internal to the kernels.
#pragma once
#include "kernels/cpu/fold.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

struct FoldSpace {
  explicit FoldSpace(const FoldConfig& c) {
    std::vector<bool> reduced(c.x.size());
    for (std::int64_t a : c.axes) reduced[static_cast<std::size_t>(a)] = true;
    std::vector<std::pair<StridedDim, bool>> merged;  // innermost first
    std::int64_t stride = 1;
    for (std::size_t d = c.x.size(); d-- > 0; stride *= c.x[d]) {
      if (c.x[d] == 1) continue;
      if (!merged.empty() && merged.back().second == reduced[d])
        merged.back().first.size *= c.x[d];
      else
        merged.push_back({{c.x[d], stride}, reduced[d]});
    }
    for (std::size_t i = merged.size(); i-- > 0;) {
      const auto& [dim, is_reduced] = merged[i];
      folded_ *= is_reduced ? dim.size : 1;
      if (i == 0) {
        inner_ = dim.size;
        inner_reduced_ = is_reduced;
      } else {
        (is_reduced ? reduced_ : kept_).push_back(dim);
        (is_reduced ? reduced_count_ : kept_count_) *= dim.size;
      }
    }
  }

  // Innermost rows of up to `most` elements that are reduced, as are rows that lie further apart, become a part of rows
  // that stay: these are folded first, to rows of which `tail_` neighbours are folded then.
  void leave_tail(std::int64_t most) {
    if (!inner_reduced_ || reduced_.empty() || inner_ > most) return;
    tail_ = inner_;
    inner_ *= kept_.back().size;
    kept_count_ /= kept_.back().size;
    kept_.pop_back();
    inner_reduced_ = false;
  }

  bool inner_reduced_ = false;              // the innermost dimension is reduced
  std::int64_t inner_ = 1;                  // its size
  std::int64_t tail_ = 1;                   // of rows that stay, how many neighbours are one in the end
  std::vector<StridedDim> kept_, reduced_;  // the others
  std::int64_t kept_count_ = 1, reduced_count_ = 1, folded_ = 1;
};

}  // namespace norn::kernels
