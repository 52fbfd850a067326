// Each element of the output is a weighted mean of the elements near a place of the input, by axes: first for every
// coordinate along an axis the elements and their weights, then the sums, one axis after the other. Nearest elements
// are copied, whatever their type. Results of integer types are rounded and kept within their type.
#include "ops/tensor/resize/resize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/settled.h"
#include "ops/common/interpolate.h"
#include "ops/common/loops.h"

namespace norn::ops {
inline namespace resize_ref_cc {
namespace {

using opset::ReferenceContext;

// The place in the input that coordinate `o` of the output stands for.
double original(const ResizeParams& p, const ResizedAxis& a, std::int64_t in_size, std::int64_t out_size,
                const double* roi, std::int64_t o) {
  const auto x = static_cast<double>(o), in = static_cast<double>(in_size), out = static_cast<double>(out_size);
  const double width = a.numerator * in / a.denominator;  // `out` before it was rounded
  const auto by_scale = [&](double y) { return y * a.denominator / a.numerator; };
  switch (p.coordinates) {
    case Coordinates::HalfPixel: return by_scale(x + 0.5) - 0.5;
    case Coordinates::HalfPixelSymmetric: return in / 2 * (1 - out / width) + by_scale(x + 0.5) - 0.5;
    case Coordinates::PytorchHalfPixel: return out_size > 1 ? by_scale(x + 0.5) - 0.5 : 0;
    case Coordinates::AlignCorners: return out_size > 1 ? x * (in - 1) / (width - 1) : 0;
    case Coordinates::Asymmetric: return by_scale(x);
    case Coordinates::TfHalfPixelForNn: return by_scale(x + 0.5);
    case Coordinates::TfCropAndResize: break;
  }
  // Corners are numbers of 32 bits at most: a place at the edge may be computed to lie a little outside.
  const double place = out_size <= 1 ? 0.5 * (roi[0] + roi[1]) * (in - 1)
                                     : roi[0] * (in - 1) + x * (roi[1] - roi[0]) * (in - 1) / (out - 1);
  return base::settled(place, in * 0x1p-22);
}

std::int64_t nearest_index(const ResizeParams& p, double scale, double x, std::int64_t in) {
  x = base::settled(x, std::fabs(x) * 0x1p-23);
  switch (p.nearest) {
    case NearestMode::RoundPreferFloor: x = std::ceil(x - 0.5); break;
    case NearestMode::RoundPreferCeil: x = std::floor(x + 0.5); break;
    case NearestMode::Floor: x = std::floor(x); break;
    case NearestMode::Ceil: x = std::ceil(x); break;
    case NearestMode::FloorOrCeil: x = scale < 1 ? std::ceil(x) : std::floor(x); break;
  }
  return static_cast<std::int64_t>(std::clamp(x, 0.0, static_cast<double>(in - 1)));
}

// Appends the taps for place `x`. A filter that is stretched reaches further and is scaled to the sum 1.
void add_taps(const ResizeParams& p, AxisTaps& axis, double x) {
  const double stretch = p.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double reach = (p.mode == ResizeMode::Linear ? 1 : 2) / stretch;
  const auto first = static_cast<std::int64_t>(std::floor(x - reach)) + 1,
             last = static_cast<std::int64_t>(std::ceil(x + reach)) - 1;
  const std::size_t begin = axis.taps.size();
  double sum = 0;
  for (std::int64_t i = first; i <= last; ++i) {
    if (p.exclude_outside && (i < 0 || i >= axis.in)) continue;
    const double distance = (static_cast<double>(i) - x) * stretch;
    const double weight = p.mode == ResizeMode::Linear ? linear_weight(distance) : cubic_weight(distance, p.cubic_a);
    if (weight == 0) continue;
    sum += weight;
    const std::int64_t inside = std::clamp<std::int64_t>(i, 0, axis.in - 1);
    if (axis.taps.size() > begin && axis.taps.back().index == inside)
      axis.taps.back().weight += weight;
    else
      axis.taps.push_back({inside, weight});
  }
  if ((p.exclude_outside || stretch < 1) && sum != 0) {
    for (std::size_t t = begin; t < axis.taps.size(); ++t) axis.taps[t].weight /= sum;
  }
}

AxisTaps taps_along(const ResizeParams& p, const ResizedAxis& a, std::int64_t axis, std::int64_t in,
                    const double* roi) {
  AxisTaps result{.axis = axis, .in = in, .out = a.out->constant(), .scale = a.numerator / a.denominator};
  for (std::int64_t o = 0; o < result.out; ++o) {
    const double x = original(p, a, in, result.out, roi, o);
    const std::size_t before = result.taps.size();
    if (p.coordinates == Coordinates::TfCropAndResize && !(x >= 0 && x <= static_cast<double>(in - 1))) {
      result.outside.resize(static_cast<std::size_t>(result.out), false);
      result.outside[static_cast<std::size_t>(o)] = true;
      result.taps.push_back({0, 1});  // will be replaced
    } else if (p.mode == ResizeMode::Nearest) {
      result.taps.push_back({nearest_index(p, result.scale, x, in), 1});
    } else {
      add_taps(p, result, x);
    }
    result.identity = result.identity && result.taps.size() == before + 1 && result.taps[before].index == o &&
                      result.taps[before].weight == 1;
    result.begin.push_back(result.taps.size());
  }
  result.identity = result.identity && result.in == result.out;
  return result;
}

// Replaces the axis of `values`, of shape `dims`, by its weighted sums.
template <class V>
void sum_along(std::vector<V>& values, Shape& dims, const AxisTaps& axis) {
  const AxisView view = view_along(dims, axis.axis);
  std::vector<V> result(static_cast<std::size_t>(view.outer * axis.out * view.inner), V{});
  V* to = result.data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    const V* plane = values.data() + outer * view.n * view.inner;
    for (std::size_t o = 0; o + 1 < axis.begin.size(); ++o, to += view.inner) {
      for (std::size_t t = axis.begin[o]; t < axis.begin[o + 1]; ++t) {
        const V* from = plane + axis.taps[t].index * view.inner;
        // The cast is exact, and none for double.
        const auto weight = static_cast<decltype(std::real(V{}))>(axis.taps[t].weight);
        if (view.inner == 1) {
          *to += *from * weight;
          continue;
        }
        for (std::int64_t i = 0; i < view.inner; ++i) to[i] += from[i] * weight;
      }
    }
  }
  values = std::move(result);
  dims[static_cast<std::size_t>(axis.axis)] = axis.out;
}

template <class D, class V>
std::vector<D> narrowed(std::vector<V>& values, DataType type) {
  if constexpr (std::is_same_v<D, V>) {
    return std::move(values);
  } else {
    std::vector<D> result;
    result.reserve(values.size());
    for (const V& v : values) {
      // Weights were rounded: a sum that is that near to a half is one.
      const V twice = 2 * v, whole = std::nearbyint(twice);
      const bool half = std::fabs(twice - whole) <= 2e-9L;
      result.push_back(saturated<D>(std::nearbyint(half ? whole / 2 : v), type));
    }
    return result;
  }
}

template <class D>
void sum_all(const Tensor& x, Tensor& y, std::vector<AxisTaps>& axes) {
  // Axes that shrink come first: they leave less to do.
  std::stable_sort(axes.begin(), axes.end(), [](const AxisTaps& a, const AxisTaps& b) { return a.scale < b.scale; });
  const std::vector<D> in = load_all<D>(x);
  std::vector<WeightedSum<D>> values(in.begin(), in.end());
  Shape dims = x.dims();
  for (const AxisTaps& axis : axes) {
    if (!axis.identity) sum_along(values, dims, axis);
  }
  store_all<D>(y, narrowed<D>(values, y.dtype()));
}

void copy_nearest(const Tensor& x, Tensor& y, const std::vector<AxisTaps>& axes) {
  const std::vector<std::int64_t> strides = dense_strides(x.dims());
  std::vector<std::vector<std::int64_t>> offsets(x.dims().size());
  for (std::size_t d = 0; d < offsets.size(); ++d)
    for (std::int64_t i = 0; i < y.dims()[d]; ++i) offsets[d].push_back(i * strides[d]);
  for (const AxisTaps& axis : axes) {
    const auto d = static_cast<std::size_t>(axis.axis);
    for (std::size_t o = 0; o < axis.taps.size(); ++o) offsets[d][o] = axis.taps[o].index * strides[d];
  }
  if (offsets.empty()) return copy_elements(y, 0, x, 0, 1);
  Shape rows = y.dims();
  rows.pop_back();
  const std::vector<std::int64_t>& row = offsets.back();
  std::int64_t to = 0;
  for (Odometer at(rows, {}); !at.done(); at.next()) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < rows.size(); ++d) from += offsets[d][static_cast<std::size_t>(at.index()[d])];
    copy_picked(y, to, x, from, row, 1);
    to += static_cast<std::int64_t>(row.size());
  }
}

