// Samples of a bin form a grid, and the weight of an element is a product of one for its row and one for its column. So
// each bin needs its samples along either axis only, and an average the sums of their weights for each row and column.
//
// Samples outside of the image count as 0; a region whose coordinates are not finite gives NaN. A region of any size
// costs no more than the image has rows and columns: where the samples follow the region's size they are an element
// apart. Coordinates are rounded to float where the type is not double, since the number of samples, a ceiling, depends
// on them.
#include "ops/object_detection/roi_align/roi_align.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

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

// One axis of a region.
struct Side {
  double start = 0, bin = 0;  // of the first bin; size of each
  double samples = 0;         // for each bin, those outside of the image included
};

Side side_of(const RoiAlignParams& p, bool exact, double from, double to, std::int64_t bins) {
  const auto rounded = [&](double v) { return exact ? v : static_cast<double>(static_cast<float>(v)); };
  const double offset = p.half_pixel ? 0.5 : 0.0;
  const double start = rounded(rounded(from * p.spatial_scale) - offset),
               end = rounded(rounded(to * p.spatial_scale) - offset);
  double size = rounded(end - start);
  if (!p.half_pixel) size = std::max(size, 1.0);
  const double bin = rounded(size / static_cast<double>(bins));
  const double samples = p.sampling_ratio > 0 ? static_cast<double>(p.sampling_ratio) : std::ceil(bin);
  return {start, bin, std::max(samples, 0.0)};
}

// The samples of a bin that lie in the image, or up to one element before it.
void samples_of(const Side& side, std::int64_t bin, std::int64_t size, std::vector<Between>& result) {
  result.clear();
  if (side.samples == 0 || size == 0) return;
  const double origin = side.start + static_cast<double>(bin) * side.bin, step = side.bin / side.samples;
  const auto image = static_cast<double>(size);
  // Sample i lies at origin + (i + 0.5) * step. One more at either end is looked at, and left out if need be.
  double first = 0, last = side.samples - 1;
  if (step != 0) {
    const double a = (-1 - origin) / step - 0.5, b = (image - origin) / step - 0.5;
    first = std::max(first, std::floor(std::min(a, b)));
    last = std::min(last, std::ceil(std::max(a, b)));
  }
  if (last >= 0x1p52) return;  // so far away that a double cannot distinguish samples
  for (double i = first; i <= last; ++i) {
    double x = origin + (i + 0.5) * step;
    if (x < -1 || x > image) continue;
    x = std::max(x, 0.0);
    const auto low = std::min(static_cast<std::int64_t>(x), size - 1);
    if (low == size - 1)
      result.push_back({low, low, 1, 0});
    else
      result.push_back({low, low + 1, 1 - (x - static_cast<double>(low)), x - static_cast<double>(low)});
  }
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
    const bool exact = x.dtype() == DataType::Double;
    const Side v = side_of(p, exact, corner[1], corner[3], p.height),
               h = side_of(p, exact, corner[0], corner[2], p.width);
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
