// A region's corners are rounded to whole elements, halves away from zero, and both belong to it; one that is turned
// inside out has one element. Bins overlap where sizes do not divide: each begins at the floor of its share and ends at
// the ceiling. A bin without elements gives 0. NaN wins a maximum.
#include "ops/nn/max_roi_pool/max_roi_pool.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

struct Range {
  std::int64_t first, last;  // the last one is not included
};

// Of a bin within the region from `low` to `high`, as far as it lies in the image.
Range bin_range(double low, double high, std::int64_t bin, std::int64_t bins, std::int64_t size) {
  // Whatever lies beyond is outside of every image.
  const auto whole = [](double v) { return static_cast<std::int64_t>(std::clamp(v, -0x1p62, 0x1p62)); };
  const std::int64_t start = whole(low);
  const __int128 extent = std::max<__int128>(static_cast<__int128>(whole(high)) - start + 1, 1);
  const __int128 first = start + extent * bin / bins, last = start + (extent * (bin + 1) + bins - 1) / bins;
  const auto inside = [&](__int128 v) { return static_cast<std::int64_t>(std::clamp<__int128>(v, 0, size)); };
  return {inside(first), inside(last)};
}

void max_roi_pool_ref(opset::ReferenceContext& ctx) {
  const MaxRoiPoolParams p = resolve_max_roi_pool(ctx);
  const Tensor &x = ctx.input(0), &rois = ctx.input(1);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dims()[1] != 5) {
    ctx.fail("X " + to_string(x.dims()) + " and rois " + to_string(rois.dims()) +
             " have to be N x C x H x W and regions x 5");
  }
  const std::int64_t count = rois.dims()[0], channels = x.dims()[1], rows = x.dims()[2], columns = x.dims()[3];
  const std::vector<double> values = load_all<double>(x), regions = load_all<double>(rois);
  Tensor& y = ctx.output(0, x.dtype(), {count, channels, p.height, p.width});
  if (y.size() == 0) return;
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  for (std::int64_t n = 0; n < count; ++n) {
    const double* region = regions.data() + 5 * n;
    if (!(region[0] >= 0 && region[0] < static_cast<double>(x.dims()[0]))) {
      ctx.fail("region " + std::to_string(n) + " is of image " + std::to_string(region[0]) + ", but X has " +
               std::to_string(x.dims()[0]) + " images");
    }
    double corner[4];
    for (int i = 0; i < 4; ++i) {
      corner[i] = std::round(region[i + 1] * p.spatial_scale);
      if (std::isnan(corner[i])) ctx.fail("region " + std::to_string(n) + " has a coordinate that is NaN");
    }
    const double* image = values.data() + static_cast<std::int64_t>(region[0]) * channels * rows * columns;
    double* to = result.data() + n * channels * p.height * p.width;
    for (std::int64_t i = 0; i < p.height; ++i) {
      const Range down = bin_range(corner[1], corner[3], i, p.height, rows);
      for (std::int64_t j = 0; j < p.width; ++j) {
        const Range across = bin_range(corner[0], corner[2], j, p.width, columns);
        for (std::int64_t c = 0; c < channels; ++c) {
          double best = 0;
          bool first = true;
          for (std::int64_t r = down.first; r < down.last; ++r) {
            for (std::int64_t k = across.first; k < across.last; ++k) {
              const double v = image[(c * rows + r) * columns + k];
              if (first || v > best || std::isnan(v)) best = v;
              first = false;
            }
          }
          to[(c * p.height + i) * p.width + j] = best;
        }
      }
    }
  }
  store_all(y, result);
}

}  // namespace

void max_roi_pool_references(opset::ReferenceTable& table) { table.add(MaxRoiPool, max_roi_pool_ref); }

}  // namespace norn::ops
