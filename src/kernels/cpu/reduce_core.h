// A reduction over dimensions in memory order. Internal to the kernels.
#pragma once
#include "kernels/cpu/physical.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/row_folds.h"

namespace norn::kernels {

class ReduceCore {
 public:
  // `reduced[d]`: dimension d is reduced.
  ReduceCore(ReduceKind kind, const Shape& dims, const std::vector<bool>& reduced);
  void run(const float* x, float* out) const;

 private:
  float finish(float v) const;
  void sum_long_columns(int kind, const float* from, float* to, std::int64_t n) const;

  ReduceKind kind_;
  RowFolds rows_;
  bool inner_reduced_ = false;              // the innermost dimension is reduced
  std::int64_t inner_ = 1;                  // its size
  std::vector<StridedDim> kept_, reduced_;  // the others
  std::int64_t kept_count_ = 1, reduced_count_ = 1;
};

}  // namespace norn::kernels
