// The weight of an element in a bin is a product of one for its row and one for its column. So rows are combined first,
// all columns of a region at once, then the columns of each bin. Weights are found once for some channels.
#include "kernels/cpu/roi_align.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace roi_align_cc {
namespace {

constexpr std::int64_t kChannels = 128;                    // of a piece of work
constexpr std::int64_t kMostBins = std::int64_t{1} << 16;  // along an axis

// What the bins of a region read along one axis.
class AxisTaps {
 public:
  AxisTaps(std::int64_t size, std::int64_t bins)
      : least_(static_cast<std::size_t>(size)),
        most_(least_.size()),
        begin_(static_cast<std::size_t>(bins + 1)),
        inside_(static_cast<std::size_t>(bins)) {}

  void find(const base::RegionAxis& axis, bool maximum) {
    taps_.clear();
    first_ = static_cast<std::int64_t>(least_.size());
    end_ = 0;
    for (std::size_t b = 0; b < inside_.size(); ++b) {
      begin_[b] = taps_.size();
      inside_[b] = find_bin(axis, static_cast<std::int64_t>(b), maximum);
    }
    begin_.back() = taps_.size();
  }
  std::span<const RegionTap> of(std::int64_t bin) const {
    const auto b = static_cast<std::size_t>(bin);
    return {taps_.data() + begin_[b], taps_.data() + begin_[b + 1]};
  }
  // Samples of a bin that lie in the image.
  double inside(std::int64_t bin) const { return static_cast<double>(inside_[static_cast<std::size_t>(bin)]); }
  // Elements [first, end) have all that is read.
  std::int64_t first() const { return first_; }
  std::int64_t end() const { return end_; }

 private:
  // Sums of weights, or the least and the greatest of each element, by which it counts most.
  std::int64_t find_bin(const base::RegionAxis& axis, std::int64_t bin, bool maximum) {
    const auto size = static_cast<std::int64_t>(least_.size());
    std::int64_t low = size, high = 0, count = 0;
    const auto add = [&](std::int64_t at, double weight) {
      if (low >= high) low = high = at;
      while (low > at) least_[static_cast<std::size_t>(--low)] = kNone;
      while (high <= at) least_[static_cast<std::size_t>(high++)] = kNone;
      double &least = least_[static_cast<std::size_t>(at)], &most = most_[static_cast<std::size_t>(at)];
      if (least == kNone)
        least = most = weight;
      else if (maximum)
        least = std::min(least, weight), most = std::max(most, weight);
      else
        least += weight;
    };
    base::each_sample(axis, bin, size, [&](std::int64_t at, double part) {
      ++count;
      add(at, 1 - part);
      if (maximum || part != 0) add(std::min(at + 1, size - 1), part);
    });
    for (std::int64_t at = low; at < high; ++at) {
      const double least = least_[static_cast<std::size_t>(at)], most = most_[static_cast<std::size_t>(at)];
      if (least == kNone) continue;
      taps_.push_back({at, static_cast<float>(least)});
      if (maximum && most != least) taps_.push_back({at, static_cast<float>(most)});
    }
    if (low < high) first_ = std::min(first_, low), end_ = std::max(end_, high);
    return count;
  }

  static constexpr double kNone = -1;
  std::vector<double> least_, most_;
  std::vector<RegionTap> taps_;
  std::vector<std::size_t> begin_;
  std::vector<std::int64_t> inside_;
  std::int64_t first_ = 0, end_ = 0;
};

class RoiAlign final : public Kernel {
 public:
  explicit RoiAlign(const RoiAlignConfig& c) : c_(c), loops_(region_loops()) {}

