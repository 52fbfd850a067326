// Tensors as they lie in memory: the order of their dimensions in a layout, strides of operands that broadcast, and
// how much work is worth a task of its own. Internal to the kernels and to planning.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/kernel.h"

namespace norn::kernels {

using Spatial3 = std::array<std::int64_t, 3>;

// A pixel of several images, counted through all of them.
struct PixelAt {
  std::int64_t image;
  Spatial3 at;
};
inline PixelAt pixel_at(std::int64_t pixel, const Spatial3& size) {
  const auto line = base::divide(pixel, size[2]), plane = base::divide(line.quotient, size[1]);
  const auto image = base::divide(plane.quotient, size[0]);
  return {image.quotient, {image.rest, plane.rest, line.rest}};
}

// The next position within `size`; false behind the last one, where `at` is the first one again.
inline bool advance(Spatial3& at, const Spatial3& size) {
  for (std::size_t d = 3; d-- > 0; at[d] = 0)
    if (++at[d] < size[d]) return true;
  return false;
}

// The dimensions of `dims` from `skip` on, as three: missing ones are in front.
inline Spatial3 spatial3(const Shape& dims, std::size_t skip, std::int64_t missing) {
  Spatial3 t = {missing, missing, missing};
  for (std::size_t d = skip; d < dims.size(); ++d) t[3 - (dims.size() - d)] = dims[d];
  return t;
}

// Sizes of a convolution along three dimensions, for kernels to derive from: of its window, of an image of its input
// and of its output, and of the padding before it.
struct SpatialSizes {
  template <class Config>
  explicit SpatialSizes(const Config& c)
      : window_(spatial3(c.w, 2, 1)),
        in_(spatial3(c.x, 2, 1)),
        out_(spatial3(c.out, 2, 1)),
        strides_(spatial3(c.strides, 0, 1)),
        dilations_(spatial3(c.dilations, 0, 1)),
        pads_(spatial3(c.pads_begin, 0, 0)) {}

  Spatial3 window_, in_, out_, strides_, dilations_, pads_;
};

// Logical dimension that lies at each place of memory, outermost first.
inline std::vector<std::size_t> memory_order(std::size_t rank, Layout layout) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rank; ++i)
    if (layout == Layout::Dense || rank < 3 || i != 1) order.push_back(i);
  if (order.size() < rank) order.push_back(1);
  return order;
}

// Strides, in elements, of each logical dimension.
inline std::vector<std::int64_t> layout_strides(const Shape& dims, Layout layout) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t step = 1;
  const auto order = memory_order(dims.size(), layout);
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= dims[order[i]];
  }
  return strides;
}

struct StridedDim {
  std::int64_t size, stride;
};

// Where element `index`, counted through all dimensions, the innermost last, lies.
inline std::int64_t offset_of(const std::vector<StridedDim>& dims, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t d = dims.size(); d-- > 0;) {
    const auto [outer, in_dim] = base::divide(index, dims[d].size);
    offset += in_dim * dims[d].stride;
    index = outer;
  }
  return offset;
}

// How `operand` is read while the output is walked in its memory order, with runs merged: {{n, 1}} is the same dims and
// layout, {{n, 0}} one value. Empty if the operand does not broadcast to `out`.
inline std::vector<StridedDim> broadcast_walk(const Shape& out, Layout out_layout, const ExtraOperand& operand) {
  if (operand.dims.size() > out.size()) return {};
  const std::size_t lead = out.size() - operand.dims.size();
  const auto own = operand.strides.empty() ? layout_strides(operand.dims, operand.layout) : operand.strides;
  std::vector<StridedDim> walk;
  for (std::size_t d : memory_order(out.size(), out_layout)) {
    std::int64_t stride = 0;
    if (d >= lead) {
      const std::int64_t size = operand.dims[d - lead];
      if (size != 1 && size != out[d]) return {};
      if (size != 1) stride = own[d - lead];
    }
    if (out[d] == 1) continue;
    if (!walk.empty() && walk.back().stride == stride * out[d])
      walk.back() = {walk.back().size * out[d], stride};
    else
      walk.push_back({out[d], stride});
  }
  if (walk.empty()) walk.push_back({1, 1});
  return walk;
}

// Number of pieces to cut `units` of equal work into, `unit_ns` nanoseconds each: enough for any machine's threads,
// each of some 50 microseconds, but two where that is all that there is to share. A function of the shape alone.
inline std::int64_t piece_count(std::int64_t units, double unit_ns, std::int64_t most = 32) {
  constexpr double kWorthTwo = 25e3;
  const double ns = static_cast<double>(units) * unit_ns;
  if (!(ns > kWorthTwo)) return 1;
  const double pieces = std::min(std::max(ns / 50e3, 2.0), static_cast<double>(most));
  return std::min<std::int64_t>({units, most, static_cast<std::int64_t>(pieces + 1) / 2 * 2});
}

// So many pieces at most, but more of work that takes long: a run that is to end does so between two of them.
inline std::int64_t most_pieces(double ns, std::int64_t most) {
  constexpr double kLongNs = 10e6;
  return std::max(most, static_cast<std::int64_t>(std::min(ns / kLongNs, 1e4)));
}

// Calls body(begin, end) over [0, units) in piece_count pieces, each begin a multiple of `step`.
template <class Body>
void parallel_ranges(std::int64_t units, double unit_ns, std::int64_t step, Body&& body, std::int64_t most = 32) {
  const std::int64_t steps = (units + step - 1) / step;
  const std::int64_t pieces = piece_count(steps, unit_ns * static_cast<double>(step), most);
  base::parallel_for(pieces, [&](std::int64_t i) {
    const base::Part part = base::part_of(steps, pieces, i);
    const std::int64_t begin = part.begin * step, end = std::min(units, part.end * step);
    if (begin < end) body(begin, end);
  });
}

}  // namespace norn::kernels
