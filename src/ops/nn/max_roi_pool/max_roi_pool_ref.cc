// A region's corners are rounded to whole elements, halves away from zero, and both belong to it; one that is turned
// inside out has one element. Bins overlap where sizes do not divide: each begins at the floor of its share and ends at
// the ceiling. A bin without elements gives 0. NaN wins a maximum.
#include "ops/nn/max_roi_pool/max_roi_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace max_roi_pool_ref_cc {
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

// The bins of one region, for all channels of its image.
template <class T>
void pool_region(const T* image, std::int64_t channels, std::int64_t plane, std::int64_t columns,
                 std::span<const Range> down, std::span<const Range> across, T* to) {
  const auto bins = static_cast<std::int64_t>(down.size() * across.size());
  // Some channels beside each other, so that their maxima do not wait for each other.
  const auto some = [&]<std::size_t count>(std::integral_constant<std::size_t, count>) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(bins); ++b) {
      const Range y = down[b / across.size()], x = across[b % across.size()];
      std::array<T, count> best;
      std::array<bool, count> is_nan{};
      const bool empty = y.first >= y.last || x.first >= x.last;
      best.fill(empty ? T{0} : -std::numeric_limits<T>::infinity());
      for (std::int64_t r = y.first; r < y.last; ++r)
        for (std::int64_t k = x.first; k < x.last; ++k)
          for (std::size_t c = 0; c < count; ++c) {
            const T v = image[static_cast<std::int64_t>(c) * plane + r * columns + k];
            best[c] = v > best[c] ? v : best[c];
            is_nan[c] = is_nan[c] | (v != v);
          }
      for (std::size_t c = 0; c < count; ++c)
        to[static_cast<std::int64_t>(c) * bins + static_cast<std::int64_t>(b)] =
            is_nan[c] ? std::numeric_limits<T>::quiet_NaN() : best[c];
    }
    image += static_cast<std::int64_t>(count) * plane;
    to += static_cast<std::int64_t>(count) * bins;
  };
  std::int64_t c = 0;
  for (; c + 4 <= channels; c += 4) some(std::integral_constant<std::size_t, 4>());
  for (; c < channels; ++c) some(std::integral_constant<std::size_t, 1>());
}

void max_roi_pool_ref(opset::ReferenceContext& ctx) {
  const MaxRoiPoolParams p = resolve_max_roi_pool(ctx);
  const Tensor &x = ctx.input(0), &rois = ctx.input(1);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dims()[1] != 5) {
    ctx.fail("X " + to_string(x.dims()) + " and rois " + to_string(rois.dims()) +
             " have to be N x C x H x W and regions x 5");
  }
  const std::int64_t count = rois.dims()[0], channels = x.dims()[1], rows = x.dims()[2], columns = x.dims()[3];
  const std::vector<double> regions = load_all<double>(rois);
  Tensor& y = ctx.output(0, x.dtype(), {count, channels, p.height, p.width});
  if (y.size() == 0) return;
  const std::int64_t plane = rows * columns, bins = p.height * p.width;
  const bool widened = x.dtype() != DataType::Float && x.dtype() != DataType::Double;
  std::vector<double> image(static_cast<std::size_t>(widened ? channels * plane : 0)),
      result(static_cast<std::size_t>(widened ? channels * bins : 0));
  std::vector<Range> down(static_cast<std::size_t>(p.height)), across(static_cast<std::size_t>(p.width));
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
    for (std::int64_t i = 0; i < p.height; ++i)
      down[static_cast<std::size_t>(i)] = bin_range(corner[1], corner[3], i, p.height, rows);
    for (std::int64_t j = 0; j < p.width; ++j)
      across[static_cast<std::size_t>(j)] = bin_range(corner[0], corner[2], j, p.width, columns);
    const std::int64_t from = static_cast<std::int64_t>(region[0]) * channels * plane, to = n * channels * bins;
    switch (x.dtype()) {
      case DataType::Float:
        pool_region(x.as<float>() + from, channels, plane, columns, down, across, y.as_mutable<float>() + to);
        break;
      case DataType::Double:
        pool_region(x.as<double>() + from, channels, plane, columns, down, across, y.as_mutable<double>() + to);
        break;
      default:
        load<double>(x, from, channels * plane, image.data());
        pool_region(image.data(), channels, plane, columns, down, across, result.data());
        store<double>(y, to, channels * bins, result.data());
    }
  }
}

}  // namespace
}  // namespace max_roi_pool_ref_cc

void max_roi_pool_references(opset::ReferenceTable& table) { table.add(MaxRoiPool, max_roi_pool_ref); }

}  // namespace norn::ops
