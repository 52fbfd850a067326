// For each point of the grid: the elements around it and their weights, once for all channels.
//
// A point that is NaN lies outside of everything: zeros give 0, the other paddings the first element. Results of
// integer types are cut off.
#include "ops/tensor/grid_sample/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/settled.h"
#include "ops/common/interpolate.h"
#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace grid_sample_ref_cc {
namespace {

struct SampleTap {
  std::int64_t offset;
  double weight;
};

// One dimension of the image.
class SampleAxis {
 public:
  SampleAxis(const GridSampleParams& p, std::int64_t size, std::int64_t stride, bool exact)
      : p_(p),
        size_(size),
        stride_(stride),
        exact_(exact),
        low_(p.align_corners ? 0 : -0.5),
        high_(static_cast<double>(size) - (p.align_corners ? 1 : 0.5)) {}

  // The elements that a coordinate of the grid reads, and their weights.
  const std::vector<SampleTap>& at(double g) {
    taps_.clear();
    const auto size = static_cast<double>(size_);
    double x = p_.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    // Coordinates of up to 32 bits are known to within their rounding.
    if (p_.mode == SampleMode::Nearest) x = std::nearbyint(exact_ ? x : base::settled(x, size * 0x1p-22));
    if (p_.padding == SamplePadding::Zeros) {
      if (!(x > -3 && x < size + 3)) return taps_;
    } else {
      x = padded(x);
    }
    const double first = std::floor(x);
    const auto i = static_cast<std::int64_t>(first);
    switch (p_.mode) {
      case SampleMode::Nearest: add(i, 1); break;
      case SampleMode::Linear:
        for (int k = 0; k < 2; ++k) add(i + k, linear_weight(first + k - x));
        break;
      case SampleMode::Cubic:
        for (int k = -1; k < 3; ++k) add(i + k, cubic_weight(first + k - x, -0.75));
        break;
    }
    return taps_;
  }

 private:
  double padded(double x) const {
    if (std::isnan(x)) return 0;
    if (x >= low_ && x <= high_) return x;
    return p_.padding == SamplePadding::Border ? std::clamp(x, 0.0, static_cast<double>(size_ - 1)) : reflected(x);
  }
  // Between the borders, going back and forth.
  double reflected(double x) const {
    const double range = high_ - low_;
    if (range <= 0 || std::isinf(x)) return 0;
    const double there_and_back = std::fmod(std::fabs(x - low_), 2 * range);
    return low_ + (there_and_back <= range ? there_and_back : 2 * range - there_and_back);
  }
  void add(std::int64_t i, double weight) {
    if (weight == 0) return;
    if (i < 0 || i >= size_) {
      if (p_.padding == SamplePadding::Zeros) return;
      i = static_cast<std::int64_t>(padded(static_cast<double>(i)));
      i = std::clamp<std::int64_t>(i, 0, size_ - 1);
    }
    taps_.push_back({i * stride_, weight});
  }

