// Running sums and products down columns, for each instruction set: plain loops, which the compiler vectorises.
#include <type_traits>

#include "kernels/cpu/fold.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cumulative_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace running {

// Floats are summed in double and rounded once; integers wrap.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;

template <class T, bool product, bool exclusive>
void rows(const void* x_data, void* out_data, std::int64_t n, std::int64_t step, void* totals_data, std::int64_t m,
          bool fetches) {
  Wide<T>* HWY_RESTRICT totals = static_cast<Wide<T>*>(totals_data);
  for (std::int64_t i = 0; i < m; ++i) totals[i] = product ? Wide<T>{1} : Wide<T>{0};
  for (std::int64_t k = 0; k < n; ++k) {
    const T* HWY_RESTRICT from = static_cast<const T*>(x_data) + k * step;
    T* HWY_RESTRICT to = static_cast<T*>(out_data) + k * step;
    if (fetches && k + 1 < n)
      for (std::int64_t i = 0; i < m; i += 64 / static_cast<std::int64_t>(sizeof(T))) {
        __builtin_prefetch(from + step + i, 0);
        __builtin_prefetch(to + step + i, 1);
      }
    for (std::int64_t i = 0; i < m; ++i) {
      const Wide<T> before = totals[i], x = static_cast<Wide<T>>(from[i]);
      const Wide<T> total = product ? static_cast<Wide<T>>(before * x) : static_cast<Wide<T>>(before + x);
      totals[i] = total;
      to[i] = static_cast<T>(exclusive ? before : total);
    }
  }
}

// Few columns, whose totals stay in registers. An exact count of columns, as tables have, is vectorised best.
template <class T, bool product, bool exclusive, int m>
void few(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t n, std::int64_t step) {
  Wide<T> totals[m];
  for (int i = 0; i < m; ++i) totals[i] = product ? Wide<T>{1} : Wide<T>{0};
  for (std::int64_t k = 0; k < n; ++k, from += step, to += step)
    for (int i = 0; i < m; ++i) {
      const Wide<T> before = totals[i], x = static_cast<Wide<T>>(from[i]);
      totals[i] = product ? static_cast<Wide<T>>(before * x) : static_cast<Wide<T>>(before + x);
      to[i] = static_cast<T>(exclusive ? before : totals[i]);
    }
}
template <class T, bool product, bool exclusive>
void columns(const void* x_data, void* out_data, std::int64_t n, std::int64_t step, void* totals, std::int64_t m,
             bool fetches) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  switch (m) {
    case 2: return few<T, product, exclusive, 2>(x, out, n, step);
    case 3: return few<T, product, exclusive, 3>(x, out, n, step);
    case 4: return few<T, product, exclusive, 4>(x, out, n, step);
    case 5: return few<T, product, exclusive, 5>(x, out, n, step);
    case 6: return few<T, product, exclusive, 6>(x, out, n, step);
    case 7: return few<T, product, exclusive, 7>(x, out, n, step);
    case 8: return few<T, product, exclusive, 8>(x, out, n, step);
    default: return rows<T, product, exclusive>(x, out, n, step, totals, m, fetches);
  }
}

template <class T>
RunningLoop loop_of(bool product, bool exclusive) {
  if (product) return exclusive ? columns<T, true, true> : columns<T, true, false>;
  return exclusive ? columns<T, false, true> : columns<T, false, false>;
}

}  // namespace running

RunningLoop find_running_loop(DataType type, bool product, bool exclusive) {
  using namespace running;
  switch (type) {
    case DataType::Float: return loop_of<float>(product, exclusive);
    case DataType::Double: return loop_of<double>(product, exclusive);
    case DataType::Int32:
    case DataType::Uint32: return loop_of<std::uint32_t>(product, exclusive);
    default: return loop_of<std::uint64_t>(product, exclusive);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_running_loop);

RunningLoop running_loop(DataType type, bool product, bool exclusive) {
  return HWY_DYNAMIC_DISPATCH(find_running_loop)(type, product, exclusive);
}

}  // namespace norn::kernels
#endif
