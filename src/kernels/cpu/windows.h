// Sums over the windows of pixels with channels last: addresses of pixels, tap by tap, against panels of filters. Since
// addresses also express padding, windows of any size, stride and dilation are one loop, and one form of the weights
// serves all sizes of images. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/kernel.h"

namespace norn::kernels {

// c[row, column] = the sum over taps and elements of x[tap * x_tap + row][offset + element] w[tap, element, column], on
// top of the bias and of `added`, which lies as c does (each null for none), within bounds.
struct WindowProduct {
  const void* const* x;
  std::int64_t x_tap, offset, taps, depth;  // depth: elements at each address
  const void* padding;                      // an address of zeros, which need not be multiplied; null for none
  // Columns are innermost, as many as vectors hold them all; of bfloat16 pairs of elements are, which the depth is a
  // number of; of dots (WindowForm) vectors of elements are.
  const void* w;
  const float *bias, *added;
  float low, high;
  float* c;
  std::int64_t c_row, columns;  // columns of a panel at most
};

struct WindowTable {
  std::int64_t lanes, width;  // floats of a vector, columns of a panel
  void (*multiply)(const WindowProduct& product, std::int64_t rows);
  // Rows of floats to bfloat16, to nearest, halves to even; null where factors are f32.
  void (*round)(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_row, std::uint16_t* to,
                std::int64_t to_row);
};
const WindowTable& window_table();
// Of few filters, by dots.
const WindowTable& dot_window_table();
inline constexpr std::int64_t kMostDotFilters = 4;
// Of factors in bfloat16; null where the CPU has no dot products of them.
const WindowTable* rounded_window_table();

// Weights as products read them: [group][panel][tap][element][column], of bfloat16
// [group][panel][tap][pair][column][2], for dots [group][panel][tap][vector of elements][column][lane], the last vector
// filled up with zeros.
struct WindowForm {
  std::int64_t groups = 1, filters = 0, channels = 0;  // the latter two of a group
  std::int64_t area = 1, wide = 1;                     // pixels of a window; those of a tap
  std::int64_t width = 0, lanes = 0;                   // of a panel, and what the last one is a multiple of
  bool rounded = false;
  std::int64_t dot = 0;  // elements of a vector, for dots

  std::int64_t element_bytes() const { return rounded ? 2 : 4; }
  std::int64_t pixel() const { return rounded ? (channels + 1) / 2 * 2 : channels; }  // elements, for whole pairs
  std::int64_t taps() const { return area / wide; }
  std::int64_t depth() const { return pixel() * wide; }  // elements of a tap
  std::int64_t weight_depth() const { return dot > 0 ? (depth() + dot - 1) / dot * dot : depth(); }
  std::int64_t panels() const { return (filters + width - 1) / width; }
  std::int64_t columns() const { return (filters + lanes - 1) / lanes * lanes; }
  std::int64_t panel_columns(std::int64_t panel) const { return std::min(width, columns() - panel * width); }
  // Bytes before a panel of a group, and of one tap of it.
  std::int64_t at(std::int64_t group, std::int64_t panel) const {
    return (group * columns() + panel * width) * taps() * weight_depth() * element_bytes();
  }
  std::int64_t tap_bytes(std::int64_t panel) const { return weight_depth() * panel_columns(panel) * element_bytes(); }
};
// Of weights [groups * filters, channels, pixels of the window].
std::shared_ptr<const void> pack_windows(const Contents& weights, const WindowForm& form, PackedConstants& packed);

}  // namespace norn::kernels
