// Convolution by windows of one pixel: some rows of pixels at a time, which stay in the second cache, times one panel
// of weights after the other (separable.h). The bias, a sum with another tensor and bounds are applied in registers.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/pixel_steps.h"
#include "kernels/cpu/separable.h"

namespace norn::kernels {
inline namespace conv_pointwise_cc {
namespace {

constexpr std::int64_t kTileRows = 96, kStep = 6;  // of pixels; those of a tile are a multiple of what registers hold
constexpr std::int64_t kFewestPixels = 12, kFewestChannels = 16, kMostChannels = 4096;
constexpr std::int64_t kLeastLanes = 8;
constexpr double kProductsPerNs = 100;
constexpr std::int64_t kFewestSums = 64;  // of an element, in whose time its memory may be fetched
constexpr float kNone = std::numeric_limits<float>::infinity();  // no bound, or that below 0

class PointwiseConv final : public Kernel {
 public:
  PointwiseConv(const ConvConfig& c, PackedConstants& packed)
      : c_(c),
        table_(separable_table()),
        steps_(c.out, c.post, c.extra),
        in_registers_(steps_.in_registers()),
        in_(spatial3(c.x, 2, 1)),
        out_(spatial3(c.out, 2, 1)),
        strides_(spatial3(c.strides, 0, 1)),
        depth_(c.x[1]),
        filters_(c.out[1]),
        pixels_(c.x[0] * out_[0] * out_[1] * out_[2]),
        panels_((filters_ + table_.width - 1) / table_.width) {
    gathers_ = in_ != out_;
    const std::int64_t tiles = (pixels_ + kTileRows - 1) / kTileRows;
    rows_ = round_up((pixels_ + tiles - 1) / tiles, kStep);
    units_ = (pixels_ + rows_ - 1) / rows_ * panels_;
    const double products = static_cast<double>(pixels_) * static_cast<double>(depth_) * static_cast<double>(filters_);
    tasks_ = std::min(units_, contraction_pieces(products / kProductsPerNs, 32));
    weights_ = pack_for_separable(c.weights, filters_, depth_, table_.width, packed);
  }

  std::size_t scratch_bytes() const override {
    return gathers_ ? static_cast<std::size_t>(pixels_ * depth_) * sizeof(float) : 0;
  }
  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void* scratch) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    if (gathers_) {
      auto* const gathered = static_cast<float*>(scratch);
      parallel_ranges(pixels_, static_cast<double>(depth_) * 0.2, 1,
                      [&](std::int64_t begin, std::int64_t end) { gather(x, begin, end, gathered + begin * depth_); });
      x = gathered;
    }
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (auto [unit, end] = base::part_of(units_, tasks_, task); unit < end;) {
        const auto [now, panel] = base::divide(unit, panels_);
        const std::int64_t count = std::min(end - unit, panels_ - panel);
        tile(operands, x, now * rows_, panel, panel + count,
             upcoming(x, now, next_unit(unit + count - 1, units_, task, tasks_)));
        unit += count;
      }
    });
  }

 private:
  // `unit`: the next one, behind those of the tile `now`.
  Upcoming upcoming(const float* x, std::int64_t now, std::int64_t unit) const {
    Upcoming result{.panels = is_far(filters_ * depth_), .rows = depth_ >= kFewestSums && is_far(pixels_ * filters_)};
    const auto [next, panel] = base::divide(unit, panels_);
    const std::int64_t first = next * rows_, column = panel * table_.width;
    const float* from = nullptr;
    std::int64_t count = 0;
    if (unit < units_ && next == now && result.panels) {
      from = static_cast<const float*>(weights_.get()) + column * depth_;
      count = std::min(table_.width, filters_ - column);
    } else if (unit < units_ && next != now && is_far(pixels_ * depth_)) {
      from = x + first * depth_;
      count = std::min(rows_, pixels_ - first);
    }
    result.at = from;
    result.bytes = count * depth_ * static_cast<std::int64_t>(sizeof(float));
    return result;
  }

  // Pixels from `first` on, of the columns of some panels.
  void tile(void* const* operands, const float* x, std::int64_t first, std::int64_t panel, std::int64_t end,
            Upcoming next) const {
    const std::int64_t rows = std::min(rows_, pixels_ - first), column = panel * table_.width,
                       columns = std::min(end * table_.width, filters_) - column;
    const std::int64_t at = first * filters_ + column;
    void* const* const extras = operands + 3;
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const auto* const bias = c_.has_bias ? static_cast<const float*>(operands[2]) + column : nullptr;
    const auto [added, bounds] = in_registers_.value_or(PixelSteps::InRegisters{-1, {-kNone, kNone}});
    const auto* const weights = static_cast<const float*>(weights_.get());
    table_.multiply(rows, columns, depth_, x + first * depth_, depth_, weights + column * depth_, next, bias,
                    added < 0 ? nullptr : static_cast<const float*>(extras[added]) + at, bounds.first, bounds.second,
                    out + at, filters_);
    if (in_registers_) return;
    if (columns == filters_) return steps_.apply(out, extras, at, rows * filters_, 0, filters_);
    for (std::int64_t r = 0; r < rows; ++r) steps_.apply(out, extras, at + r * filters_, columns, column, columns);
  }

  // Of strides that leave out pixels.
  void gather(const float* x, std::int64_t begin, std::int64_t end, float* to) const {
    for (std::int64_t p = begin; p < end; ++p, to += depth_) {
      const auto [image, o] = pixel_at(p, out_);
      const std::int64_t i0 = o[0] * strides_[0], i1 = o[1] * strides_[1], i2 = o[2] * strides_[2];
      std::memcpy(to, x + (((image * in_[0] + i0) * in_[1] + i1) * in_[2] + i2) * depth_,
                  static_cast<std::size_t>(depth_) * sizeof(float));
    }
  }

  const ConvConfig c_;
  const SeparableTable& table_;
  const PixelSteps steps_;
  const std::optional<PixelSteps::InRegisters> in_registers_;
  Spatial3 in_, out_, strides_;
  std::int64_t depth_, filters_, pixels_, panels_, rows_ = 1, units_ = 1, tasks_ = 1;
  bool gathers_;
  std::shared_ptr<const void> weights_;
};

}  // namespace
}  // namespace conv_pointwise_cc

std::string pointwise_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x.size() > 5) return "more than three spatial dimensions";
  if (c.group != 1) return "several groups";
  for (std::size_t d = 2; d < c.w.size(); ++d)
    if (c.w[d] != 1 || c.pads_begin[d - 2] != 0 || c.pads_end[d - 2] != 0) return "not a window of one pixel";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  if (!c.weights.known()) return "the weights are not constant";
  const SeparableTable& table = separable_table();
  if (table.lanes < kLeastLanes) return "is for vectors of 8 floats and more";
  if (c.x[1] < kFewestChannels || c.x[1] > kMostChannels) return "fewer than 16 channels, or more than 4096";
  if (round_up(c.out[1], table.lanes) * 8 > c.out[1] * 9) return "filters that do not fill vectors";
  if (element_count(c.out) / c.out[1] < kFewestPixels) return "few pixels";
  return pixel_steps_refusal(c.out, c.post, c.extra, c.in_place_extra);
}

std::unique_ptr<Kernel> make_pointwise_conv(const ConvConfig& config, PackedConstants& packed) {
  return std::make_unique<PointwiseConv>(config, packed);
}

}  // namespace norn::kernels
