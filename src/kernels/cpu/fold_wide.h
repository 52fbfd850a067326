// Reductions that need more than their elements' type. Internal to the kernels: further candidates of fold.h.
#pragma once
#include "kernels/cpu/fold.h"

namespace norn::kernels {

// Means of 64-bit integers and norms of integers, by exact sums of 128 bits.
std::string wide_fold_refuses(const FoldConfig& c);
std::unique_ptr<Kernel> make_wide_fold(const FoldConfig& c, PackedConstants&);

// LogSumExp: the largest element first, then the sum of what is relative to it.
std::string log_sum_exp_refuses(const FoldConfig& c);
std::unique_ptr<Kernel> make_log_sum_exp(const FoldConfig& c, PackedConstants&);

// LogSumExp of integers of 32 and 64 bits, in double, cut to the type.
std::string integer_log_sum_exp_refuses(const FoldConfig& c);
std::unique_ptr<Kernel> make_integer_log_sum_exp(const FoldConfig& c, PackedConstants&);

// "" if the dims have elements and the axes are among them.
std::string fold_axes_refusal(const FoldConfig& c);

// For a target's instruction set. A value is an element, or the square of one; `sum` is of values modulo 2^64, `high`
// of values shifted right by 32, which is exact for 2^31 of them. Together they give the sum's 128 bits. Of squares of
// 64-bit integers `high` has instead the bits that any of the magnitudes (of negative ones less 1) has.
struct WideLoops {
  // The sums of n neighbours, for each of `count` rows of them.
  void (*row)(const void* x, std::int64_t n, std::int64_t count, std::uint64_t* sum, std::int64_t* high) = nullptr;
  // sum[i], high[i]: of x[i + k * stride] over k < count, added to what is there.
  void (*rows)(const void* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::uint64_t* sum,
               std::int64_t* high) = nullptr;
  // The results of totals in [0, 2^52), or for means (-2^52, 2^52): totals over `count`, cut, or their roots, cut.
  void (*results)(const std::uint64_t* totals, std::int64_t n, std::int64_t count, void* out) = nullptr;
};
WideLoops wide_loops(FoldKind kind, DataType type);

}  // namespace norn::kernels
