// Transposed convolution with channels last and constant weights: for each position of the kernel a matrix product
// gives what every pixel of x adds, as runs of channels, which are then added to the pixels that they fall on.
//
// A piece of work is a block of output channels, which nothing else writes, of all images: so weights, which are often
// most of the memory that is read, are read for many pixels. It goes over x some pixels at a time.
#include <algorithm>
#include <string>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/winograd.h"

namespace norn::kernels {
inline namespace deconv_rows_cc {
namespace {

constexpr std::int64_t kTilePixels = 128;
constexpr double kProductNs = 0.012;

// Filters of a block: two blocks at least where there are two vectors, as threads have nothing else to share.
std::int64_t block_of(std::int64_t filters) {
  const WinogradTable& table = winograd_table();
  return std::min(table.width, round_up((filters + 1) / 2, table.lanes));
}
// In whole vectors.
std::int64_t padded_filters(std::int64_t filters) {
  const std::int64_t before = (filters - 1) / block_of(filters) * block_of(filters);
  return before + round_up(filters - before, winograd_table().lanes);
}

class DeconvRows final : public Kernel {
 public:
  DeconvRows(const DeconvConfig& c, PackedConstants& packed) : c_(c), table_(winograd_table()) {
    depth_ = c.x[1] / c.group;
    filters_ = c.w[1];
    in_ = spatial3(c.x, 2, 1);
    out_ = spatial3(c.out, 2, 1);
    kernel_ = spatial3(c.w, 2, 1);
    strides_ = spatial3(c.strides, 0, 1);
    dilations_ = spatial3(c.dilations, 0, 1);
    pads_ = spatial3(c.pads_begin, 0, 0);
    taps_ = kernel_[0] * kernel_[1] * kernel_[2];
    out_pixels_ = out_[0] * out_[1] * out_[2];
    pixels_ = c.x[0] * in_[0] * in_[1] * in_[2];
    block_ = block_of(filters_);
    blocks_ = (filters_ + block_ - 1) / block_;
    padded_ = padded_filters(filters_);
    tile_ = std::min(kTilePixels, pixels_);
    for (std::size_t d = 0; d < 3; ++d) {
      apart_ = apart_ && (kernel_[d] - 1) * dilations_[d] < strides_[d];
      covers_ = covers_ && kernel_[d] == strides_[d] && (dilations_[d] == 1 || kernel_[d] == 1) && pads_[d] >= 0 &&
                out_[d] + pads_[d] <= in_[d] * strides_[d];
    }
    covers_ = covers_ && apart_;
    const std::string recipe =
        "deconv rows " + to_string(c.w) + " " + std::to_string(c.group) + " " + std::to_string(block_);
    weights_ = packed.get(c.weights, 0, recipe, [&] { return pack(); });
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(c_.group * blocks_ * tile_ * block_) * sizeof(float);
  }
  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void* scratch) const override {
    const float *x = static_cast<const float*>(operands[0]), *bias = static_cast<const float*>(operands[2]);
    float *out = static_cast<float*>(operands[3]), *products = static_cast<float*>(scratch);
    const double unit_ns = (kProductNs * static_cast<double>(depth_) + 0.3) * static_cast<double>(block_ * taps_) *
                           static_cast<double>(pixels_);
    parallel_ranges(c_.group * blocks_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t u = begin; u < end; ++u) {
        const auto [group, in_group] = base::divide(u, blocks_);
        block(x, bias, out, group, in_group * block_, products + u * tile_ * block_);
      }
    });
  }

