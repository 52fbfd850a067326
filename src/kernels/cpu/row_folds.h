// Folds of rows that lie behind each other, and of pieces of rows. Internal to the kernels.
#pragma once
#include <algorithm>

#include "kernels/cpu/fold.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {

// Joins `pieces` pieces of n partial results, which lie behind each other, into the first: one half with the other,
// until one piece is left. `rows` is FoldLoops::rows of what joins them.
inline void join_pieces(decltype(FoldLoops::rows) rows, void* all, std::int64_t partial_bytes, std::int64_t n,
                        std::int64_t pieces) {
  auto* const to = static_cast<char*>(all);
  while (pieces > 1) {
    const std::int64_t half = (pieces + 1) / 2;
    rows(to + half * n * partial_bytes, 0, 1, to, (pieces - half) * n, false);
    pieces = half;
  }
}

class RowFolds {
 public:
  RowFolds() = default;
  // The elements are none of a half type.
  RowFolds(FoldKind kind, DataType type)
      : loops_(fold_loops(kind, type)),
        middle_(kind == FoldKind::Max || kind == FoldKind::Min ? extremum_rows_loop(type, kind == FoldKind::Max)
                                                               : middle_rows_loop(kind, type)),
        turn_(transpose_loops(element_size(type)).block),
        size_(static_cast<std::int64_t>(element_size(type))),
        // What is less than 16 bytes of a row is turned one by one, which folds of whole blocks need not do.
        least_turned_(size_ < 4 ? kShortRow + 1 : std::max<std::int64_t>(16 / size_, 4)) {}

  bool takes(std::int64_t n) const { return n <= kShortRow || (n <= kMiddleRow && middle_ != nullptr); }
  // out[r] = the fold of n neighbours from x[r * n] on, a partial result (FoldLoops::row).
  void operator()(const void* x, std::int64_t n, void* out, std::int64_t count) const {
    if (n > kShortRow) return middle_(x, n, out, count);
    if (n < least_turned_) return loops_.short_rows(x, n, out, count);
    turned(static_cast<const char*>(x), n, static_cast<char*>(out), count);
  }

 private:
  static constexpr std::int64_t kTurned = 64;  // rows at a time

  // In rows turned into columns, which are folded in the same order.
  void turned(const char* x, std::int64_t n, char* out, std::int64_t count) const {
    alignas(64) char columns[kShortRow * kTurned * 8];
    for (std::int64_t r = 0; r < count; r += kTurned) {
      const std::int64_t m = std::min(kTurned, count - r);
      turn_(x + r * n * size_, n, columns, kTurned, m, n);
      loops_.rows(columns, kTurned, n, out + r * loops_.partial_bytes, m, true);
    }
  }

  FoldLoops loops_;
  RowsLoop middle_ = nullptr;
  decltype(TransposeLoops::block) turn_ = nullptr;
  std::int64_t size_ = 0, least_turned_ = 0;
};

// The places of extrema of such rows. The elements are none of a half type.
class ArgRows {
 public:
  ArgRows(DataType type, bool largest, bool last)
      : rows_(arg_rows_loop(type, largest)),
        any_(arg_loop(type, largest, last)),
        turn_(transpose_loops(element_size(type))),
        size_(static_cast<std::int64_t>(element_size(type))),
        last_(last) {}

  void operator()(const void* x, std::int64_t n, std::int64_t count, std::int64_t* out) const {
    if (rows_ && n > kShortRow) return rows_(x, n, out, count, last_);
    if (n > 1 && n <= kShortRow && count >= kLeastTurned) return turned(static_cast<const char*>(x), n, count, out);
    any_(x, n, 1, count, nullptr, out);
  }

 private:
  static constexpr std::int64_t kTurned = 128, kLeastTurned = 16;  // rows

  void turned(const char* x, std::int64_t n, std::int64_t count, std::int64_t* out) const {
    alignas(64) char columns[kShortRow * kTurned * 8];
    alignas(64) char best[kTurned * 8];
    for (std::int64_t r = 0; r < count; r += kTurned) {
      const std::int64_t m = std::min(kTurned, count - r);
      if (n <= 4)
        turn_.apart(x + r * n * size_, n, columns, kTurned, m);
      else
        turn_.block(x + r * n * size_, n, columns, kTurned, m, n);
      any_(columns, n, kTurned, m, best, out + r);
    }
  }

  ArgRowsLoop rows_;
  ArgLoop any_;
  TransposeLoops turn_;
  std::int64_t size_;
  bool last_;
};

}  // namespace norn::kernels
