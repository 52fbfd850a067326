// How a convolution by oneDNN is cut into slices of its output, whose number follows from the shape: images, rows of an
// image, or blocks of output channels where an image has few pixels. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pieces.h"

namespace norn::kernels {

// The shape of a slice; equal ones share a primitive.
struct ConvSliceShape {
  std::int64_t images, in_rows, out_rows, pad_top, pad_bottom, channels;
  auto key() const { return std::tie(images, in_rows, out_rows, pad_top, pad_bottom, channels); }
  bool operator<(const ConvSliceShape& o) const { return key() < o.key(); }
};

struct ConvSlice {
  std::size_t part;
  std::int64_t image, in_row, out_row, channel;
  double cost;
};

struct ConvGeometry {
  explicit ConvGeometry(const ConvConfig& c, dnnl::memory::data_type type = dnnl::memory::data_type::f32)
      : config(c), factors(type), group(c.group) {
    for (std::size_t d = 3; d < c.x.size(); ++d) {
      in_row *= c.x[d];
      out_row *= c.out[d];
    }
    for (std::size_t d = 2; d < c.w.size(); ++d) window *= c.w[d];
    in_row_elements = in_row * c.x[1];
    out_row_elements = out_row * c.out[1];
  }
  const ConvConfig& config;
  dnnl::memory::data_type factors;
  std::int64_t group, in_row = 1, out_row = 1, window = 1;  // pixels of a row
  std::int64_t in_row_elements, out_row_elements;

  bool is_rounded() const { return factors != dnnl::memory::data_type::f32; }
  double image_ns() const {
    const double pixels = static_cast<double>(out_row * config.out[2]);
    const double products = pixels * static_cast<double>(config.out[1] * config.w[1] * window);
    return std::max(products / (is_rounded() ? 200 : 100), pixels * static_cast<double>(config.out[1]) * 0.1);
  }
  ConvSliceShape whole() const {
    return {config.x[0], config.x[2], config.out[2], config.pads_begin[0], config.pads_end[0], config.out[1]};
  }
};

// Slices of the output, and what is alike among them.
class ConvCut {
 public:
  struct Part {
    ConvSliceShape shape;
    std::int64_t channel;  // that the first of them begins with
  };
  std::vector<Part> parts;
  std::vector<ConvSlice> slices;

  explicit ConvCut(const ConvGeometry& g, bool whole = false) : config_(g.config), g_(g) {
    if (whole)
      add_slice(g.whole(), {0, 0, 0, 0, 0, 0});
    else
      slice();
  }
  // The shape of its first slice: what oneDNN takes of it, it takes of all.
  ConvSliceShape first() const { return parts.empty() ? g_.whole() : parts[0].shape; }

 private:
  static constexpr std::int64_t kRowPixels = 28;  // fewest output pixels of a slice by rows
  // Fewest output channels of a slice by channels. In slices of whole blocks of them, weights are packed once: that is
  // how oneDNN's products want them.
  static constexpr std::int64_t kChannelBlock = 64;

  void slice() {
    const ConvConfig& c = config_;
    const double image_ns = g_.image_ns();
    const double all_ns = image_ns * static_cast<double>(c.x[0]);
    const std::int64_t want = contraction_pieces(all_ns, most_pieces(all_ns, 16));
    if (want >= 2 && c.x[0] >= want) {
      for (std::int64_t i = 0; i < want; ++i) {
        const std::int64_t first = c.x[0] * i / want, last = c.x[0] * (i + 1) / want;
        ConvSliceShape s = g_.whole();
        s.images = last - first;
        add_slice(s, {0, first, 0, 0, 0, static_cast<double>(s.images)});
      }
      return;
    }
    const std::int64_t each = (want + c.x[0] - 1) / c.x[0], rows = c.out[2];
    if (each <= 1) return add_slice(g_.whole(), {0, 0, 0, 0, 0, 0});
    std::int64_t row_pieces = std::max<std::int64_t>(1, std::min({each, rows, rows * g_.out_row / kRowPixels}));
    if (row_pieces > 1) row_pieces = row_pieces / 2 * 2;
    ChannelCut by_channels{c.out[1]};
    if (g_.group == 1 && row_pieces < std::min<std::int64_t>(each, 6)) by_channels = cut_channels(each / row_pieces);
    if (!rows_are_regular(row_pieces)) row_pieces = 1;
    if (row_pieces * by_channels.pieces == 1) {
      for (std::int64_t n = 0; n < c.x[0]; ++n) {
        ConvSliceShape s = g_.whole();
        s.images = 1;
        add_slice(s, {0, n, 0, 0, 0, 1});
      }
      return;
    }
    for (std::int64_t n = 0; n < c.x[0]; ++n) {
      for (std::int64_t r = 0; r < row_pieces; ++r) {
        for (std::int64_t k = 0; k < by_channels.pieces; ++k)
          add_rows(n, rows * r / row_pieces, rows * (r + 1) / row_pieces, by_channels.first(k),
                   by_channels.first(k + 1));
      }
    }
  }

