// What a convolution takes with channels first and with channels last, in nanoseconds of one thread, so that layouts
// are chosen by what reorders take beside it. The numbers were fitted to some two thousand convolutions that were drawn
// at random, on a CPU with vectors of 16 floats; they are right within a fifth for half of them, and a factor of two
// for nearly all.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/division.h"
#include "kernels/cpu/channels_first.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/patch_sources.h"
#include "kernels/cpu/windows.h"

namespace norn::kernels {
inline namespace conv_costs_cc {
namespace {

double size(std::int64_t n) { return static_cast<double>(n); }
double in_vectors(std::int64_t n) { return size(base::quotient_up(n, channels_first_table().lanes)); }

// What both layouts have in common.
struct ConvWork {
  explicit ConvWork(const ConvSizes& s)
      : window(image_window(s.x, s.w, s.out, s.strides, s.dilations, Shape(s.strides.size(), 0))),
        images(size(s.x[0])),
        groups(size(s.group)),
        pixels(images * size(window.pixels)),
        taps(size(window.taps)),
        channels(s.w[1]),
        filters(s.w[0] / s.group),
        depth(size(channels) * taps),
        x_elements(images * size(s.x[1]) * size(window.plane)),
        out_elements(pixels * size(s.out[1])) {}

  ImageWindow window;
  double images, groups, pixels, taps;
  std::int64_t channels, filters;  // of a group
  double depth, x_elements, out_elements;
};

// Tiles of filters by two vectors of pixels, whose elements are copied as planes, or gathered into panels.
double channels_first_ns(const ConvWork& work) {
  constexpr double kCopy = 0.24, kGather = 0.22, kGatherPairs = 0.33, kGatherApart = 0.45, kList = 7, kRun = 0.75;
  const ChannelsFirstTable& table = channels_first_table();
  const ImageWindow& w = work.window;
  const double tiles = size(base::quotient_up(work.filters, table.most_rows)), width = 2 * size(table.lanes),
               products = work.depth * size(work.filters) / tiles;
  if (PaddedPlanes::pays(w)) {
    const double pairs = size(w.out[0]) * size(w.out[1]) * in_vectors(w.out[2]) / 2;
    return kCopy * work.images * work.groups * size(work.channels) * PaddedPlanes::copied(w) +
           work.images * work.groups * tiles * pairs * (0.65 * work.depth + 0.55 * products + 12);
  }
  const double panels = work.images * work.groups * std::ceil(size(w.pixels) / width);
  const double parts = std::max(1.0, work.depth / size(kChannelsFirstDepth));
  const bool is_line = w.taps == 1, is_sampled = is_line && w.in != w.out;
  const double sampled = is_sampled ? kCopy * size(work.channels) * work.groups * work.pixels : 0;
  const double lists = is_line ? 0 : kList * work.taps, runs = is_line ? 1 : std::ceil(width / size(w.out[2])) + 1;
  const double gather = is_line             ? (tiles <= kMostTilesInPlace ? 0 : kGather)
                        : w.strides[2] == 1 ? kGather
                        : w.strides[2] == 2 ? kGatherPairs
                                            : kGatherApart;
  return sampled + panels * (work.depth * (gather * width + kRun * runs) + lists +
                             tiles * (0.4 * work.depth + 0.48 * products + 30 * parts));
}

// Windows over one channel: vectors of channels. Where a channel has several filters, x is copied, or read by vectors
// that are mostly empty.
double depthwise_ns(const ConvSizes& s, const ConvWork& work) {
  constexpr double kCall = 2500;
  const std::int64_t columns = s.w.back();
  const bool has_rows = s.w.size() > 3 && s.dilations.back() == 1 && columns <= 7 && columns % 2 == 1;
  if (work.filters > 1 && !has_rows)
    return 0.5 * work.out_elements + 0.25 * work.pixels * work.groups * work.taps + 0.17 * work.x_elements + kCall;
  const double copied = work.filters > 1 ? 0.3 * work.x_elements * size(work.filters) : 0;
  return 0.45 * work.pixels * in_vectors(s.w[0]) * work.taps + 0.16 * work.out_elements + copied + kCall;
}

double channels_last_ns(const ConvSizes& s, const ConvWork& work) {
  if (work.channels == 1 && s.group > 1) return depthwise_ns(s, work);
  const double reads = work.pixels * work.taps;  // of pixels of x
  const double vectors = work.pixels * work.groups * in_vectors(work.filters) * work.depth;
  const double products = 0.26 * vectors + 0.1 * work.out_elements + 0.3 * reads + 1500;
  if (!s.has_constant_weights) return products + 0.33 * size(s.w[0]) * work.depth;
  if (s.group > 1) return products;
  double least = products;
  if (work.filters <= kMostDotFilters) {
    const double lanes = size(channels_first_table().lanes);
    least =
        std::min(least, 0.25 * work.out_elements * work.depth / lanes + 2.15 * work.out_elements + 0.23 * reads + 600);
  }
  const bool is_dense = all_are_one(s.strides) && all_are_one(s.dilations) && s.w.size() > 3;
  if (is_dense && std::all_of(s.w.begin() + 2, s.w.end(), [](std::int64_t n) { return n == 3; }))
    least = std::min(least, 0.09 * vectors + 0.39 * work.out_elements + (0.6 + 0.083 * size(work.channels)) * reads);
  return least;
}

}  // namespace
}  // namespace conv_costs_cc

double reorder_ns(double elements) {
  constexpr double kLeast = 0.15, kMost = 0.8, kInCache = 6e5;
  return std::min(kMost, kLeast * (1 + elements / kInCache));
}

double channels_first_conv_ns(const ConvSizes& sizes) {
  return cost_of_plane_conv(sizes) ? plane_conv_ns(sizes) : channels_first_ns(ConvWork(sizes));
}

double plane_conv_ns(const ConvSizes& sizes) {
  const ConvWork work(sizes);
  return 0.22 * work.x_elements * size(work.filters) + (0.025 * work.taps + 0.05) * work.out_elements;
}

std::int64_t beyond_channels_last(const ConvSizes& sizes, double ns) {
  constexpr double kMost = 1e12;
  const ConvWork work(sizes);
  const double elements = (ns - channels_last_ns(sizes, work)) / reorder_ns(work.x_elements + work.out_elements);
  return static_cast<std::int64_t>(std::clamp(elements, 0.0, kMost));
}

std::optional<std::int64_t> cost_of_channels_first_conv(const ConvSizes& sizes) {
  constexpr double kMargin = 1.1;
  if (sizes.x.size() > 5 || element_count(sizes.out) == 0 || element_count(sizes.w) == 0) return {};
  const std::int64_t elements = element_count(sizes.w) / sizes.w[0];
  if (elements / sizes.w[1] > kMostChannelsFirstTaps) return {};
  if (!bounded_product({element_count(sizes.out) / sizes.out[1], elements})) return {};
  if (is_conv_product(sizes)) return 0;  // with channels last, their weights would be rearranged
  return beyond_channels_last(sizes, kMargin * channels_first_ns(ConvWork(sizes)));
}

}  // namespace norn::kernels