// Puts the value where a coordinate lies outside of the input.
void extrapolate(ReferenceContext& ctx, Tensor& y, const std::vector<AxisTaps>& axes, double value) {
  if (std::all_of(axes.begin(), axes.end(), [](const AxisTaps& a) { return a.outside.empty(); })) return;
  Tensor one(y.dtype(), {1});
  visit_domain(domain_of(y.dtype()), [&]<class D>(const D&) {
    if constexpr (std::is_same_v<D, std::string>)
      ctx.fail("a place lies outside of the input, and extrapolation_value is not a string");
    else if constexpr (std::is_same_v<D, std::int64_t> || std::is_same_v<D, std::uint64_t>)
      store_all<D>(one, {saturated<D>(std::nearbyint(value), y.dtype())});
    else
      store_all<D>(one, {D(value)});
  });
  std::int64_t to = 0;
  for (Odometer at(y.dims(), {}); !at.done(); at.next(), ++to) {
    const bool outside = std::any_of(axes.begin(), axes.end(), [&](const AxisTaps& a) {
      return !a.outside.empty() && a.outside[static_cast<std::size_t>(at.index()[static_cast<std::size_t>(a.axis)])];
    });
    if (outside) copy_elements(y, to, one, 0, 1);
  }
}

void resize_ref(ReferenceContext& ctx) {
  const ResizeParams p = resolve_resize(ctx, ctx.input(0).rank());
  resize(ctx, p, ctx.require(resolve_resize_target(ctx, p), "scales"));
}

}  // namespace
}  // namespace resize_ref_cc

