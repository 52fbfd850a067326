// Convolution by a window of 3 x 3 over groups of 2, 4 or 8 channels, where a vector holds several groups. Some rows of
// the output at a time are one vector of channels after the other. Where the window reaches into the padding at the
// sides of x, or over the channels' end, its pixels are copied.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/conv_grouped.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/posts.h"

namespace norn::kernels {
inline namespace conv_grouped_cc {
namespace {

constexpr std::int64_t kRows = 4;                                 // that share a vector's weights
constexpr std::int64_t kMostLanes = 16, kMostReach = 13 * 2 + 3;  // of a vector; of pixels of x under those of a run

constexpr float kZeros[kMostLanes] = {};

class GroupedConv final : public Kernel {
 public:
  GroupedConv(const ConvConfig& c, PackedConstants& packed) : c_(c), table_(grouped_conv_table()) {
    group_ = c.w[1];
    channels_ = c.x[1];
    lanes_ = table_.lanes;
    blocks_ = (channels_ + lanes_ - 1) / lanes_;
    stride_ = c.strides[1];
    // Half as many columns where fewer of the last ones are computed for nothing.
    const auto computed = [&](std::int64_t columns) { return (c.out[3] + columns - 1) / columns * columns; };
    half_ = computed(table_.columns / 2) * 5 < computed(table_.columns) * 4;
    columns_ = half_ ? table_.columns / 2 : table_.columns;
    if (const auto bounds = as_bounds(c.post))
      bounds_ = *bounds;
    else
      posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
    weights_ = packed.get(c.weights, 0, "grouped conv " + to_string(c.w) + std::to_string(lanes_), [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(blocks_ * 3 * row_floats()) * sizeof(float));
      pack(static_cast<const float*>(c.weights.data), static_cast<float*>(buffer.get()));
      return buffer;
    });
  }
  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    const auto* bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;
    const std::size_t extras = c_.extra.size();
    auto* out = static_cast<float*>(operands[3 + extras]);
    const double row_ns = static_cast<double>(c_.out[3] * channels_ * group_) * 0.12 + 20;
    parallel_ranges(c_.x[0] * c_.out[2], row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t first = begin; first < end; first += kRows) {
        const std::int64_t last = std::min(end, first + kRows);
        for (std::int64_t row = first; row < last; ++row) fetch_row(x, row, out);
        for (std::int64_t b = 0; b < blocks_; ++b)
          for (std::int64_t row = first; row < last; ++row)
            output_row(image(x, row), row % c_.out[2], b, bias, out + row * c_.out[3] * channels_);
      }
    });
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras);
  }

 private:
  // Of the weights of one vector, for one row of the window.
  std::int64_t row_floats() const { return group_ * 3 * lanes_; }

  const float* image(const float* x, std::int64_t row) const {
    return x + row / c_.out[2] * c_.x[2] * c_.x[3] * channels_;
  }
  // Fetches what a row of the output needs into the cache: a vector of channels of each pixel, which are not
  // contiguous.
  void fetch_row(const float* x, std::int64_t row, float* out) const {
    constexpr std::int64_t kLine = 16;
    const std::int64_t y = row % c_.out[2] * c_.strides[0] - c_.pads_begin[0];
    for (std::int64_t at = std::max<std::int64_t>(y, 0); at < std::min(y + 3, c_.x[2]); ++at)
      for (std::int64_t i = 0; i < c_.x[3] * channels_; i += kLine)
        __builtin_prefetch(image(x, row) + at * c_.x[3] * channels_ + i, 0, 2);
    for (std::int64_t i = 0; i < c_.out[3] * channels_; i += kLine)
      __builtin_prefetch(out + row * c_.out[3] * channels_ + i, 1, 2);
  }

  // [vector][row of the window][channel of the group][column of the window][lane].
  void pack(const float* w, float* to) const {
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t r = 0; r < 3; ++r)
        for (std::int64_t c = 0; c < group_; ++c)
          for (std::int64_t k = 0; k < 3; ++k)
            for (std::int64_t l = 0; l < lanes_; ++l) {
              const std::int64_t m = b * lanes_ + l;
              *to++ = m < channels_ ? float_at(w + (m * group_ + c) * 9 + r * 3 + k) : 0.0f;
            }
  }

  void output_row(const float* x, std::int64_t y, std::int64_t b, const float* bias, float* out) const {
    const std::int64_t first = b * lanes_, channels = std::min(lanes_, channels_ - first);
    const float *rows[3], *weights[3], *all = static_cast<const float*>(weights_.get()) + b * 3 * row_floats();
    std::int64_t count = 0;
    for (std::int64_t r = 0; r < 3; ++r) {
      const std::int64_t at = y * c_.strides[0] - c_.pads_begin[0] + r;
      if (at < 0 || at >= c_.x[2]) continue;
      rows[count] = x + at * c_.x[3] * channels_ + first;
      weights[count++] = all + r * row_floats();
    }
    const auto* own_bias = bias ? bias + first : nullptr;
    const auto compute = half_ ? table_.run_half : table_.run;
    const std::int64_t reach = (columns_ - 1) * stride_ + 3;
    for (std::int64_t o = 0; o < c_.out[3]; o += columns_) {
      const std::int64_t n = std::min(columns_, c_.out[3] - o), left = o * stride_ - c_.pads_begin[1];
      float* to = out + o * channels_ + first;
      const float* from[3];
      if (left >= 0 && left + reach <= c_.x[3] && channels == lanes_) {
        for (std::int64_t r = 0; r < count; ++r) from[r] = rows[r] + left * channels_;
        compute(stride_, group_, from, weights, count, channels_, own_bias, bounds_.low, bounds_.high, to, channels_, n,
                channels);
        continue;
      }
      std::array<float, 3 * kMostReach * kMostLanes> copied;
      for (std::int64_t r = 0; r < count; ++r) {
        float* pixel = copied.data() + r * reach * lanes_;
        from[r] = pixel;
        for (std::int64_t k = 0; k < reach; ++k, pixel += lanes_) {
          const bool inside = left + k >= 0 && left + k < c_.x[3];
          const float* at = inside ? rows[r] + (left + k) * channels_ : kZeros;
          const std::int64_t there = inside ? channels : lanes_;
          if (there == 16) {  // a copy of a constant size is not a call
            std::memcpy(pixel, at, 16 * sizeof(float));
          } else {
            for (std::int64_t i = 0; i < lanes_; ++i) pixel[i] = i < there ? at[i] : 0.0f;
          }
        }
      }
      compute(stride_, group_, from, weights, count, lanes_, own_bias, bounds_.low, bounds_.high, to, channels_, n,
              channels);
    }
  }

  ConvConfig c_;
  const GroupedConvTable& table_;
  std::int64_t group_, channels_, lanes_, blocks_, stride_, columns_;
  bool half_;
  Bounds bounds_;
  std::unique_ptr<Kernel> posts_;
  std::shared_ptr<const void> weights_;
};

}  // namespace
}  // namespace conv_grouped_cc

std::string grouped_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x.size() != 4 || c.w[2] != 3 || c.w[3] != 3) return "not a window of 3 x 3";
  if (c.x[1] != c.out[1] || (c.w[1] != 2 && c.w[1] != 4 && c.w[1] != 8)) return "not groups of 2, 4 or 8 channels";
  if (c.w[1] >= grouped_conv_table().lanes) return "a vector holds one group at most";
  if (grouped_conv_table().lanes > kMostLanes) return "vectors longer than it has room for";
  if (c.x[1] < grouped_conv_table().lanes) return "less channels than a vector has";
  if (c.strides[1] > 2 || c.dilations != Shape{1, 1}) return "another stride than 1 or 2, or gaps in the window";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  if (!c.weights.known()) return "the weights are not constant";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  return as_bounds(c.post) ? "" : post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_grouped_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<GroupedConv>(c, packed);
}

}  // namespace norn::kernels
