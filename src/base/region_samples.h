// The samples of a region's bins along one axis, as RoiAlign takes them: some to each bin, evenly. Those of a bin are a
// grid, so that either axis is enough.
//
// A region of any size costs no more than the image has elements: samples outside of it are not visited, and where
// their number follows the region's size they are an element apart.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace norn::base {

struct RegionAxis {
  double start = 0, bin = 0;  // of the first bin; size of each
  double samples = 0;         // for each bin, those outside of the image included
};

struct RegionRule {
  float scale = 1;         // from coordinates of a region to elements
  bool half_pixel = true;  // coordinates are moved by a half; else a region is at least one element wide
  std::int64_t ratio = 0;  // samples of a bin; 0: as many as it has elements
  bool exact = false;      // in double; else rounded to float, since the number of samples, a ceiling, depends on it
};

inline RegionAxis region_axis(const RegionRule& rule, double from, double to, std::int64_t bins) {
  const auto rounded = [&](double v) { return rule.exact ? v : static_cast<double>(static_cast<float>(v)); };
  const double offset = rule.half_pixel ? 0.5 : 0.0, scale = static_cast<double>(rule.scale);
  const double start = rounded(rounded(from * scale) - offset), end = rounded(rounded(to * scale) - offset);
  double size = rounded(end - start);
  if (!rule.half_pixel) size = std::max(size, 1.0);
  const double bin = rounded(size / static_cast<double>(bins));
  const double samples = rule.ratio > 0 ? static_cast<double>(rule.ratio) : std::ceil(bin);
  return {start, bin, std::max(samples, 0.0)};
}

// Calls visit(element, share of the one behind it) for each sample of a bin that lies in the image of `size` elements,
// or up to one element beside it. The last element has no other behind it, and a share of 0.
template <class Visit>
void each_sample(const RegionAxis& axis, std::int64_t bin, std::int64_t size, Visit&& visit) {
  if (axis.samples == 0 || size == 0) return;
  const double origin = axis.start + static_cast<double>(bin) * axis.bin, step = axis.bin / axis.samples;
  const auto image = static_cast<double>(size);
  // Sample i lies at origin + (i + 0.5) * step. One more at either end is looked at, and left out if need be.
  double first = 0, last = axis.samples - 1;
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
    visit(low, low == size - 1 ? 0.0 : x - static_cast<double>(low));
  }
}

}  // namespace norn::base
