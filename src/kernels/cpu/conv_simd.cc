// Convolution as matrix products of our own: patches of x are copied to rows, a few dozen at a time, against weights
// rearranged to [tap, input channel] x output channel. Where x is a line, patches within it are rows that lie there. A
// depthwise convolution adds up its taps directly.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/division.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/posts.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {
inline namespace conv_simd_cc {
namespace {

constexpr std::int64_t kPixels = 24;       // of the patches copied at a time
constexpr std::int64_t kLinePixels = 128;  // that are multiplied at a time where they lie
constexpr std::int64_t kPieces = 16;
constexpr std::size_t kLongestRow = std::size_t{1} << 30;  // bytes of a row of padding that is kept

// Zeros, aligned to 64 bytes, which take no memory before they are read; null if there is no room for them.
std::shared_ptr<void> zeros(std::size_t bytes) {
  const std::shared_ptr<void> room(std::calloc(bytes + 64, 1), std::free);
  if (!room) return nullptr;
  return {room, static_cast<char*>(room.get()) + (64 - reinterpret_cast<std::uintptr_t>(room.get()) % 64)};
}

// Windows over a line of pixels of channels.
bool is_line(const ConvConfig& c) {
  const Spatial3 in = spatial3(c.x, 2, 1), out = spatial3(c.out, 2, 1), window = spatial3(c.w, 2, 1),
                 pads = spatial3(c.pads_begin, 0, 0);
  for (std::size_t d = 0; d < 2; ++d)
    if (in[d] != 1 || out[d] != 1 || window[d] != 1 || pads[d] != 0) return false;
  return c.group == 1 && window[2] > 1;
}

class OwnConv final : public Kernel {
 public:
  OwnConv(const ConvConfig& config, PackedConstants& packed)
      : c_(config),
        in_(spatial3(config.x, 2, 1)),
        out_(spatial3(config.out, 2, 1)),
        window_(spatial3(config.w, 2, 1)),
        strides_(spatial3(config.strides, 0, 1)),
        dilations_(spatial3(config.dilations, 0, 1)),
        pads_(spatial3(config.pads_begin, 0, 0)) {
    channels_ = c_.x[1] / c_.group;
    filters_ = c_.out[1] / c_.group;
    taps_ = window_[0] * window_[1] * window_[2];
    in_pixels_ = in_[0] * in_[1] * in_[2];
    out_pixels_ = out_[0] * out_[1] * out_[2];
    depthwise_ = channels_ == 1 && filters_ == 1;
    pointwise_ = taps_ == 1 && strides_ == Spatial3{1, 1, 1} && pads_ == Spatial3{0, 0, 0} && in_pixels_ == out_pixels_;
    depth_ = taps_ * channels_;
    if (const auto bounds = as_bounds(c_.post); depthwise_ && bounds)
      bounds_ = *bounds;
    else
      posts_ = post_chain(c_.out, c_.out_layout, c_.post, c_.extra, packed);
    by_rows_ = depthwise_ && taps_ == 9 && window_[0] == 1 && window_[1] == 3;
    if (by_rows_) {
      const std::size_t row_bytes = static_cast<std::size_t>(in_[2] * c_.x[1]) * sizeof(float);
      if (row_bytes <= kLongestRow) zeros_ = zeros(row_bytes);
      by_rows_ = zeros_ != nullptr;
    }
    weight_floats_ = depthwise_ ? depth_ * c_.group : packed_floats(depth_, filters_) * c_.group;
    auto place = [&](std::int64_t bytes) {
      const std::size_t at = scratch_;
      scratch_ += (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
      return at;
    };
    if (c_.weights.known()) {
      std::string recipe = "simd conv " + to_string(c_.w) + std::to_string(c_.group);
      weights_ = packed.get(c_.weights, 0, recipe, [&] {
        auto buffer = aligned_buffer(static_cast<std::size_t>(weight_floats_) * sizeof(float));
        std::vector<float> order(static_cast<std::size_t>(depth_ * filters_));
        pack(static_cast<const float*>(c_.weights.data), static_cast<float*>(buffer.get()), order.data());
        return buffer;
      });
    } else {
      weights_at_ = place(weight_floats_ * 4);
      order_at_ = place(depth_ * filters_ * 4);
    }
    if (c_.x_layout == Layout::Dense) x_at_ = place(element_count(c_.x) * 4);
    if (c_.out_layout == Layout::Dense) out_at_ = place(element_count(c_.out) * 4);
    in_lines_ = !depthwise_ && is_line(c_);
    block_pixels_ = by_rows_ ? out_[2] : in_lines_ ? line_pixels() : kPixels;
    const std::int64_t blocks = c_.x[0] * ((out_pixels_ + block_pixels_ - 1) / block_pixels_);
    const double block_ns = by_rows_ ? static_cast<double>(out_[2] * c_.out[1]) * 0.2
                                     : static_cast<double>(block_pixels_ * c_.out[1]) *
                                           (static_cast<double>(depth_) * (in_lines_ ? 0.01 : 0.03) + 0.5);
    pieces_ = piece_count(blocks, block_ns, kPieces);
    piece_bytes_ = ((depthwise_   ? (by_rows_ ? out_[2] : kPixels) * taps_ * 8
                     : pointwise_ ? 0
                                  : kPixels * depth_ * 4) +
                    63) /
                   64 * 64;
    pieces_at_ = place(piece_bytes_ * pieces_);
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  bool reads(std::size_t i) const override { return i != 1 || !weights_; }

  void run(void* const* operands, void* scratch) const override {
    char* base = static_cast<char*>(scratch);
    const float* x = static_cast<const float*>(operands[0]);
    const float* weights = static_cast<const float*>(weights_.get());
    if (weights == nullptr) {
      float* made = reinterpret_cast<float*>(base + weights_at_);
      pack(static_cast<const float*>(operands[1]), made, reinterpret_cast<float*>(base + order_at_));
      weights = made;
    }
    if (c_.x_layout == Layout::Dense) {
      float* moved = reinterpret_cast<float*>(base + x_at_);
      transpose_matrices(x, moved, c_.x[0], c_.x[1], in_pixels_, 4);
      x = moved;
    }
    const std::size_t extras = c_.extra.size();
    float* result = static_cast<float*>(operands[3 + extras]);
    float* out = c_.out_layout == Layout::Dense ? reinterpret_cast<float*>(base + out_at_) : result;
    const float* bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;

    const std::int64_t per_image = (out_pixels_ + block_pixels_ - 1) / block_pixels_, blocks = c_.x[0] * per_image;
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      char* work = base + pieces_at_ + piece * piece_bytes_;
      for (auto [b, last_b] = base::part_of(blocks, pieces_, piece); b < last_b; ++b) {
        const auto [image, block] = base::divide(b, per_image);
        const std::int64_t first = block * block_pixels_;
        const std::int64_t pixels = std::min(block_pixels_, out_pixels_ - first);
        pixel_block(x + image * in_pixels_ * c_.x[1], weights, bias, out + (image * out_pixels_ + first) * c_.out[1],
                    first, pixels, work);
      }
    });
    if (out != result) transpose_matrices(out, result, c_.x[0], out_pixels_, c_.out[1], 4);
    if (posts_) run_post_chain(*posts_, result, operands + 3, extras);
  }

 private:
  // An even number of equal blocks, for two threads.
  std::int64_t line_pixels() const {
    const std::int64_t pairs = (out_[2] + 2 * kLinePixels - 1) / (2 * kLinePixels);
    return std::max(kPixels, (out_[2] + 2 * pairs - 1) / (2 * pairs));
  }

  // `order` is room for one group's weights as [tap, channel] x filter.
  void pack(const float* w, float* to, float* order) const {
    if (depthwise_) {
      for (std::int64_t g = 0; g < c_.group; ++g)
        for (std::int64_t t = 0; t < taps_; ++t) to[t * c_.group + g] = float_at(w + g * taps_ + t);
      return;
    }
    const std::int64_t each = packed_floats(depth_, filters_), width = gemm_table().width;
    for (std::int64_t g = 0; g < c_.group; ++g, w += filters_ * depth_, to += each) {
      for (std::int64_t c = 0; c < channels_; ++c)
        for (std::int64_t m = 0; m < filters_; ++m)
          for (std::int64_t t = 0; t < taps_; ++t)
            order[(t * channels_ + c) * filters_ + m] = float_at(w + (m * channels_ + c) * taps_ + t);
      pack_panels(order, filters_, 1, depth_, filters_, 0, (filters_ + width - 1) / width, to);
    }
  }

  // Calls visit(tap, address of the pixel's channels, or null in the padding) for the taps of an output pixel.
  template <class Visit>
  void each_tap(const float* x, std::int64_t pixel, Visit&& visit) const {
    const auto [o0, o1, o2] = pixel_at(pixel, out_).at;
    std::int64_t tap = 0;
    for (std::int64_t k0 = 0; k0 < window_[0]; ++k0) {
      const std::int64_t i0 = o0 * strides_[0] - pads_[0] + k0 * dilations_[0];
      for (std::int64_t k1 = 0; k1 < window_[1]; ++k1) {
        const std::int64_t i1 = o1 * strides_[1] - pads_[1] + k1 * dilations_[1];
        const bool inside = i0 >= 0 && i0 < in_[0] && i1 >= 0 && i1 < in_[1];
        for (std::int64_t k2 = 0; k2 < window_[2]; ++k2, ++tap) {
          const std::int64_t i2 = o2 * strides_[2] - pads_[2] + k2 * dilations_[2];
          visit(tap, inside && i2 >= 0 && i2 < in_[2] ? x + ((i0 * in_[1] + i1) * in_[2] + i2) * c_.x[1] : nullptr);
        }
      }
    }
  }

  // [begin, end): the columns of a row of output whose windows lie in x; else left as they are.
  void columns_inside(std::int64_t& begin, std::int64_t& end) const {
    const std::int64_t left = (pads_[2] + strides_[2] - 1) / strides_[2];
    const std::int64_t room = in_[2] - 1 - (window_[2] - 1) * dilations_[2] + pads_[2];
    const std::int64_t right = room < 0 ? 0 : std::min(out_[2], room / strides_[2] + 1);
    if (left < right) begin = left, end = right;
  }

  void pixel_block(const float* x, const float* weights, const float* bias, float* out, std::int64_t first,
                   std::int64_t pixels, char* work) const {
    const GemmTable& gemm = gemm_table();
    if (depthwise_) {
      const float** taps = reinterpret_cast<const float**>(work);
      std::int64_t begin = pixels, end = pixels;  // pixels whose windows lie between the sides of x
      if (by_rows_) columns_inside(begin, end);
      auto edge = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t p = from; p < to; ++p)
          each_tap(x, first + p, [&](std::int64_t t, const float* at) { taps[(p - from) * taps_ + t] = at; });
        gemm.depthwise(to - from, c_.out[1], taps, taps_, weights, bias, bounds_.low, bounds_.high,
                       out + from * c_.out[1]);
      };
      edge(0, begin);
      if (begin < end) {
        each_tap(x, first + begin, [&](std::int64_t t, const float* at) { taps[t] = at; });
        const float* rows[3];
        for (int i = 0; i < 3; ++i)
          rows[i] = taps[3 * i] != nullptr ? taps[3 * i] : static_cast<const float*>(zeros_.get());
        gemm.depthwise_3x3(end - begin, c_.out[1], rows, dilations_[2] * c_.x[1], strides_[2] * c_.x[1], weights, bias,
                           bounds_.low, bounds_.high, out + begin * c_.out[1]);
      }
      edge(end, pixels);
      return;
    }
    if (in_lines_)
      line_block(x, weights, bias, out, first, pixels, work);
    else
      by_patches(x, weights, bias, out, first, pixels, work);
  }

  // Pixels whose windows reach beyond the line by patches, the others where they lie: neighbouring taps as one row.
  void line_block(const float* x, const float* weights, const float* bias, float* out, std::int64_t first,
                  std::int64_t pixels, char* work) const {
    std::int64_t begin = out_[2], end = out_[2];
    columns_inside(begin, end);
    const std::int64_t last = first + pixels, low = std::clamp(begin, first, last), high = std::clamp(end, low, last);
    const auto edge = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t p = from; p < to; p += kPixels)
        by_patches(x, weights, bias, out + (p - first) * c_.out[1], p, std::min(kPixels, to - p), work);
    };
    edge(first, low);
    edge(high, last);
    if (low == high) return;
    const GemmTable& gemm = gemm_table();
    const std::int64_t row = strides_[2] * channels_, step = dilations_[2] * channels_;
    const float* from = x + low * row - pads_[2] * channels_;
    float* to = out + (low - first) * c_.out[1];
    Panels panels{weights, depth_ * gemm.width, gemm.width};
    if (dilations_[2] == 1)
      return gemm.multiply(high - low, filters_, depth_, from, row, 1, panels, to, c_.out[1], bias, 1.0f);
    for (std::int64_t t = 0; t < taps_; ++t, from += step, panels.data += channels_ * gemm.width)
      (t == 0 ? gemm.multiply : gemm.multiply_onto)(high - low, filters_, channels_, from, row, 1, panels, to,
                                                    c_.out[1], t == 0 ? bias : nullptr, 1.0f);
  }

  void by_patches(const float* x, const float* weights, const float* bias, float* out, std::int64_t first,
                  std::int64_t pixels, char* work) const {
    const GemmTable& gemm = gemm_table();
    const std::int64_t each = packed_floats(depth_, filters_);
    for (std::int64_t g = 0; g < c_.group; ++g) {
      const float* rows = x + first * c_.x[1] + g * channels_;
      std::int64_t row = c_.x[1];
      if (!pointwise_) {
        float* patches = reinterpret_cast<float*>(work);
        for (std::int64_t p = 0; p < pixels; ++p) {
          each_tap(x, first + p, [&](std::int64_t t, const float* at) {
            float* to = patches + p * depth_ + t * channels_;
            if (at == nullptr)
              std::fill_n(to, channels_, 0.0f);
            else
              std::memcpy(to, at + g * channels_, static_cast<std::size_t>(channels_) * sizeof(float));
          });
        }
        rows = patches;
        row = depth_;
      }
      const Panels panels{weights + g * each, depth_ * gemm.width, gemm.width};
      gemm.multiply(pixels, filters_, depth_, rows, row, 1, panels, out + g * filters_, c_.out[1],
                    bias == nullptr ? nullptr : bias + g * filters_, 1.0f);
    }
  }

  ConvConfig c_;
  Spatial3 in_, out_, window_, strides_, dilations_, pads_;
  std::int64_t channels_, filters_, taps_, in_pixels_, out_pixels_, depth_, weight_floats_, pieces_, piece_bytes_;
  std::int64_t block_pixels_;
  Bounds bounds_;
  bool depthwise_, pointwise_, by_rows_, in_lines_;
  std::unique_ptr<Kernel> posts_;
  std::shared_ptr<const void> weights_;
  std::shared_ptr<void> zeros_;  // a row of padding
  std::size_t scratch_ = 0, weights_at_ = 0, order_at_ = 0, x_at_ = 0, out_at_ = 0, pieces_at_ = 0;
};

}  // namespace
}  // namespace conv_simd_cc