  void run(void* const* operands, void*) const override {
    const auto* const x = static_cast<const float*>(operands[0]);
    const auto* const corners = static_cast<const float*>(operands[1]);
    const auto* const images = static_cast<const std::int64_t*>(operands[2]);
    auto* const out = static_cast<float*>(operands[3]);
    for (std::int64_t r = 0; r < c_.regions; ++r)
      if (images[r] < 0 || images[r] >= c_.images)
        throw Error(ErrorCode::RuntimeError, "batch_indices contains " + std::to_string(images[r]) + ", but X has " +
                                                 std::to_string(c_.images) + " images");
    const std::int64_t groups = (c_.channels + kChannels - 1) / kChannels, bins = c_.height * c_.width;
    const double channel_ns = static_cast<double>(bins) * 3 + 20;
    const double unit_ns = channel_ns * static_cast<double>(std::min(kChannels, c_.channels)) + 500;
    parallel_ranges(c_.regions * groups, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      AxisTaps down(c_.rows, c_.height), across(c_.columns, c_.width);
      std::vector<float> line(static_cast<std::size_t>(c_.columns));
      for (std::int64_t u = begin; u < end; ++u) {
        const std::int64_t r = u / groups, k0 = u % groups * kChannels, k1 = std::min(k0 + kChannels, c_.channels);
        const float* const corner = corners + 4 * r;
        const auto v = base::region_axis(c_.rule, static_cast<double>(corner[1]), static_cast<double>(corner[3]),
                                         c_.height),
                   h = base::region_axis(c_.rule, static_cast<double>(corner[0]), static_cast<double>(corner[2]),
                                         c_.width);
        float* const to = out + (r * c_.channels + k0) * bins;
        if (!std::isfinite(v.start + v.bin + h.start + h.bin)) {
          std::fill_n(to, (k1 - k0) * bins, std::numeric_limits<float>::quiet_NaN());
          continue;
        }
        down.find(v, c_.maximum);
        across.find(h, c_.maximum);
        const float* plane = x + (images[r] * c_.channels + k0) * c_.rows * c_.columns;
        for (std::int64_t k = k0; k < k1; ++k, plane += c_.rows * c_.columns)
          channel(plane, down, across, v.samples * h.samples, line.data(), to + (k - k0) * bins);
      }
    });
  }

 private:
  void channel(const float* plane, const AxisTaps& down, const AxisTaps& across, double samples, float* line,
               float* out) const {
    const std::int64_t first = across.first(), n = across.end() - first;
    const auto share = static_cast<float>(1 / std::max(samples, 1.0));
    for (std::int64_t i = 0; i < c_.height; ++i, out += c_.width) {
      const auto rows = down.of(i);
      const auto count = static_cast<std::int64_t>(rows.size());
      if (rows.empty() || n <= 0) {
        std::fill_n(out, c_.width, 0.0f);
      } else if (!c_.maximum) {
        loops_.sums(plane + first, c_.columns, rows.data(), count, n, line);
        for (std::int64_t j = 0; j < c_.width; ++j) {
          float sum = 0;
          for (const RegionTap& tap : across.of(j)) sum += tap.weight * line[tap.index - first];
          out[j] = sum * share;
        }
      } else {
        const bool finite = loops_.largest(plane + first, c_.columns, rows.data(), count, n, line);
        for (std::int64_t j = 0; j < c_.width; ++j) {
          const auto columns = across.of(j);
          const bool some_outside = down.inside(i) * across.inside(j) < samples;
          float most = some_outside || columns.empty() ? 0.0f : -std::numeric_limits<float>::infinity();
          if (finite)
            for (const RegionTap& tap : columns) most = std::max(most, tap.weight * line[tap.index - first]);
          else
            most = directly(plane, rows, columns, most);
          out[j] = most;
        }
      }
    }
  }
  // Of elements that need not be finite, whose products with a weight of 0 are not numbers.
  float directly(const float* plane, std::span<const RegionTap> rows, std::span<const RegionTap> columns,
                 float most) const {
    bool nan = false;
    for (const RegionTap& r : rows)
      for (const RegionTap& c : columns) {
        const float v = r.weight * c.weight * plane[r.index * c_.columns + c.index];
        nan = nan || std::isnan(v);
        most = std::max(most, v);
      }
    return nan ? std::numeric_limits<float>::quiet_NaN() : most;
  }

  RoiAlignConfig c_;
  const RegionLoops& loops_;
};

std::string refuses(const RoiAlignConfig& c) {
  for (const std::int64_t size : {c.images, c.channels, c.rows, c.columns, c.regions, c.height, c.width})
    if (size < 1) return "an empty tensor";
  const Shape x = {c.images, c.channels, c.rows, c.columns}, y = {c.regions, c.channels, c.height, c.width};
  if (std::string why = extent_refusal({&x, &y}); !why.empty()) return why;
  return std::max(c.height, c.width) > kMostBins ? "regions of many bins" : "";
}
std::unique_ptr<Kernel> make(const RoiAlignConfig& c, PackedConstants&) { return std::make_unique<RoiAlign>(c); }

constexpr Candidate<RoiAlignConfig> kRoiAlignCandidates[] = {{"regions", refuses, make}};

}  // namespace
}  // namespace roi_align_cc

std::span<const Candidate<RoiAlignConfig>> roi_align_candidates() { return kRoiAlignCandidates; }

}  // namespace norn::kernels
