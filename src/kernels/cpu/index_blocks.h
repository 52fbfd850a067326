// Which block of a tensor a row of int64 indices names, as GatherND and ScatterND do: an index for each of the leading
// axes, from -d to d - 1. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "norn/types.h"

namespace norn::kernels {

[[noreturn]] void refuse_index(std::int64_t index, std::int64_t size);

// Without a branch, since the signs cannot be predicted.
template <class I>
std::int64_t from_front(I index, std::int64_t size) {
  const std::int64_t wide = index;
  return wide + ((wide >> 63) & size);
}

class IndexBlocks {
 public:
  explicit IndexBlocks(const Shape& axes) : axes_(axes), strides_(axes.size()) {
    for (std::size_t d = axes.size(); d-- > 0; count_ *= axes[d]) strides_[d] = count_;
  }

  std::int64_t count() const { return count_; }
  std::int64_t length() const { return static_cast<std::int64_t>(axes_.size()); }  // of a row

  bool are_within(const std::int64_t* row) const {
    for (std::size_t d = 0; d < axes_.size(); ++d)
      if (row[d] < -axes_[d] || row[d] >= axes_[d]) return false;
    return true;
  }
  // Throws where an index is outside of its axis.
  std::int64_t at(const std::int64_t* row) const {
    std::int64_t block = 0;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      if (row[d] < -axes_[d] || row[d] >= axes_[d]) refuse_index(row[d], axes_[d]);
      block += from_front(row[d], axes_[d]) * strides_[d];
    }
    return block;
  }

  // How many of `rows` rows, the first of which is within, name blocks that follow one another along the last axis.
  std::int64_t following(const std::int64_t* row, std::int64_t rows) const {
    const std::size_t n = axes_.size(), last = n - 1;
    rows = std::min(rows, axes_[last] - from_front(row[last], axes_[last]));
    std::int64_t count = 1;
    for (const std::int64_t* next = row + n; count < rows; ++count, next += n) {
      if (next[last] != row[last] + count) break;
      bool same = true;
      for (std::size_t d = 0; d < last; ++d) same &= next[d] == row[d];
      if (!same) break;
    }
    return count;
  }

 private:
  Shape axes_;
  std::vector<std::int64_t> strides_;
  std::int64_t count_ = 1;
};

}  // namespace norn::kernels