std::string simd_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x.size() > 5) return "more than three spatial dimensions";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  return post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::string simd_depthwise_refuses(const ConvConfig& c) {
  if (std::string why = simd_conv_refuses(c); !why.empty()) return why;
  if (c.w[1] != 1 || c.w[0] != c.group) return "not depthwise";
  const bool is_line = c.x.size() == 3;  // of one spatial dimension, windows of any size
  if (!is_line && (c.x.size() != 4 || c.w[2] != 3 || c.w[3] != 3)) return "not a window of 3 x 3";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  if (!is_line && !as_bounds(c.post)) return "other steps than a bound follow";
  const std::int64_t shortest = !is_line && c.strides[1] == 1 && c.dilations[1] == 1 ? kDepthwiseLong : 20;
  if (c.out.back() < shortest) return "rows too short for it to be the fastest";
  return "";
}

std::string line_conv_refuses(const ConvConfig& c) {
  if (std::string why = simd_conv_refuses(c); !why.empty()) return why;
  if (!is_line(c)) return "not a window over a line";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  const std::int64_t together = c.dilations.back() == 1 ? c.w[1] * c.w.back() : c.w[1];
  if (together < 32 || c.w[0] % 32 != 0) return "too few channels for whole vectors of them";
  return "";
}

std::unique_ptr<Kernel> make_simd_conv(const ConvConfig& config, PackedConstants& packed) {
  return std::make_unique<OwnConv>(config, packed);
}

}  // namespace norn::kernels
