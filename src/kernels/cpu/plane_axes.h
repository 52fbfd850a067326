// How windows lie in planes, axis by axis. Internal to the kernels.
#pragma once
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/plane_pool.h"

namespace norn::kernels {

struct PlaneAxis {
  std::int64_t in, out, window, stride, dilation, begin, end;
  // The first position of window `o` in the input, which may lie before it.
  std::int64_t at(std::int64_t o) const { return o * stride - begin; }
  // How many of its positions lie in [low, high).
  std::int64_t positions(std::int64_t o, std::int64_t low, std::int64_t high) const {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < window; ++k) count += at(o) + k * dilation >= low && at(o) + k * dilation < high;
    return count;
  }
  // The positions of window `o` that lie in the input: the first, and how many.
  std::pair<std::int64_t, std::int64_t> inside(std::int64_t o) const {
    std::int64_t first = at(o), count = window;
    for (; first < 0; first += dilation) --count;
    while (first + (count - 1) * dilation >= in) --count;
    return {first, count};
  }
  // What an average divides by.
  std::int64_t counted(std::int64_t o, bool with_padding) const {
    return with_padding ? positions(o, -begin, in + end) : positions(o, 0, in);
  }
};

inline std::array<PlaneAxis, 3> plane_axes(const PlanePoolConfig& c) {
  const Spatial3 in = spatial3(c.x, 2, 1), out = spatial3(c.out, 2, 1), window = spatial3(c.window, 0, 1),
                 strides = spatial3(c.strides, 0, 1), dilations = spatial3(c.dilations, 0, 1),
                 begin = spatial3(c.pads_begin, 0, 0), end = spatial3(c.pads_end, 0, 0);
  std::array<PlaneAxis, 3> axes;
  for (std::size_t d = 0; d < 3; ++d) axes[d] = {in[d], out[d], window[d], strides[d], dilations[d], begin[d], end[d]};
  return axes;
}
// Of the row along the last axis, with its padding.
inline std::int64_t padded_row(const PlaneAxis& a) {
  return std::max((a.out - 1) * a.stride + (a.window - 1) * a.dilation + 1, a.begin + a.in);
}

// What changes no maximum.
template <class T>
constexpr T kLeastOf =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

// A kernel of the type that the elements are computed in.
template <template <class> class Pooling>
std::unique_ptr<Kernel> made_for_type(const PlanePoolConfig& c) {
  switch (widened_half(c.type)) {
    case DataType::Float: return std::make_unique<Pooling<float>>(c);
    case DataType::Double: return std::make_unique<Pooling<double>>(c);
    case DataType::Int8: return std::make_unique<Pooling<std::int8_t>>(c);
    default: return std::make_unique<Pooling<std::uint8_t>>(c);
  }
}

// Why no planes can be pooled together (plane_stack.cc), or should not be; "" if they can.
std::string plane_stack_refusal(const PlanePoolConfig& c);
std::unique_ptr<Kernel> make_plane_stack(const PlanePoolConfig& c, PackedConstants&);

}  // namespace norn::kernels
