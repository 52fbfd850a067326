// Where a convolution with channels first reads the elements that windows meet: from panels into which they are
// gathered, or from a copy of x between zeros. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/channels_first.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

// A window over images of three dimensions; `plane` and `pixels` count the elements of a channel of x and of the
// output.
struct ImageWindow {
  Spatial3 in, out, window, strides, dilations, pads;
  std::int64_t taps = 1, plane = 1, pixels = 1;
};
// Of a convolution. Images of which windows take each pixel once lie as a line.
ImageWindow image_window(const Shape& x, const Shape& w, const Shape& out, const Shape& strides, const Shape& dilations,
                         const Shape& pads);

// Panels of two vectors of pixels: a row for each tap of each of some channels.
class GatheredPanels {
 public:
  explicit GatheredPanels(const ImageWindow& w);

  std::int64_t width() const { return width_; }
  // Of what list() makes for one panel.
  std::size_t list_bytes() const;
  // What each tap of the window takes from x for `pixels` of the output.
  void list(std::int64_t pixel, std::int64_t pixels, std::byte* to) const;
  void pack(std::byte* list, const float* x, std::int64_t channels, float* panel) const;

 private:
  PatchTap* taps_of(std::byte* list) const { return reinterpret_cast<PatchTap*>(list); }
  PatchRun* runs_of(std::byte* list) const;
  // Where the row of x begins that a row of the window meets; -1 for padding.
  std::int64_t row_of(const Spatial3& out, std::int64_t k0, std::int64_t k1) const;

  ImageWindow w_;
  const ChannelsFirstTable& table_ = channels_first_table();
  std::int64_t width_;
  std::vector<base::Part> inside_;  // by column of the window: the columns of the output that find it in x
};

// A copy of x with its padding, in which a row's elements that are as far apart as windows lie side by side: the pixels
// of a row of the output find each tap as neighbours.
class PaddedPlanes {
 public:
  explicit PaddedPlanes(const ImageWindow& w);

  // Whether rows of the output fill vectors, and padding is not what most of the copy would be.
  static bool pays(const ImageWindow& w);
  // Elements of a channel, which may be more than can be counted.
  static double copied(const ImageWindow& w);

  std::int64_t plane() const { return plane_; }  // elements of a channel
  std::size_t bytes(std::int64_t planes) const {
    return static_cast<std::size_t>(planes * plane_ + table_.lanes) * sizeof(float);
  }
  // In parallel.
  void copy(const float* x, std::int64_t planes, float* to) const;

  std::int64_t vectors() const { return w_.out[0] * w_.out[1] * in_row_; }
  // A vector of pixels: where the first tap of its windows lies in a plane, and its pixels in a plane of the output.
  struct Place {
    std::int64_t from, out, n;
  };
  Place place(std::int64_t vector) const;
  // Of each tap from the first one.
  std::vector<std::int64_t> tap_offsets() const;

 private:
  void copy_plane(const float* x, float* to) const;
  void copy_row(const float* x, float* to) const;

  ImageWindow w_;
  const ChannelsFirstTable& table_ = channels_first_table();
  std::int64_t rows0_, rows1_, apart_;  // rows of a plane; elements that are neighbours
  std::int64_t row_, plane_, in_row_;   // elements of a row and of a plane; vectors of a row of the output
};

}  // namespace norn::kernels
