// Samples of a bin form a grid, and the weight of an element is a product of one for its row and one for its column:
// those of an axis are found once for all bins and channels. The bins of some channels at a time are computed pixel by
// pixel, and turned to where they belong while they are in the first cache.
//
// Places and weights are computed in double, coordinates are rounded to float: the number of samples, a ceiling,
// depends on them. A region of any size reads no more than the image has.
#include "kernels/cpu/roi_align.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/division.h"
#include "base/region_samples.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/transpose_loops.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace roi_align_cc {
namespace {

constexpr std::int64_t kChannels = 64;                            // that are computed together
constexpr std::int64_t kTogether = 256;                           // bins, of whole rows
constexpr std::int64_t kMostTaps = 1 << 16, kMostBins = 1 << 12;  // of an axis, and of a row

using Side = base::RegionAxis;

class RoiAlign final : public Kernel {
 public:
  explicit RoiAlign(const RoiAlignConfig& c) : c_(c), loops_(roi_loops()), turn_(transpose_loops(sizeof(float)).block) {
    const double bins = static_cast<double>(c.height * c.width);
    tasks_ = piece_count(c.regions, 500 + 0.3 * bins * static_cast<double>(c.channels));
    together_ = std::clamp<std::int64_t>(kTogether / c.width, 1, c.height);
    down_ = most_taps(c, c.rows);
    across_ = most_taps(c, c.columns);
    const auto up = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const auto tap = static_cast<std::int64_t>(c.maximum ? sizeof(RoiSample) : sizeof(RoiTap));
    across_at_ = up(together_ * c.width * kChannels * static_cast<std::int64_t>(sizeof(float)));
    down_at_ = across_at_ + up(across_ * c.width * tap);
    counts_at_ = down_at_ + up(down_ * c.height * tap);
    task_bytes_ = counts_at_ + up(2 * (c.width + c.height) * static_cast<std::int64_t>(sizeof(std::int64_t)));
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    const auto* images = static_cast<const std::int64_t*>(operands[2]);
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* const own = static_cast<std::byte*>(scratch) + task_bytes_ * task;
      for (auto [r, last_r] = base::part_of(c_.regions, tasks_, task); r < last_r; ++r) {
        const std::int64_t image = images[r];
        if (image < 0 || image >= c_.batch)
          throw Error(ErrorCode::RuntimeError, "batch_indices contains " + std::to_string(image) + ", but X has " +
                                                   std::to_string(c_.batch) + " images");
        const float* const x = static_cast<const float*>(operands[0]) + image * c_.rows * c_.columns * c_.channels;
        float* const out = static_cast<float*>(operands[3]) + r * c_.channels * c_.height * c_.width;
        const float* const corner = static_cast<const float*>(operands[1]) + 4 * r;
        const Side down = side_of(corner[1], corner[3], c_.height), across = side_of(corner[0], corner[2], c_.width);
        if (!std::isfinite(down.start + down.bin + across.start + across.bin))
          std::fill_n(out, c_.channels * c_.height * c_.width, std::numeric_limits<float>::quiet_NaN());
        else if (c_.maximum)
          region<RoiSample>(x, down, across, own, out);
        else
          region<RoiTap>(x, down, across, own, out);
      }
    });
  }

  // Of one bin along an axis of that many elements.
  static std::int64_t most_taps(const RoiAlignConfig& c, std::int64_t size) {
    // Samples that follow the region's size are more than half an element apart if there is more than one.
    const std::int64_t samples = c.sampling_ratio > 0 ? c.sampling_ratio : 2 * size + 8;
    return c.maximum ? samples : std::min(2 * samples, size);
  }

 private:
  Side side_of(float from, float to, std::int64_t bins) const {
    return base::region_axis({.scale = c_.spatial_scale, .half_pixel = c_.half_pixel, .ratio = c_.sampling_ratio},
                             static_cast<double>(from), static_cast<double>(to), bins);
  }

  // What a bin reads of an axis whose neighbours are `step` elements apart, weighted by `scale` besides. Returns how
  // much of it there is; `inside` becomes the number of samples in the image.
  std::int64_t taps_of(const Side& side, std::int64_t bin, std::int64_t size, std::int64_t step, double scale,
                       RoiTap* taps, std::int64_t& inside) const {
    std::int64_t n = 0;
    inside = 0;
    // Samples follow one another, so that an element which was read before is among the last three.
    const auto add = [&](std::int64_t at, double weight) {
      at *= step;
      for (std::int64_t i = n; i-- > std::max<std::int64_t>(n - 3, 0);)
        if (taps[i].at == at) {
          taps[i].weight += static_cast<float>(weight * scale);
          return;
        }
      taps[n++] = {at, static_cast<float>(weight * scale)};
    };
    base::each_sample(side, bin, size, [&](std::int64_t low, double part) {
      ++inside;
      add(low, 1 - part);
      if (part != 0) add(low + 1, part);
    });
    return n;
  }
  std::int64_t taps_of(const Side& side, std::int64_t bin, std::int64_t size, std::int64_t step, double,
                       RoiSample* taps, std::int64_t& inside) const {
    std::int64_t n = 0;
    base::each_sample(side, bin, size, [&](std::int64_t low, double part) {
      const std::int64_t high = std::min(low + 1, size - 1);
      taps[n++] = {low * step, high * step, static_cast<float>(1 - part), static_cast<float>(part)};
    });
    inside = n;
    return n;
  }

  void one_bin(const float* x, std::span<const RoiTap> down, std::span<const RoiTap> across, bool, std::int64_t n,
               float* out) const {
    loops_.sum(x, down, across, n, out);
  }
  void one_bin(const float* x, std::span<const RoiSample> down, std::span<const RoiSample> across, bool some_outside,
               std::int64_t n, float* out) const {
    const bool zero = some_outside || down.empty() || across.empty();
    loops_.greatest(x, down, across, zero ? 0 : -std::numeric_limits<float>::infinity(), n, out);
  }

  template <class Tap>
  void region(const float* x, const Side& down, const Side& across, std::byte* own, float* out) const {
    const std::int64_t bins = c_.height * c_.width;
    auto* const computed = reinterpret_cast<float*>(own);
    auto* const across_taps = reinterpret_cast<Tap*>(own + across_at_);
    auto* const down_taps = reinterpret_cast<Tap*>(own + down_at_);
    auto* const across_counts = reinterpret_cast<std::int64_t*>(own + counts_at_);
    auto *const across_inside = across_counts + c_.width, *const down_counts = across_inside + c_.width,
                *const down_inside = down_counts + c_.height;
    const double samples = down.samples * across.samples;
    for (std::int64_t b = 0; b < c_.width; ++b)
      across_counts[b] = taps_of(across, b, c_.columns, c_.channels, 1, across_taps + b * across_, across_inside[b]);
    for (std::int64_t b = 0; b < c_.height; ++b)
      down_counts[b] = taps_of(down, b, c_.rows, c_.columns * c_.channels, 1 / std::max(samples, 1.0),
                               down_taps + b * down_, down_inside[b]);
    for (std::int64_t first = 0; first < c_.channels; first += kChannels) {
      const std::int64_t n = std::min(kChannels, c_.channels - first);
      for (std::int64_t top = 0; top < c_.height; top += together_) {
        const std::int64_t rows = std::min(together_, c_.height - top);
        float* to = computed;
        for (std::int64_t b = top; b < top + rows; ++b)
          for (std::int64_t a = 0; a < c_.width; ++a, to += kChannels) {
            const double inside = static_cast<double>(down_inside[b]) * static_cast<double>(across_inside[a]);
            one_bin(x + first, std::span<const Tap>(down_taps + b * down_, static_cast<std::size_t>(down_counts[b])),
                    std::span<const Tap>(across_taps + a * across_, static_cast<std::size_t>(across_counts[a])),
                    inside < samples, n, to);
          }
        turn_(computed, kChannels, out + first * bins + top * c_.width, bins, rows * c_.width, n);
      }
    }
  }

  RoiAlignConfig c_;
  RoiLoops loops_;
  decltype(TransposeLoops::block) turn_;
  std::int64_t tasks_ = 1, together_ = 1;  // rows of bins
  std::int64_t down_ = 0, across_ = 0;     // taps of a bin, at most
  std::int64_t across_at_ = 0, down_at_ = 0, counts_at_ = 0, task_bytes_ = 0;
};

std::string refuses(const RoiAlignConfig& c) {
  for (const std::int64_t size : {c.batch, c.channels, c.rows, c.columns, c.regions, c.height, c.width})
    if (size < 1) return "an empty tensor";
  const Shape x = {c.batch, c.channels, c.rows, c.columns, 4}, y = {c.regions, c.channels, c.height, c.width, 4};
  if (std::string why = extent_refusal({&x, &y}); !why.empty()) return why;
  const Shape across = {c.width, RoiAlign::most_taps(c, c.columns)}, down = {c.height, RoiAlign::most_taps(c, c.rows)};
  for (const Shape* taps : {&across, &down})
    if (!bounded_product(*taps, kMostTaps)) return "samples of too many bins and elements";
  return c.width > kMostBins ? "rows of many bins" : "";
}
std::unique_ptr<Kernel> make(const RoiAlignConfig& c, PackedConstants&) { return std::make_unique<RoiAlign>(c); }

constexpr Candidate<RoiAlignConfig> kRoiAlignCandidates[] = {{"pixels", refuses, make}};

}  // namespace
}  // namespace roi_align_cc

std::span<const Candidate<RoiAlignConfig>> roi_align_candidates() { return kRoiAlignCandidates; }

}  // namespace norn::kernels
