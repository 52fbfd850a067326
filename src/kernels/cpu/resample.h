// Weighted sums of neighbours along axes, as resizing by interpolation does them, one axis after the other.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Coordinate o of the output's axis is the sum of the input's elements index[t] times weight[t], for t in
// [o * taps, (o + 1) * taps).
struct ResampledAxis {
  std::int64_t axis = 0, out = 0, taps = 1;
  std::vector<std::int32_t> index;
  std::vector<double> weight;
};
// Operands: x, then the output, of the same type: a floating type, or an integer of 8 or 16 bits or int32, to which
// sums are rounded, halves to even.
struct ResampleConfig {
  Shape x;
  DataType type = DataType::Float;
  std::vector<ResampledAxis> axes;  // in the order in which they are summed
};
std::span<const Candidate<ResampleConfig>> resample_candidates();

// A sum that is so near to a half is one: its weights were rounded.
inline constexpr double kNearHalf = 1e-9, kNearHalfOfWords = 1e-6;  // of at most 16 bits; of 32

// One pass for a target's instruction set, in float or double. `inner` elements lie between neighbours along the axis.
template <class T>
struct ResampleLoops {
  // One coordinate of the output: its taps over rows of `inner` elements.
  void (*row)(const T* x, std::int64_t inner, const std::int32_t* index, const T* weight, std::int64_t taps, T* out);
  // All coordinates where inner is 1.
  void (*line)(const T* x, const std::int32_t* index, const T* weight, std::int64_t taps, std::int64_t n, T* out);
};
ResampleLoops<float> resample_loops_f32();
ResampleLoops<double> resample_loops_f64();
// Sums as integers of the type; NaN becomes 0.
using RoundLoop = void (*)(const double* x, void* out, std::int64_t n);
RoundLoop round_loop(DataType integer);

}  // namespace norn::kernels
