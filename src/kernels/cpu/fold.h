// What goes along axes in any element type: reductions, the place of the least or largest element, running sums. Sums
// are taken in an order that follows from the shape alone; those of integers wrap.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class FoldKind : std::uint8_t { Sum, Mean, Max, Min, Prod, SumSquare, L1, L2, LogSum, LogSumExp };

// Operands: x, then the output (its elements in row-major order of the axes that stay). Half types are folded in f32
// and rounded once; LogSumExp of integers is computed in double and cut.
struct FoldConfig {
  FoldKind kind = FoldKind::Sum;
  DataType type = DataType::Double;
  Shape x;
  std::vector<std::int64_t> axes;  // each in [0, rank), ascending
};
std::span<const Candidate<FoldConfig>> fold_candidates();

// Operands: x, of outer * n * inner elements, then the int64 output of outer * inner. NaN is the extremum.
struct ArgExtremumConfig {
  DataType type = DataType::Float;
  bool largest = true, last = false;  // of several extrema the last one
  std::int64_t outer = 1, n = 1, inner = 1;
};
std::span<const Candidate<ArgExtremumConfig>> arg_extremum_candidates();

// The same operands but for the output, which is like x: 1 at the first of the greatest along n, else 0.
struct HardmaxConfig {
  DataType type = DataType::Float;
  std::int64_t outer = 1, n = 1, inner = 1;
};
std::span<const Candidate<HardmaxConfig>> hardmax_candidates();

// Operands: x, of outer * n * inner elements, then the output: y[k] = x[0] op ... op x[k] along n.
struct CumulativeConfig {
  DataType type = DataType::Float;
  bool product = false, exclusive = false, reverse = false;
  std::int64_t outer = 1, n = 1, inner = 1;
};
std::span<const Candidate<CumulativeConfig>> cumulative_candidates();

// For a target's instruction set; there are none for half types.
struct FoldLoops {
  // Folds n neighbours into *out, in the type in which partial results are kept: double for L2 of floats, int64 for
  // Mean of int32, else the elements' own.
  void (*row)(const void* x, std::int64_t n, void* out) = nullptr;
  // to[i] = the fold of x[i + k * stride] over k < count, joined to what is there unless it is the first.
  void (*rows)(const void* x, std::int64_t stride, std::int64_t count, void* to, std::int64_t n, bool first) = nullptr;
  // out[r] = the fold of n neighbours from x[r * n] on; n is at most kShortRow.
  void (*short_rows)(const void* x, std::int64_t n, void* out, std::int64_t count) = nullptr;
  std::int64_t partial_bytes = 0;  // of a partial result
};
inline constexpr std::int64_t kShortRow = 16, kMiddleRow = 512;
FoldLoops fold_loops(FoldKind kind, DataType type);
// As FoldLoops::short_rows, of rows of kShortRow neighbours and more; null for extrema and where `row` is.
using RowsLoop = void (*)(const void* x, std::int64_t n, void* out, std::int64_t count);
RowsLoop middle_rows_loop(FoldKind kind, DataType type);
// The extrema of rows of kShortRow neighbours and more, and their places; null where there is none for the type.
RowsLoop extremum_rows_loop(DataType type, bool largest);
using ArgRowsLoop = void (*)(const void* x, std::int64_t n, std::int64_t* out, std::int64_t count, bool last);
ArgRowsLoop arg_rows_loop(DataType type, bool largest);
// Down `n` rows of m columns, `step` elements apart (below 0: upwards); `totals` is scratch for m elements of 8 bytes.
// With `fetches`, the row after each is fetched before it is read.
using RunningLoop = void (*)(const void* x, void* out, std::int64_t n, std::int64_t step, void* totals, std::int64_t m,
                             bool fetches);
RunningLoop running_loop(DataType type, bool product, bool exclusive);
// Of `n` rows, `stride` elements apart, the one that has the extremum, for each of `columns`; `best` is scratch for as
// many elements. A stride of 1: of each of `columns` rows of n neighbours, which lie behind each other.
using ArgLoop = void (*)(const void* x, std::int64_t n, std::int64_t stride, std::int64_t columns, void* best,
                         std::int64_t* out);
ArgLoop arg_loop(DataType type, bool largest, bool last);

}  // namespace norn::kernels