  GridSampleParams p_;
  std::int64_t size_, stride_;
  bool exact_;
  double low_, high_;
  std::vector<SampleTap> taps_;
};

// Calls f(n, position, taps) for each batch and position of the output: the elements of a channel's plane that make up
// the sample, and their weights.
template <class F>
void for_each_sample(const GridSampleParams& p, const Tensor& x, const Tensor& grid, F&& f) {
  const Shape image(x.dims().begin() + 2, x.dims().end());
  const std::vector<std::int64_t> strides = dense_strides(image);
  const std::vector<double> points = load_all<double>(grid);
  std::vector<SampleAxis> axes;
  for (std::size_t d = 0; d < image.size(); ++d)
    axes.emplace_back(p, image[d], strides[d], grid.dtype() == DataType::Double);
  const std::size_t rank = image.size(), batch = static_cast<std::size_t>(x.dims()[0]),
                    positions = points.size() / rank / std::max<std::size_t>(batch, 1);
  std::vector<SampleTap> taps, next;
  for (std::size_t n = 0, point = 0; n < batch; ++n) {
    for (std::size_t position = 0; position < positions; ++position, point += rank) {
      taps.assign(1, {0, 1});
      for (std::size_t d = 0; d < rank; ++d) {
        // A point has its innermost coordinate first.
        const std::vector<SampleTap>& along = axes[d].at(points[point + rank - 1 - d]);
        next.clear();
        for (const SampleTap& a : taps)
          for (const SampleTap& b : along) next.push_back({a.offset + b.offset, a.weight * b.weight});
        std::swap(taps, next);
      }
      f(static_cast<std::int64_t>(n), static_cast<std::int64_t>(position), taps);
    }
  }
}

void copy_samples(const GridSampleParams& p, const Tensor& x, const Tensor& grid, Tensor& y) {
  const std::int64_t channels = x.dims()[1], plane = element_count(Shape(x.dims().begin() + 2, x.dims().end())),
                     out_plane = element_count(Shape(y.dims().begin() + 2, y.dims().end()));
  Tensor zero(x.dtype(), {1});
  visit_domain(domain_of(x.dtype()), [&]<class D>(const D&) { store_all<D>(zero, {D{}}); });
  // Those of one batch are copied together, channel by channel.
  std::vector<std::int64_t> from, outside;
  const auto copy_batch = [&](std::int64_t n) {
    for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c) {
      if (outside.size() < from.size()) copy_picked(y, c * out_plane, x, c * plane, from);
      for (const std::int64_t position : outside) copy_elements(y, c * out_plane + position, zero, 0, 1);
    }
    from.clear();
    outside.clear();
  };
  for_each_sample(p, x, grid, [&](std::int64_t n, std::int64_t position, const std::vector<SampleTap>& taps) {
    if (taps.empty()) outside.push_back(position);
    from.push_back(taps.empty() ? 0 : taps[0].offset);
    if (position + 1 == out_plane) copy_batch(n);
  });
}

template <class D>
void sum_samples(const GridSampleParams& p, const Tensor& x, const Tensor& grid, Tensor& y) {
  using Sum = WeightedSum<D>;
  const std::int64_t channels = x.dims()[1], plane = element_count(Shape(x.dims().begin() + 2, x.dims().end())),
                     out_plane = element_count(Shape(y.dims().begin() + 2, y.dims().end()));
  const std::vector<D> values = load_all<D>(x);
  std::vector<D> result(static_cast<std::size_t>(y.size()));
  for_each_sample(p, x, grid, [&](std::int64_t n, std::int64_t position, const std::vector<SampleTap>& taps) {
    for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c) {
      Sum sum{};
      for (const SampleTap& tap : taps) {
        const auto weight = static_cast<decltype(std::real(sum))>(tap.weight);
        sum += static_cast<Sum>(values[static_cast<std::size_t>(c * plane + tap.offset)]) * weight;
      }
      D& to = result[static_cast<std::size_t>(c * out_plane + position)];
      if constexpr (std::is_same_v<D, Sum>)
        to = sum;
      else
        to = saturated<D>(std::trunc(sum), x.dtype());
    }
  });
  store_all<D>(y, result);
}

void grid_sample_ref(opset::ReferenceContext& ctx) {
  const GridSampleParams p = resolve_grid_sample(ctx);
  const Tensor &x = ctx.input(0), &grid = ctx.input(1);
  Shape dims(grid.dims().begin(), grid.dims().end() - 1);
  dims.insert(dims.begin() + 1, x.dims()[1]);
  Tensor& y = ctx.output(0, x.dtype(), dims);
  if (y.size() == 0) return;
  if (x.size() == 0 && p.padding != SamplePadding::Zeros)
    ctx.fail("X " + to_string(x.dims()) + " has no elements to sample");
  if (p.mode == SampleMode::Nearest) return copy_samples(p, x, grid, y);
  visit_domain(domain_of(x.dtype()), [&]<class D>(const D&) {
    if constexpr (std::is_same_v<D, std::string>)
      ctx.fail("strings cannot be interpolated", "use the mode nearest");
    else
      sum_samples<D>(p, x, grid, y);
  });
}

}  // namespace
}  // namespace grid_sample_ref_cc

void grid_sample_references(opset::ReferenceTable& table) { table.add(GridSample, grid_sample_ref); }

}  // namespace norn::ops
