// The largest of 8-bit integers in windows, and their mean: a vector of channels at a time where channels are last.
#include <algorithm>
#include <limits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pool.h"

namespace norn::kernels {
inline namespace pool_int8_cc {
namespace {

template <class T>
class Int8Pool final : public Kernel {
 public:
  explicit Int8Pool(const PoolConfig& c)
      : in_(spatial3(c.x, 2, 1)),
        out_(spatial3(c.out, 2, 1)),
        window_(spatial3(c.window, 0, 1)),
        strides_(spatial3(c.strides, 0, 1)),
        dilations_(spatial3(c.dilations, 0, 1)),
        begin_(spatial3(c.pads_begin, 0, 0)),
        planes_(c.x[0]),
        channels_(c.x[1]) {
    if (c.x_layout == Layout::Dense) {
      planes_ *= channels_;
      channels_ = 1;
    }
  }

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    const std::int64_t in_pixels = in_[0] * in_[1] * in_[2], rows = out_[0] * out_[1];
    const double taps = static_cast<double>(window_[0] * window_[1] * window_[2]);
    const double cost = 10 + taps * (0.5 + 0.02 * static_cast<double>(channels_));
    parallel_ranges(planes_ * rows, static_cast<double>(out_[2]) * cost, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r)
        row(x + r / rows * in_pixels * channels_, r % rows, out + r * out_[2] * channels_);
    });
  }

 private:
  // What lies in x of the window at one position along an axis: `taps` elements, `gap` apart, from `from` on.
  struct Span {
    std::int64_t from, taps;
  };
  Span span(std::size_t axis, std::int64_t at) const {
    const std::int64_t start = at * strides_[axis] - begin_[axis], gap = dilations_[axis];
    const std::int64_t skipped = start < 0 ? (-start + gap - 1) / gap : 0, from = start + skipped * gap;
    if (from + (window_[axis] - skipped - 1) * gap < in_[axis]) return {from, window_[axis] - skipped};
    const std::int64_t inside = from >= in_[axis] ? 0 : (in_[axis] - from + gap - 1) / gap;
    return {from, std::max<std::int64_t>(0, std::min(window_[axis] - skipped, inside))};
  }

  void row(const T* x, std::int64_t at, T* out) const {
    const Span depth = span(0, at / out_[1]), height = span(1, at % out_[1]);
    const std::int64_t row_step = in_[2] * channels_, plane_step = in_[1] * row_step;
    const std::int64_t stride[3] = {dilations_[0] * plane_step, dilations_[1] * row_step, dilations_[2] * channels_};
    const Int8Table& table = int8_table();
    const auto largest = [&] {
      if constexpr (std::is_same_v<T, std::uint8_t>)
        return table.largest_uint8;
      else
        return table.largest_int8;
    }();
    for (std::int64_t column = 0; column < out_[2]; ++column, out += channels_) {
      const Span width = span(2, column);
      const std::int64_t taps[3] = {depth.taps, height.taps, width.taps};
      const bool some = depth.taps > 0 && height.taps > 0 && width.taps > 0;
      const std::int64_t first = some ? depth.from * plane_step + height.from * row_step + width.from * channels_ : 0;
      largest(x + first, taps, stride, channels_, out);
    }
  }

  Spatial3 in_, out_, window_, strides_, dilations_, begin_;
  std::int64_t planes_, channels_;  // that lie together
};

std::string refuses(const Int8PoolConfig& c) {
  if (c.type != DataType::Uint8 && c.type != DataType::Int8) return "takes uint8 and int8";
  if (c.pool.kind != PoolKind::Max) return "takes the largest only";
  return pool_refuses(c.pool);
}

std::unique_ptr<Kernel> make(const Int8PoolConfig& c, PackedConstants&) {
  if (c.type == DataType::Uint8) return std::make_unique<Int8Pool<std::uint8_t>>(c.pool);
  return std::make_unique<Int8Pool<std::int8_t>>(c.pool);
}

// Sums are exact in 32 bits.
class Int8Mean final : public Kernel {
 public:
  static constexpr std::int64_t kBlock = 64;  // channels that are added up together

  explicit Int8Mean(const Int8MeanConfig& c)
      : c_(c), pixels_(element_count(c.x) / c.x[0] / c.x[1]), blocks_((c.x[1] + kBlock - 1) / kBlock) {}

  void run(void* const* operands, void*) const override {
    const double scale = *static_cast<const float*>(operands[1]);
    const std::int32_t zero = zero_point(operands[2], c_.type);
    auto* y = static_cast<float*>(operands[3]);
    const auto mean = [&](std::int32_t sum) {
      return static_cast<float>((static_cast<double>(sum) / static_cast<double>(pixels_) - zero) * scale);
    };
    const std::int64_t channels = c_.x[1];
    parallel_ranges(c_.x[0] * blocks_, 3.0 * static_cast<double>(pixels_), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t image = i / blocks_, first = i % blocks_ * kBlock,
                                           n = std::min(kBlock, channels - first);
                        std::int32_t sums[kBlock] = {};
                        if (c_.type == DataType::Uint8)
                          add(static_cast<const std::uint8_t*>(operands[0]), image, first, n, sums);
                        else
                          add(static_cast<const std::int8_t*>(operands[0]), image, first, n, sums);
                        for (std::int64_t c = 0; c < n; ++c) y[image * channels + first + c] = mean(sums[c]);
                      }
                    });
  }

 private:
  // Channels [first, first + n) of an image.
  template <class T>
  void add(const T* x, std::int64_t image, std::int64_t first, std::int64_t n, std::int32_t* sums) const {
    constexpr bool is_signed = std::is_same_v<T, std::int8_t>;
    const Int8Table& table = int8_table();
    const std::int64_t channels = c_.x[1];
    if (c_.layout == Layout::Dense) {
      for (std::int64_t c = 0; c < n; ++c) {
        const T* plane = x + (image * channels + first + c) * pixels_;
        if constexpr (is_signed)
          sums[c] = table.row_sum(plane, pixels_);
        else
          sums[c] = table.row_sum_uint8(plane, pixels_);
      }
      return;
    }
    x += image * pixels_ * channels + first;
    if constexpr (is_signed)
      table.column_sums(x, pixels_, n, channels, sums);
    else
      table.column_sums_uint8(x, pixels_, n, channels, sums);
  }

  Int8MeanConfig c_;
  std::int64_t pixels_, blocks_;
};

std::string mean_refuses(const Int8MeanConfig& c) {
  if (c.type != DataType::Uint8 && c.type != DataType::Int8) return "takes uint8 and int8";
  if (c.x.size() < 3 || element_count(c.x) == 0) return "an empty tensor, or one without spatial dimensions";
  if (!bounded_product({element_count(c.x)})) return "a tensor larger than any memory";
  constexpr std::int64_t kMostPixels = std::numeric_limits<std::int32_t>::max() / 255;
  return element_count(c.x) / c.x[0] / c.x[1] > kMostPixels ? "sums that may pass 32 bits" : "";
}
std::unique_ptr<Kernel> make_mean(const Int8MeanConfig& c, PackedConstants&) { return std::make_unique<Int8Mean>(c); }

constexpr Candidate<Int8MeanConfig> kMean[] = {{"simd", mean_refuses, make_mean}};
constexpr Candidate<Int8PoolConfig> kInt8PoolCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace pool_int8_cc

std::span<const Candidate<Int8PoolConfig>> int8_pool_candidates() { return kInt8PoolCandidates; }
std::span<const Candidate<Int8MeanConfig>> int8_mean_candidates() { return kMean; }

}  // namespace norn::kernels
