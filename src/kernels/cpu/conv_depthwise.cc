// Depthwise convolution of images and volumes with channels last: a row of outputs at a time, of some channels, whose
// weights stay in the first cache for all rows. Where a channel has several filters, x is copied with each channel as
// often.
#include <algorithm>
#include <string>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/depthwise.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/posts.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {
inline namespace conv_depthwise_cc {
namespace {

constexpr std::int64_t kBlock = 128;  // channels
constexpr std::int64_t kPieces = 32;
constexpr std::int64_t kMostFilters = 8;  // of a channel

// oneDNN has no depthwise kernel for rows with more padding than the pixels that it computes at a time, and takes five
// to twenty times as long without.
bool is_padded_too_much(const ConvConfig& c) {
  const std::int64_t lanes = depthwise_table().lanes, together = lanes == 16 ? 6 : lanes == 8 ? 4 : 3;
  const std::int64_t pad = std::max(c.pads_begin.back(), c.pads_end.back()), outputs = c.out.back();
  return pad > std::min(together, outputs) || (pad > together - 2 && outputs < together + 2);
}

// Null for windows with too many rows, and those that oneDNN is faster for.
auto depthwise_loop_of(const ConvConfig& c) {
  if (!bounded_product(std::span(c.w).first(c.w.size() - 1).subspan(2), kDepthwiseTallest))
    return decltype(depthwise_table().any){};
  const Spatial3 window = spatial3(c.w, 2, 1);
  const auto loop = depthwise_loop(window[0] * window[1], window[2], c.strides.back(), c.dilations.back());
  return loop || !is_padded_too_much(c) ? loop : depthwise_table().any;
}

class DepthwiseConv final : public Kernel, SpatialSizes {
 public:
  DepthwiseConv(const ConvConfig& c, PackedConstants& packed)
      : SpatialSizes(c),
        c_(c),
        channels_(c.w[0]),
        filters_(c.w[0] / c.group),
        taps_(window_[0] * window_[1] * window_[2]),
        rows_(c.x[0] * out_[0] * out_[1]),
        blocks_(std::max<std::int64_t>(1, channels_ / kBlock)),
        loop_(depthwise_loop_of(c)) {
    if (const auto bounds = as_bounds(c.post))
      bounds_ = *bounds;
    else
      posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
    if (c.weights.known())
      weights_ = packed.get(c.weights, 0, "depthwise " + to_string(c.w), [&] {
        auto buffer = aligned_buffer(weight_bytes());
        pack(c.weights.data, buffer.get());
        return buffer;
      });
    const double outputs = static_cast<double>(out_[2] * std::min(channels_, 2 * kBlock));
    pieces_ = piece_count(rows_ * blocks_, outputs * (0.015 * static_cast<double>(taps_) + 0.1), kPieces);
  }

  std::size_t scratch_bytes() const override {
    const auto repeated = static_cast<std::size_t>(filters_ > 1 ? element_count(c_.x) * filters_ : 0) * sizeof(float);
    return repeated_at() + repeated;
  }
  bool reads(std::size_t i) const override { return i != 1 || !weights_; }

  void run(void* const* operands, void* scratch) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    if (filters_ > 1) {
      auto* const repeated = reinterpret_cast<float*>(static_cast<char*>(scratch) + repeated_at());
      repeat_channels(x, repeated);
      x = repeated;
    }
    const auto* const bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;
    const std::size_t extras = c_.extra.size();
    auto* const out = static_cast<float*>(operands[3 + extras]);
    if (!weights_) pack(operands[1], scratch);
    const auto* const weights = static_cast<const float*>(weights_ ? weights_.get() : scratch);
    const std::int64_t units = rows_ * blocks_, plane = out_[0] * out_[1];
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      for (auto [u, last_u] = base::part_of(units, pieces_, piece); u < last_u; ++u)
        row(x, weights, bias, u / plane / blocks_, u / plane % blocks_, u % plane, out);
    });
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras);
  }

 private:
  std::size_t weight_bytes() const { return static_cast<std::size_t>(taps_ * channels_) * sizeof(float); }
  std::size_t repeated_at() const { return weights_ ? 0 : align64(weight_bytes()); }
  void repeat_channels(const float* x, float* to) const {
    parallel_ranges(element_count(c_.x), 0.3, 64, [&](std::int64_t begin, std::int64_t end) {
      spread_rows(x + begin, 1, to + begin * filters_, sizeof(float), filters_, end - begin);
    });
  }
  // [tap, channel].
  void pack(const void* w, void* to) const { transpose_matrices(w, to, 1, channels_, taps_, sizeof(float)); }

  // Row `y` of an image, or of a volume's planes one after the other.
  void row(const float* x, const float* weights, const float* bias, std::int64_t image, std::int64_t block,
           std::int64_t y, float* out) const {
    const std::int64_t first = block * kBlock;  // the last block has what is left, too
    DepthwiseRow row;
    row.height = window_[0] * window_[1];
    const auto [plane, line] = base::divide(y, out_[1]);
    const float** to = row.rows;
    for (std::int64_t p = 0; p < window_[0]; ++p)
      for (std::int64_t r = 0; r < window_[1]; ++r) {
        const std::int64_t i = plane * strides_[0] - pads_[0] + p * dilations_[0],
                           j = line * strides_[1] - pads_[1] + r * dilations_[1];
        const bool inside = i >= 0 && i < in_[0] && j >= 0 && j < in_[1];
        *to++ = inside ? x + ((image * in_[0] + i) * in_[1] + j) * in_[2] * channels_ + first : nullptr;
      }
    row.width = window_[2];
    row.stride = strides_[2];
    row.dilation = dilations_[2];
    row.columns = in_[2];
    row.outputs = out_[2];
    row.left = pads_[2];
    row.x_pixel = row.w_pixel = row.out_pixel = channels_;
    row.channels = block + 1 < blocks_ ? kBlock : channels_ - first;
    row.weights = weights + first;
    row.bias = bias != nullptr ? bias + first : nullptr;
    row.low = bounds_.low;
    row.high = bounds_.high;
    loop_(row, out + (image * out_[0] * out_[1] + y) * out_[2] * channels_ + first);
  }

  ConvConfig c_;
  std::int64_t channels_, filters_;  // channels of the output; filters of each of x
  std::int64_t taps_, rows_, blocks_, pieces_ = 1;
  void (*loop_)(const DepthwiseRow& row, float* out);
  Bounds bounds_;
  std::unique_ptr<Kernel> posts_;
  std::shared_ptr<const void> weights_;
};

}  // namespace
}  // namespace conv_depthwise_cc

std::string depthwise_rows_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if ((c.x.size() != 4 && c.x.size() != 5) || c.w[1] != 1) return "not a depthwise convolution of images or volumes";
  if (c.w[0] > c.group * kMostFilters) return "many filters for each channel";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  if (depthwise_loop_of(c) == nullptr)
    return "not a window of 1, 3, 5 or 7 columns, or these are apart, and little padding";
  if (c.w[0] == c.group && c.x.size() == 4 && c.w[3] == 3 && c.dilations[1] == 1) {
    if (c.strides[1] == 2) return "others are as fast with strides and 3 columns";
    if (c.out[3] >= kDepthwiseLong) return "rows too long for it to be the fastest";
  }
  if (c.w[0] < depthwise_table().lanes) return "fewer channels than a vector has";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  return post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_depthwise_rows(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<DepthwiseConv>(c, packed);
}

}  // namespace norn::kernels
