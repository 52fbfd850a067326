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

// A sum that is so near to a half is one: its weights were rounded. Large sums are rounded further off.
inline constexpr double kNearHalf = 1e-9, kNearHalfOfLarge = 0x1p-50;  // times the sum

inline constexpr std::int64_t kFewInner = 4;
// One pass for a target's instruction set, in float or double. `inner` elements lie between neighbours along the axis.
template <class T>
struct ResampleLoops {
  // One coordinate of the output: its taps over rows of `inner` elements.
  void (*row)(const T* x, std::int64_t inner, const std::int32_t* index, const T* weight, std::int64_t taps, T* out);
  // All coordinates of a line where inner is 1 to 4, by inner - 1.
  void (*lines[kFewInner])(const T* x, const std::int32_t* index, const T* weight, std::int64_t taps, std::int64_t n,
                           T* out);
  // The same where inner is 1, for `count` blocks of `lanes` coordinates. What a block reads lies within 2 * lanes
  // elements from first[block] on: tap t of coordinate i of the block is element index[(block * taps + t) * lanes + i]
  // of these, and has the weight at the same place.
  void (*blocks)(const T* x, const std::int32_t* first, const std::int32_t* index, const T* weight, std::int64_t taps,
                 std::int64_t count, T* out);
  std::int64_t lanes;  // 1: there are no blocks
};
ResampleLoops<float> resample_loops_f32();
ResampleLoops<double> resample_loops_f64();
// Sums as integers of the type; NaN becomes 0.
using RoundLoop = void (*)(const double* x, void* out, std::int64_t n);
RoundLoop round_loop(DataType integer);

}  // namespace norn::kernels