  // Output channels in about as many pieces, of whole blocks of `block` channels.
  struct ChannelCut {
    std::int64_t channels, pieces = 1, block = kChannelBlock;
    std::int64_t first(std::int64_t piece) const {
      return std::min(channels, (channels + block - 1) / block * piece / pieces * block);
    }
    bool is_even() const {
      std::int64_t largest = 0;
      for (std::int64_t k = 0; k < pieces; ++k) largest = std::max(largest, first(k + 1) - first(k));
      return static_cast<double>(largest * pieces) <= 1.25 * static_cast<double>(channels);
    }
  };
  ChannelCut cut_channels(std::int64_t pieces) const {
    const std::int64_t channels = config_.out[1];
    pieces = std::max<std::int64_t>(1, std::min(pieces, channels / kChannelBlock));
    for (std::int64_t fewer = pieces; fewer * 3 >= pieces * 2; --fewer)
      if (const ChannelCut cut{channels, fewer}; cut.is_even()) return cut;
    return {channels, pieces, 16};
  }

  // Rows of x that output rows [r0, r1) read: first, past the last, before clipping.
  std::pair<std::int64_t, std::int64_t> reads(std::int64_t r0, std::int64_t r1) const {
    const ConvConfig& c = config_;
    const std::int64_t first = r0 * c.strides[0] - c.pads_begin[0];
    return {first, (r1 - 1) * c.strides[0] - c.pads_begin[0] + (c.w[2] - 1) * c.dilations[0] + 1};
  }
  bool rows_are_regular(std::int64_t pieces) const {
    for (std::int64_t i = 0; i < pieces; ++i) {
      auto [first, last] = reads(config_.out[2] * i / pieces, config_.out[2] * (i + 1) / pieces);
      if (std::min(last, config_.x[2]) <= std::max<std::int64_t>(first, 0)) return false;
    }
    return true;
  }

  void add_rows(std::int64_t n, std::int64_t r0, std::int64_t r1, std::int64_t m0, std::int64_t m1) {
    auto [first, last] = reads(r0, r1);
    const std::int64_t from = std::max<std::int64_t>(first, 0), to = std::min(last, config_.x[2]);
    ConvSliceShape s{1, to - from, r1 - r0, from - first, last - to, m1 - m0};
    add_slice(s, {0, n, from, r0, m0, static_cast<double>((r1 - r0) * (m1 - m0))});
  }

  void add_slice(const ConvSliceShape& s, ConvSlice slice) {
    // Blocks of channels have weights of their own.
    const auto key = std::make_pair(s, s.channels == config_.out[1] ? 0 : slice.channel);
    const auto found = index_.find(key);
    if (found != index_.end()) {
      slice.part = found->second;
    } else {
      slice.part = parts.size();
      parts.push_back({s, slice.channel});
      index_.emplace(key, slice.part);
    }
    slices.push_back(slice);
  }

  const ConvConfig& config_;
  const ConvGeometry& g_;
  std::map<std::pair<ConvSliceShape, std::int64_t>, std::size_t> index_;
};

}  // namespace norn::kernels
