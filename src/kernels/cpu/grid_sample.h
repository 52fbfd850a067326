// Samples of planes at points of a grid, linear between the four elements around each, or the nearest one: ONNX
// GridSample in two dimensions.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class GridPadding : std::uint8_t { Zeros, Border, Reflection };

// Operands: x [batch, channels, rows, columns], grid [batch, points, 2] of the same type, a point's column first, then
// the output [batch, channels, points].
struct GridSampleConfig {
  DataType type = DataType::Float;  // Float or Double
  GridPadding padding = GridPadding::Zeros;
  bool align_corners = false;
  bool nearest = false;
  std::int64_t batch = 1, channels = 1, rows = 1, columns = 1, points = 1;
};
std::span<const Candidate<GridSampleConfig>> grid_sample_candidates();

// For a target's instruction set: the elements that each of n points reads, `taps` of them, kGridBlock apart from one
// to the next, and their weights; an element of weight 0 does not count, whatever it is.
inline constexpr std::int64_t kGridBlock = 128;
template <class T, class Place>
using GridLoop = void (*)(const T* plane, const Place* places, const T* weights, std::int64_t taps, T* out,
                          std::int64_t n);
GridLoop<float, std::int32_t> grid_loop_f32();
GridLoop<double, std::int64_t> grid_loop_f64();

}  // namespace norn::kernels
