// Coordinates, weights and weighted sums of samples for each instruction set.
#include "kernels/cpu/grid_sample.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/grid_sample_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrowing-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace grids {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using VD = hn::Vec<D>;

HWY_INLINE std::int64_t double_lanes() { return static_cast<std::int64_t>(hn::Lanes(D())); }

template <class T>
void coordinates(const GridPlane& plane, const T* grid, GridTaps<T>& taps, std::int64_t n) {
  const D d;
  const auto x_size = static_cast<double>(plane.columns), y_size = static_cast<double>(plane.rows);
  const double less = plane.align_corners ? 1 : 0;
  const double x_factor = x_size - less, y_factor = y_size - less, first = less - 1;
  const auto at = [&](VD g, double factor) {
    const VD half = hn::Set(d, 0.5);
    return hn::Mul(hn::Add(hn::Mul(hn::Add(g, hn::Set(d, 1)), hn::Set(d, factor)), hn::Set(d, first)), half);
  };
  std::int64_t i = 0;
  for (; i + double_lanes() <= n; i += double_lanes()) {
    VD x, y;
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::LoadInterleaved2(d, grid + 2 * i, x, y);
    } else {
      const hn::Rebind<T, D> narrow;
      hn::Vec<decltype(narrow)> a, b;
      hn::LoadInterleaved2(narrow, grid + 2 * i, a, b);
      x = hn::PromoteTo(d, a);
      y = hn::PromoteTo(d, b);
    }
    hn::StoreU(at(x, x_factor), d, taps.x + i);
    hn::StoreU(at(y, y_factor), d, taps.y + i);
  }
  for (; i < n; ++i) {
    taps.x[i] = ((static_cast<double>(grid[2 * i]) + 1) * x_factor + first) * 0.5;
    taps.y[i] = ((static_cast<double>(grid[2 * i + 1]) + 1) * y_factor + first) * 0.5;
  }
}

// The neighbours around coordinates on an axis, the first of which `at` is, with their weights.
struct Around {
  VD at, first, second;
};
HWY_INLINE Around around(VD x, std::int64_t n, bool zeros) {
  const D d;
  const VD zero = hn::Zero(d), one = hn::Set(d, 1), end = hn::Set(d, static_cast<double>(n - 1));
  const VD last = hn::Set(d, static_cast<double>(n > 1 ? n - 2 : 0));
  const auto within = hn::And(hn::Gt(x, hn::Set(d, -1)), hn::Lt(x, hn::Add(end, one)));  // not NaN
  x = hn::IfThenElseZero(within, x);
  const VD floor = hn::Floor(x), part = hn::Sub(x, floor);
  VD first = hn::Sub(one, part), second = part;
  if (zeros) {
    first = hn::IfThenElseZero(hn::And(within, hn::Ge(floor, zero)), first);
    second = hn::IfThenElseZero(hn::And(within, hn::Lt(floor, end)), second);
  }
  // Where one of the two lies outside, the element at the border has the weights of both, and one beside it none.
  const VD at = hn::Min(hn::Max(floor, zero), last), both = hn::Add(first, second);
  const auto before = hn::Lt(floor, at), behind = hn::Gt(floor, at);
  first = hn::IfThenElse(before, both, hn::IfThenZeroElse(behind, first));
  second = hn::IfThenElse(behind, both, hn::IfThenZeroElse(before, second));
  if (n == 1) return {at, both, zero};
  return {at, first, second};
}

template <class T>
HWY_INLINE void store_weights(VD first, VD second, T* to) {
  const D d;
  if constexpr (sizeof(T) == sizeof(double)) {
    hn::StoreInterleaved2(first, second, d, to);
  } else {
    const hn::Rebind<T, D> narrow;
    hn::StoreInterleaved2(as_floats(d, first), as_floats(d, second), narrow, to);
  }
}

