// An operand that broadcasts, read a tile of the output's elements at a time. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/copy_rows.h"
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
    // Rows that lie one over the other are the first of them again and again.
    const std::size_t last = dims.size() - 1;
    const bool repeats = last > 0 && dims[last - 1].stride == 0;
    for (std::int64_t done = 0;;) {
      const std::int64_t left = last > 0 ? dims[last - 1].size - index[last - 1] : 1;
      const std::int64_t whole = column == 0 ? std::min((n - done) / inner.size, left) : 0;
      std::int64_t run = std::min(n - done, (repeats ? left : 1) * inner.size - column), rows = repeats ? left : 1;
      T* const to = tile + done;
      if (!repeats && whole > 1) {
        rows = whole;
        run = rows * inner.size;
        copy_each(p + row, dims[last - 1].stride, rows, to);
      } else {
        const std::int64_t to_end = inner.size - column;
        copy_row(p + row, column, std::min(run, to_end), to);
        if (const std::int64_t more = std::min(run - to_end, column); more > 0) copy_row(p + row, 0, more, to + to_end);
        if (run > inner.size)
          repeat_first(reinterpret_cast<char*>(to), inner.size * static_cast<std::int64_t>(sizeof(T)),
                       run * static_cast<std::int64_t>(sizeof(T)));
      }
      done += run;
      if (done == n) return tile;
      column = 0;
      for (std::size_t d = last; d-- > 0; rows = 1) {
        row += rows * dims[d].stride;
        index[d] += rows;
        if (index[d] < dims[d].size) break;
        row -= dims[d].stride * dims[d].size;
        index[d] = 0;
      }
    }
  }

  static constexpr std::size_t kMaxDims = 32;

 private:
  template <class T>
  void copy_row(const T* row, std::int64_t column, std::int64_t n, T* to) const {
    const std::int64_t stride = dims.back().stride;
    const T* from = row + column * stride;
    if (stride == 1)
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    else if (stride == 0)
      std::fill_n(to, n, *from);
    else
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
  // Whole rows, `step` apart.
  template <class T>
  void copy_each(const T* from, std::int64_t step, std::int64_t rows, T* to) const {
    const auto [size, stride] = dims.back();
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    if (stride == 1)
      return copy_rows(reinterpret_cast<const char*>(from), step * kBytes, reinterpret_cast<char*>(to), size * kBytes,
                       size * kBytes, rows);
    if (stride == 0) return spread_rows(from, step, to, kBytes, size, rows);
    const auto each = [&](std::int64_t columns) {
      for (std::int64_t r = 0; r < rows; ++r, from += step, to += columns)
        for (std::int64_t i = 0; i < columns; ++i) to[i] = from[i * stride];
    };
    switch (size) {
      case 2: return each(2);
      case 3: return each(3);
      case 4: return each(4);
      case 8: return each(8);
      default: return each(size);
    }
  }
};

}  // namespace norn::kernels