 private:
  // [group][block][tap][channel of x][filter of the block].
  std::shared_ptr<const void> pack() const {
    auto buffer = aligned_buffer(static_cast<std::size_t>(c_.group * taps_ * depth_ * padded_) * sizeof(float));
    const auto* w = static_cast<const float*>(c_.weights.data);
    const double row_ns = static_cast<double>(padded_ * taps_) * 2;
    parallel_ranges(c_.group * depth_, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [g, c] = base::divide(i, depth_);
        const float* from = w + i * filters_ * taps_;
        for (std::int64_t f0 = 0; f0 < filters_; f0 += block_) {
          const std::int64_t width = std::min(block_, padded_ - f0);
          float* to = static_cast<float*>(buffer.get()) + (g * padded_ + f0) * taps_ * depth_ + c * width;
          for (std::int64_t t = 0; t < taps_; ++t, to += depth_ * width)
            for (std::int64_t f = 0; f < width; ++f)
              to[f] = f0 + f < filters_ ? float_at(from + (f0 + f) * taps_ + t) : 0.0f;
        }
      }
    });
    return buffer;
  }

  // Filters [first, first + block_) of a group.
  void block(const float* x, const float* bias, float* out, std::int64_t group, std::int64_t first,
             float* product) const {
    const std::int64_t count = std::min(block_, filters_ - first), width = std::min(block_, padded_ - first);
    const std::int64_t channels = c_.out[1], at = group * filters_ + first;
    for (std::int64_t p = 0; !covers_ && p < c_.x[0] * out_pixels_; ++p)
      for (std::int64_t f = 0; f < count; ++f) out[p * channels + at + f] = bias != nullptr ? bias[at + f] : 0.0f;
    const float* weights = static_cast<const float*>(weights_.get()) + (group * padded_ + first) * taps_ * depth_;
    for (std::int64_t p0 = 0; p0 < pixels_; p0 += tile_) {
      const std::int64_t n = std::min(tile_, pixels_ - p0);
      Spatial3 tap = {};
      for (std::int64_t t = 0; t < taps_; ++t) {
        table_.multiply(n, width, {.terms = depth_, .parts = 1, .part = 0, .row = c_.x[1]},
                        x + p0 * c_.x[1] + group * depth_, weights + t * depth_ * width, product, width);
        add(product, width, p0, n, tap, out + at, count, bias != nullptr ? bias + at : nullptr);
        advance(tap, kernel_);
      }
    }
  }

  // Adds what pixels [at, at + n) of all images give at position `t` of the kernel; or puts it there, with the bias,
  // where nothing else falls.
  void add(const float* from, std::int64_t width, std::int64_t at, std::int64_t n, const Spatial3& t, float* out,
           std::int64_t count, const float* bias) const {
    const auto place = [&](std::size_t d, std::int64_t i) { return i * strides_[d] + t[d] * dilations_[d] - pads_[d]; };
    for (std::int64_t run = 0; n > 0; n -= run, at += run, from += run * width) {
      const auto [image, in] = pixel_at(at, in_);
      const std::int64_t column = in[2], z = place(0, in[0]), y = place(1, in[1]);
      run = std::min(n, in_[2] - column);
      if (z < 0 || z >= out_[0] || y < 0 || y >= out_[1]) continue;
      float* line = out + ((image * out_[0] + z) * out_[1] + y) * out_[2] * c_.out[1];
      std::int64_t first = 0, last = run;
      while (first < last && place(2, column + first) < 0) ++first;
      while (first < last && place(2, column + last - 1) >= out_[2]) --last;
      if (first == last) continue;
      float* const to = line + place(2, column + first) * c_.out[1];
      const float* const values = from + first * width;
      if (apart_)
        rows_.put_rows(to, strides_[2] * c_.out[1], values, width, last - first, count, bias);
      else
        rows_.add_rows(to, strides_[2] * c_.out[1], values, width, last - first, count);
    }
  }

  DeconvConfig c_;
  const WinogradTable& table_;
  const RowTable& rows_ = row_table();
  bool apart_ = true;             // no element of the output is fallen on twice
  bool covers_ = true;            // every one is fallen on
  std::int64_t depth_, filters_;  // channels of a group
  Spatial3 in_, out_, kernel_, strides_, dilations_, pads_;
  std::int64_t taps_, pixels_, out_pixels_, block_, blocks_, padded_, tile_;
  std::shared_ptr<const void> weights_;
};

// With its input and output reordered.
double rows_ns(const DeconvConfig& c) {
  constexpr double kPutNs = 0.5;
  const auto moved = static_cast<double>(element_count(c.x) + element_count(c.out));
  const double pixels = static_cast<double>(element_count(c.x)) / static_cast<double>(c.x[1]),
               taps = static_cast<double>(element_count(c.w)) / static_cast<double>(c.w[0] * c.w[1]);
  return (kProductNs * static_cast<double>(c.x[1]) + 0.3) * static_cast<double>(padded_filters(c.w[1])) * taps *
             pixels +
         reorder_ns(moved) * moved + kPutNs * static_cast<double>(element_count(c.out));
}

}  // namespace
}  // namespace deconv_rows_cc

std::string deconv_rows_refuses(const DeconvConfig& c) {
  if (c.type != DataType::Float) return "does not compute " + std::string(data_type_name(c.type));
  if (c.layout != Layout::ChannelsLast) return "channels are not last";
  if (!c.weights.known()) return "the weights are not constant";
  if (c.w[1] < 8) return "few channels of output";
  if (std::string why = deconv_sizes_refuse(c); !why.empty()) return why;
  const std::int64_t taps = element_count(c.w) / c.w[0] / c.w[1];
  const Shape packed = {c.x[1], taps, c.w[1] + kWinogradWidest, 4};
  const Shape tiles = {c.group, c.w[1] + kWinogradWidest, kTilePixels, 4};
  return extent_refusal({&packed, &tiles});
}

bool deconv_rows_gain(const DeconvConfig& c) {
  constexpr std::int64_t kFewChannels = 16, kFewFilters = 8, kFewTiles = 128, kFewPixels = 64, kManyPixels = 256;
  const std::int64_t filters = c.w[1], pixels = element_count(c.x) / c.x[1];
  if (c.group != 1 || c.x[1] < kFewChannels || filters < kFewFilters || !c.weights.known()) return false;
  if (deconv_phases_gain(c, rows_ns(c))) return false;
  // Where every output is one product, dense ones are put in place as fast, unless pixels are too few for a product.
  const bool tiles = std::equal(c.strides.begin(), c.strides.end(), c.w.begin() + 2, c.w.end());
  if (tiles) return pixels < kFewTiles;
  if (pixels < kFewPixels) return true;
  if (5 * filters < 4 * padded_filters(filters)) return false;
  // Blocks of one vector take as long as dense products of whole vectors of pixels.
  return filters > 2 * winograd_table().lanes || pixels < kManyPixels;
}

std::unique_ptr<Kernel> make_deconv_rows(const DeconvConfig& c, PackedConstants& packed) {
  return std::make_unique<DeconvRows>(c, packed);
}

}  // namespace norn::kernels