std::vector<AxisTaps> resize_taps(const opset::NodeView& node, const ResizeParams& p, const ResizeTarget& target,
                                  const Shape& x) {
  const std::vector<ResizedAxis> sizes = resized_axes(node, p, target, opset::to_dims(x));
  const bool crops = p.coordinates == Coordinates::TfCropAndResize;
  std::vector<AxisTaps> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double range[] = {crops ? target.roi[i] : 0, crops ? target.roi[sizes.size() + i] : 1};
    axes.push_back(taps_along(p, sizes[i], p.axes[i], x[static_cast<std::size_t>(p.axes[i])], range));
  }
  return axes;
}

void resize(ReferenceContext& ctx, const ResizeParams& p, const ResizeTarget& target) {
  const Tensor& x = ctx.input(0);
  const std::vector<ResizedAxis> sizes = resized_axes(ctx, p, target, opset::to_dims(x.dims()));
  Shape dims = x.dims();
  for (std::size_t i = 0; i < sizes.size(); ++i) dims[static_cast<std::size_t>(p.axes[i])] = sizes[i].out->constant();
  Tensor& y = ctx.output(0, x.dtype(), dims);
  if (y.size() == 0) return;
  require_elements(ctx, opset::to_dims(x.dims()), opset::to_dims(dims));

  std::vector<AxisTaps> axes = resize_taps(ctx, p, target, x.dims());
  if (p.mode == ResizeMode::Nearest) {
    copy_nearest(x, y, axes);
  } else {
    visit_domain(domain_of(x.dtype()), [&]<class D>(const D&) {
      if constexpr (std::is_same_v<D, std::string>)
        ctx.fail("strings cannot be interpolated", "use the mode nearest");
      else
        sum_all<D>(x, y, axes);
    });
  }
  extrapolate(ctx, y, axes, p.extrapolation);
}

void resize_references(opset::ReferenceTable& table) { table.add(Resize, resize_ref); }

}  // namespace norn::ops
