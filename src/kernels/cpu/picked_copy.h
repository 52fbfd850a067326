// Copies of strided grids whose inner dimensions are short: a table says where the elements of a stretch of the output
// come from, so that no loop is as short as a dimension. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/transpose.h"

namespace norn::kernels {

class PickedCopy {
 public:
  PickedCopy() = default;  // none
  // Dimensions outermost first; x_stride may be zero or negative. There is none where no stretch of the output is long
  // enough to be worth it, or where its sources lie too far apart.
  PickedCopy(std::vector<GridDim> dims, std::size_t element_bytes);

  explicit operator bool() const { return !table_.empty(); }
  std::size_t bytes() const { return table_.size() * sizeof(std::int32_t); }
  void run(const void* x, void* out) const;  // in parallel

 private:
  std::int64_t bytes_ = 1, each_ = 1;  // elements that one index of the dimension that is cut has
  std::vector<std::int32_t> table_;    // bytes from the first element of a stretch
  std::vector<GridDim> grid_;          // the dimensions outside
  GridDim cut_{1, 0, 0};               // goes over the stretches, `piece_` indices each
  std::int64_t piece_ = 1;
  bool repeats_ = false;  // all of its indices have the same elements
};

}  // namespace norn::kernels
