// An operand that broadcasts, read a tile of the output's elements at a time. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

struct Walk {
  std::vector<StridedDim> dims;  // innermost last

  bool full() const { return dims.size() == 1 && dims[0].stride == 1; }
  // How many elements from output position `at` a tile of at most n best has: to the end of a row, where rows are long
  // enough, it can be read in place.
  std::int64_t to_row_end(std::int64_t at, std::int64_t n, std::int64_t long_row = kLongRow) const {
    const std::int64_t row = dims.back().size;
    return row < long_row || dims.size() == 1 ? n : std::min(n, row - base::divide(at, row).rest);
  }
  static constexpr std::int64_t kLongRow = 192;
  // Whether `read` finds the elements in place wherever they are no more than `to_row_end` says.
  bool in_place(std::int64_t long_row = kLongRow) const {
    const StridedDim inner = dims.back();
    return (inner.stride == 1 || inner.stride == 0) && (dims.size() == 1 || inner.size >= long_row);
  }

  // The n elements from output position `at`: in place if they are one run (sets `one` for a run of one value), else
  // copied to `tile`.
  template <class T>
  const T* read(const T* p, std::int64_t at, std::int64_t n, T* tile, bool& one) const {
    const StridedDim inner = dims.back();
    one = false;
    if (dims.size() == 1 && at + n <= inner.size && (inner.stride == 1 || inner.stride == 0)) {
      one = inner.stride == 0;
      return p + at * inner.stride;
    }
    auto [rest, column] = base::divide(at, inner.size);
    std::int64_t index[kMaxDims], row = 0;
    for (std::size_t d = dims.size() - 1; d-- > 0;) {
      const auto [outer, in_dim] = base::divide(rest, dims[d].size);
      index[d] = in_dim;
      rest = outer;
      row += in_dim * dims[d].stride;
    }
    if (column + n <= inner.size && inner.stride <= 1 && inner.stride >= 0) {
      one = inner.stride == 0;
      return p + row + column * inner.stride;
    }
    for (std::int64_t done = 0;;) {
      const std::int64_t run = std::min(n - done, inner.size - column);
      const T* from = p + row + column * inner.stride;
      T* to = tile + done;
      if (inner.stride == 1)
        std::memcpy(to, from, static_cast<std::size_t>(run) * sizeof(T));
      else if (inner.stride == 0)
        std::fill_n(to, run, *from);
      else
        for (std::int64_t i = 0; i < run; ++i) to[i] = from[i * inner.stride];
      done += run;
      if (done == n) return tile;
      column = 0;
      for (std::size_t d = dims.size() - 1; d-- > 0;) {
        row += dims[d].stride;
        if (++index[d] < dims[d].size) break;
        row -= dims[d].stride * dims[d].size;
        index[d] = 0;
      }
    }
  }

  static constexpr std::size_t kMaxDims = 32;
};

}  // namespace norn::kernels