template <class T>
void pairs(const GridPlane& plane, GridTaps<T>& taps, std::int64_t n) {
  static_assert(kGridBlock % hn::MaxLanes(D()) == 0);
  const D d;
  const hn::Rebind<std::int32_t, D> di;
  const VD columns = hn::Set(d, static_cast<double>(plane.columns));
  for (std::int64_t i = 0; i < n; i += double_lanes()) {
    const Around x = around(hn::LoadU(d, taps.x + i), plane.columns, plane.zeros);
    const Around y = around(hn::LoadU(d, taps.y + i), plane.rows, plane.zeros);
    hn::StoreU(hn::DemoteTo(di, hn::Add(hn::Mul(y.at, columns), x.at)), di, taps.place + i);
    store_weights(hn::Mul(y.first, x.first), hn::Mul(y.first, x.second), taps.upper + 2 * i);
    store_weights(hn::Mul(y.second, x.first), hn::Mul(y.second, x.second), taps.lower + 2 * i);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Two elements each of as many points as a vector has room for. Instructions that gather take longer than loads.
template <class DT, class T>
HWY_INLINE hn::Vec<DT> load_pairs(DT d, const T* plane, const std::int32_t* places) {
  constexpr std::size_t kPoints = hn::MaxLanes(DT()) / 2;
  if constexpr (kPoints == 1) {
    return hn::LoadU(d, plane + places[0]);
  } else {
    const hn::Half<DT> half;
    const auto low = load_pairs(half, plane, places), high = load_pairs(half, plane, places + kPoints / 2);
    return hn::Combine(d, high, low);
  }
}

// Both elements of the points, by weight.
template <class DT, class T>
HWY_INLINE hn::Vec<DT> weighed(DT d, const T* upper, const T* lower, const std::int32_t* places, const T* upper_weights,
                               const T* lower_weights) {
  const auto u = hn::LoadU(d, upper_weights), l = hn::LoadU(d, lower_weights), zero = hn::Zero(d);
  const auto above = hn::IfThenZeroElse(hn::Eq(u, zero), load_pairs(d, upper, places));
  const auto below = hn::IfThenZeroElse(hn::Eq(l, zero), load_pairs(d, lower, places));
  return hn::MulAdd(below, l, hn::Mul(above, u));
}
#endif

template <class T>
void linear(const T* plane, std::int64_t row_step, const GridTaps<T>& taps, T* out, std::int64_t n) {
  const T* const below = plane + row_step;
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), points = lanes / 2;
  for (; i + lanes <= n; i += lanes) {
    const auto low = weighed(d, plane, below, taps.place + i, taps.upper + 2 * i, taps.lower + 2 * i);
    const std::int64_t j = i + points;
    const auto high = weighed(d, plane, below, taps.place + j, taps.upper + 2 * j, taps.lower + 2 * j);
    hn::StoreU(hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)), d, out + i);
  }
#endif
  for (; i < n; ++i) {
    const std::int32_t place = taps.place[i];
    const auto of = [](T v, T weight) { return weight == 0 ? T{0} : v * weight; };
    out[i] = (of(plane[place], taps.upper[2 * i]) + of(below[place], taps.lower[2 * i])) +
             (of(plane[place + 1], taps.upper[2 * i + 1]) + of(below[place + 1], taps.lower[2 * i + 1]));
  }
}

template <class T>
void nearest(const T* plane, const GridTaps<T>& taps, T* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T v = plane[taps.place[i]];
    out[i] = taps.upper[i] == 0 ? T{0} : v;
  }
}

template <class T>
GridLoops<T> loops() {
  return {coordinates<T>, pairs<T>, linear<T>, nearest<T>};
}

}  // namespace grids

GridLoops<float> find_grid_loops_f32() { return grids::loops<float>(); }
GridLoops<double> find_grid_loops_f64() { return grids::loops<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_grid_loops_f32);
HWY_EXPORT(find_grid_loops_f64);

template <>
GridLoops<float> grid_loops() {
  return HWY_DYNAMIC_DISPATCH(find_grid_loops_f32)();
}
template <>
GridLoops<double> grid_loops() {
  return HWY_DYNAMIC_DISPATCH(find_grid_loops_f64)();
}

}  // namespace norn::kernels
#endif
