// Running sums and products down columns, for each instruction set: plain loops, which the compiler vectorises.
#include <type_traits>

#include "kernels/cpu/fold.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cumulative_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrowing-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace running {

// Floats are summed in double and rounded once; integers wrap.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;

namespace hn = hwy::HWY_NAMESPACE;

// A total and the next element of its column, in as many lanes as D has.
template <class T, bool product, bool exclusive>
struct Next {
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const T* from) {
    if constexpr (std::is_same_v<T, Wide<T>>)
      return hn::LoadU(d, from);
    else
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
  template <class D>
  static HWY_INLINE void step(D d, hn::Vec<D>& total, const T* from, T* to) {
    const auto v = load(d, from), before = total;
    if constexpr (product)
      total = hn::Mul(before, v);
    else
      total = hn::Add(before, v);
    const auto made = exclusive ? before : total;
    if constexpr (std::is_same_v<T, Wide<T>>)
      hn::StoreU(made, d, to);
    else
      hn::StoreU(as_floats(d, made), hn::Rebind<T, D>(), to);
  }
};

// kRows rows of m columns. What is fetched lies `ahead` of them; 0: nothing.
template <class T, bool product, bool exclusive, int kRows>
HWY_INLINE void some_rows(const T* x, T* out, std::int64_t step, Wide<T>* HWY_RESTRICT totals, std::int64_t m,
                          std::int64_t ahead) {
  using N = Next<T, product, exclusive>;
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  const hn::ScalableTag<Wide<T>> d;
  const hn::CappedTag<Wide<T>, 4> few;
  const hn::CappedTag<Wide<T>, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), narrow = static_cast<std::int64_t>(hn::Lanes(few));
  const auto all = [&](auto tag, std::int64_t i) HWY_ATTR {
    auto total = hn::LoadU(tag, totals + i);
    for (int r = 0; r < kRows; ++r) N::step(tag, total, x + r * step + i, out + r * step + i);
    hn::StoreU(total, tag, totals + i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= m; i += lanes) {
    if (ahead != 0 && i % kLine == 0)
      for (int r = 0; r < kRows; ++r) {
        __builtin_prefetch(x + ahead + r * step + i, 0);
        __builtin_prefetch(out + ahead + r * step + i, 1);
      }
    all(d, i);
  }
  for (; i + narrow <= m; i += narrow) all(few, i);
  for (; i < m; ++i) all(one, i);
}

// One row of columns that lie behind each other, as all rows then do: downwards where rows go up, so that addresses
// only ever fall, or rise.
template <class T, bool product, bool exclusive>
HWY_INLINE void whole_row(const T* x, T* out, bool falls, Wide<T>* HWY_RESTRICT totals, std::int64_t m) {
  using N = Next<T, product, exclusive>;
  const hn::ScalableTag<Wide<T>> d;
  const hn::CappedTag<Wide<T>, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), whole = m / lanes * lanes;
  const auto next = [&](auto tag, std::int64_t i) HWY_ATTR {
    auto total = hn::LoadU(tag, totals + i);
    N::step(tag, total, x + i, out + i);
    hn::StoreU(total, tag, totals + i);
  };
  if (falls) {
    for (std::int64_t i = m; i > whole;) next(one, --i);
    for (std::int64_t i = whole; i > 0;) next(d, i -= lanes);
  } else {
    for (std::int64_t i = 0; i < whole; i += lanes) next(d, i);
    for (std::int64_t i = whole; i < m; ++i) next(one, i);
  }
}

template <class T, bool product, bool exclusive>
void rows(const void* x_data, void* out_data, std::int64_t n, std::int64_t step, void* totals_data, std::int64_t m,
          bool fetches) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  Wide<T>* HWY_RESTRICT totals = static_cast<Wide<T>*>(totals_data);
  for (std::int64_t i = 0; i < m; ++i) totals[i] = product ? Wide<T>{1} : Wide<T>{0};
  std::int64_t k = 0;
  if (m >= 16 && (step == m || step == -m)) {
    for (; k < n; ++k, x += step, out += step) whole_row<T, product, exclusive>(x, out, step < 0, totals, m);
    return;
  }
  for (; k + 4 <= n; k += 4, x += 4 * step, out += 4 * step)
    some_rows<T, product, exclusive, 4>(x, out, step, totals, m, fetches && k + 8 <= n ? 4 * step : 0);
  for (; k < n; ++k, x += step, out += step) some_rows<T, product, exclusive, 1>(x, out, step, totals, m, 0);
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
