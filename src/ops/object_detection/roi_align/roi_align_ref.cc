// Samples of a bin form a grid, and the weight of an element is a product of one for its row and one for its column. So
// each bin needs its samples along either axis only, and an average the sums of their weights for each row and column.
//
// Samples outside of the image count as 0; a region whose coordinates are not finite gives NaN.
#include "ops/object_detection/roi_align/roi_align.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/region_samples.h"
#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace roi_align_ref_cc {
namespace {

// The two elements around a sample, which may be one and the same, and their weights.
struct Between {
  std::int64_t low, high;
  double low_weight, high_weight;
};

void samples_of(const base::RegionAxis& axis, std::int64_t bin, std::int64_t size, std::vector<Between>& result) {
  result.clear();
  base::each_sample(axis, bin, size, [&](std::int64_t low, double part) {
    result.push_back({low, std::min(low + 1, size - 1), 1 - part, part});
  });
}

struct Weighted {
  std::int64_t index;
  double weight;
};
// The sums of weights for each element that samples read.
void summed(const std::vector<Between>& samples, std::vector<Weighted>& all) {
  all.clear();
  for (const Between& s : samples) {
    all.push_back({s.low, s.low_weight});
    if (s.high_weight != 0) all.push_back({s.high, s.high_weight});
  }
  std::sort(all.begin(), all.end(), [](const Weighted& a, const Weighted& b) { return a.index < b.index; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].index == all[i].index)
      all[kept - 1].weight += all[i].weight;
    else
      all[kept++] = all[i];
  }
  all.resize(kept);
}

template <class T>
double average(const T* plane, std::int64_t columns, std::span<const Weighted> y, std::span<const Weighted> x) {
  double sum = 0;
  for (const Weighted& r : y) {
    const T* row = plane + r.index * columns;
    double along = 0;
    for (const Weighted& c : x) along += c.weight * static_cast<double>(row[c.index]);
    sum += r.weight * along;
  }
  return sum;
}

template <class T>
double maximum(const T* plane, std::int64_t columns, std::span<const Between> y, std::span<const Between> x,
               bool some_outside) {
  if (!some_outside && (y.empty() || x.empty())) return 0;
  double best = some_outside ? 0 : -std::numeric_limits<double>::infinity();
  bool nan = false;
  for (const Between& r : y) {
    const T *low = plane + r.low * columns, *high = plane + r.high * columns;
    for (const Between& c : x) {
      const auto weighted = [](double a, double b, T v) { return a * b * static_cast<double>(v); };
      const double v0 = weighted(r.low_weight, c.low_weight, low[c.low]),
                   v1 = weighted(r.low_weight, c.high_weight, low[c.high]),
                   v2 = weighted(r.high_weight, c.low_weight, high[c.low]),
                   v3 = weighted(r.high_weight, c.high_weight, high[c.high]);
      nan = nan | (v0 != v0) | (v1 != v1) | (v2 != v2) | (v3 != v3);
      best = std::max(best, std::max(std::max(v0, v1), std::max(v2, v3)));
    }
  }
  return nan ? std::numeric_limits<double>::quiet_NaN() : best;
}

void roi_align_ref(opset::ReferenceContext& ctx) {
  const RoiAlignParams p = resolve_roi_align(ctx);
  const Tensor &x = ctx.input(0), &rois = ctx.input(1), &batches = ctx.input(2);
  const std::int64_t count = rois.dims()[0], channels = x.dims()[1], rows = x.dims()[2], columns = x.dims()[3];
  const std::vector<double> corners = load_all<double>(rois);
  const bool in_place = x.dtype() == DataType::Float;  // others are widened
  const std::vector<double> values = in_place ? std::vector<double>() : load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), {count, channels, p.height, p.width});
  if (y.size() == 0) return;
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  const std::int64_t bins = p.height * p.width;
  std::vector<Between> down, across;
  std::vector<Weighted> down_sums, across_sums;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t batch = batches.as<std::int64_t>()[n];
    if (batch < 0 || batch >= x.dims()[0]) {
      ctx.fail("batch_indices contains " + std::to_string(batch) + ", but X has " + std::to_string(x.dims()[0]) +
               " images");
    }
    const double* corner = corners.data() + 4 * n;
    double* to = result.data() + n * channels * bins;
    const base::RegionRule rule{p.spatial_scale, p.half_pixel, p.sampling_ratio, x.dtype() == DataType::Double};
    const base::RegionAxis v = base::region_axis(rule, corner[1], corner[3], p.height),
                           h = base::region_axis(rule, corner[0], corner[2], p.width);
    if (!std::isfinite(v.start + v.bin + h.start + h.bin)) {
      std::fill_n(to, channels * bins, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double samples = v.samples * h.samples;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      if (bin % p.width == 0) samples_of(v, bin / p.width, rows, down);
      samples_of(h, bin % p.width, columns, across);
      const auto inside = static_cast<double>(down.size()) * static_cast<double>(across.size());
      summed(down, down_sums);
      summed(across, across_sums);
      const auto all_channels = [&](const auto* plane) {
        for (std::int64_t c = 0; c < channels; ++c, plane += rows * columns)
          to[c * bins + bin] = p.maximum ? maximum(plane, columns, down, across, inside < samples)
                                         : average(plane, columns, down_sums, across_sums) / std::max(samples, 1.0);
      };
      const std::int64_t image = batch * channels * rows * columns;
      if (in_place)
        all_channels(x.as<float>() + image);
      else
        all_channels(values.data() + image);
    }
  }
  store_all(y, result);
}

}  // namespace
}  // namespace roi_align_ref_cc

void roi_align_references(opset::ReferenceTable& table) { table.add(RoiAlign, roi_align_ref); }

}  // namespace norn::ops
