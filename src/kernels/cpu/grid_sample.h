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

// Internal to the kernels: points that are taken at once, a multiple of all vectors' lanes.
inline constexpr std::int64_t kGridBlock = 512;

// What n points read, n at most kGridBlock. Of a linear sample, two neighbours each in two rows of the plane; an
// element of weight 0 does not count, whatever it is.
template <class T>
struct GridTaps {
  std::int32_t place[kGridBlock];       // of the first, or of the only element of a nearest sample
  T upper[kGridBlock * 2];              // the weights of its two elements, or of the only one
  T lower[kGridBlock * 2];              // of those in the row below
  double x[kGridBlock], y[kGridBlock];  // coordinates as columns and rows
};
struct GridPlane {
  std::int64_t rows, columns;  // at least two columns
  bool align_corners, zeros;   // what lies outside is zero; else the nearest element
};
// For a target's instruction set.
template <class T>
struct GridLoops {
  // taps.x and taps.y of points in [-1, 1] or beyond. May write a block.
  void (*coordinates)(const GridPlane& plane, const T* grid, GridTaps<T>& taps, std::int64_t n);
  // Places and weights by the coordinates, which have to be at most one element outside unless those there are zeros.
  // Reads and may write a block.
  void (*pairs)(const GridPlane& plane, GridTaps<T>& taps, std::int64_t n);
  // The lower row is row_step elements behind the upper.
  void (*linear)(const T* plane, std::int64_t row_step, const GridTaps<T>& taps, T* out, std::int64_t n);
  void (*nearest)(const T* plane, const GridTaps<T>& taps, T* out, std::int64_t n);
};
template <class T>
GridLoops<T> grid_loops();

}  // namespace norn::kernels
