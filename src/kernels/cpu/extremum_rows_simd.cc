// The extrema of rows that lie behind each other, and their places, for each instruction set. A row has at least as
// many elements as a vector; what is left of it is a whole vector that ends with it, since an element may count twice.
#include <type_traits>

#include "kernels/cpu/fold.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/extremum_rows_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace extrema {

namespace hn = hwy::HWY_NAMESPACE;

// Of a row without NaN the extremum in every lane. `nan` is whether the row has one.
template <bool largest, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> of_row(D d, const T* HWY_RESTRICT x, std::int64_t n, bool& nan) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto better = [](hn::Vec<D> a, hn::Vec<D> b) HWY_ATTR { return largest ? hn::Max(a, b) : hn::Min(a, b); };
  auto best = hn::LoadU(d, x);
  if constexpr (std::is_floating_point_v<T>) {
    auto odd = hn::IsNaN(best);
    for (std::int64_t i = lanes; i < n; i += lanes) {
      const auto v = hn::LoadU(d, x + (i + lanes <= n ? i : n - lanes));
      odd = hn::Or(odd, hn::IsNaN(v));
      best = better(best, v);
    }
    nan = !hn::AllFalse(d, odd);
  } else {
    for (std::int64_t i = lanes; i < n; i += lanes)
      best = better(best, hn::LoadU(d, x + (i + lanes <= n ? i : n - lanes)));
    nan = false;
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 1) {  // in lane 0 first; there are 16
    best = better(best, hn::ShiftRightLanes<8>(d, best));
    best = better(best, hn::ShiftRightLanes<4>(d, best));
    best = better(best, hn::ShiftRightLanes<2>(d, best));
    best = better(best, hn::ShiftRightLanes<1>(d, best));
    return hn::Set(d, hn::GetLane(best));
  } else {
    return largest ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best);
  }
#else
  return best;
#endif
}
template <class T>
using Lanes = std::conditional_t<sizeof(T) == 1, hn::CappedTag<T, 16>, hn::ScalableTag<T>>;

template <class T>
std::int64_t place_of_nan(const T* x, std::int64_t n, bool last) {
  std::int64_t at = last ? n - 1 : 0;
  while (x[at] == x[at]) at += last ? -1 : 1;
  return at;
}

template <class T, bool largest>
void values(const void* x_data, std::int64_t n, void* out_data, std::int64_t count) {
  const Lanes<T> d;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  for (std::int64_t r = 0; r < count; ++r, x += n) {
    bool nan = false;
    const T best = hn::GetLane(of_row<largest>(d, x, n, nan));
    out[r] = nan ? x[place_of_nan(x, n, false)] : best;
  }
}

template <class T, bool largest>
HWY_INLINE std::int64_t place(const T* HWY_RESTRICT x, std::int64_t n, bool last) {
  const Lanes<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  bool nan = false;
  const auto best = of_row<largest>(d, x, n, nan);
  if (nan) return place_of_nan(x, n, last);
  if (last) {
    const T value = hn::GetLane(best);
    std::int64_t at = n - lanes;
    while (at > 0 && hn::AllFalse(d, hn::Eq(hn::LoadU(d, x + at), best))) at = at < lanes ? 0 : at - lanes;
    for (at += lanes - 1; x[at] != value;) --at;
    return at;
  }
  for (std::int64_t i = 0;; i += lanes) {
    if (i + lanes > n) i = n - lanes;
    const std::intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + i), best));
    if (found >= 0) return i + found;
  }
}
template <class T, bool largest>
void places(const void* x_data, std::int64_t n, std::int64_t* out, std::int64_t count, bool last) {
  const T* x = static_cast<const T*>(x_data);
  for (std::int64_t r = 0; r < count; ++r) out[r] = place<T, largest>(x + r * n, n, last);
}

}  // namespace extrema

RowsLoop find_extremum_rows(DataType type, bool largest) {
  using namespace extrema;
  switch (type) {
    case DataType::Float: return largest ? values<float, true> : values<float, false>;
    case DataType::Double: return largest ? values<double, true> : values<double, false>;
    case DataType::Int32: return largest ? values<std::int32_t, true> : values<std::int32_t, false>;
    case DataType::Int64: return largest ? values<std::int64_t, true> : values<std::int64_t, false>;
    case DataType::Int8: return largest ? values<std::int8_t, true> : values<std::int8_t, false>;
    case DataType::Bool:
    case DataType::Uint8: return largest ? values<std::uint8_t, true> : values<std::uint8_t, false>;
    default: return nullptr;
  }
}
ArgRowsLoop find_arg_rows(DataType type, bool largest) {
  using namespace extrema;
  switch (type) {
    case DataType::Float: return largest ? places<float, true> : places<float, false>;
    case DataType::Double: return largest ? places<double, true> : places<double, false>;
    case DataType::Int32: return largest ? places<std::int32_t, true> : places<std::int32_t, false>;
    case DataType::Int64: return largest ? places<std::int64_t, true> : places<std::int64_t, false>;
    case DataType::Int8: return largest ? places<std::int8_t, true> : places<std::int8_t, false>;
    case DataType::Uint8: return largest ? places<std::uint8_t, true> : places<std::uint8_t, false>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_extremum_rows);
HWY_EXPORT(find_arg_rows);

RowsLoop extremum_rows_loop(DataType type, bool largest) {
  return HWY_DYNAMIC_DISPATCH(find_extremum_rows)(type, largest);
}
ArgRowsLoop arg_rows_loop(DataType type, bool largest) { return HWY_DYNAMIC_DISPATCH(find_arg_rows)(type, largest); }

}  // namespace norn::kernels
#endif
