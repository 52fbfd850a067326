// Elements that stand twice side by side: widened, and joined with themselves.
#include "kernels/cpu/remap.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/remap_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace remaps {

namespace hn = hwy::HWY_NAMESPACE;

// Of elements T; two of them are a W. In vectors of D, at least one.
template <class T, class D>
HWY_INLINE void twice_by(D wide, const T* x, std::int64_t n, T* out, T* below, bool fetches) {
  using W = hn::TFromD<D>;
  const hn::Rebind<T, D> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  const std::int64_t ahead = fetches ? 2 * (below - out) : 0;
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  const auto store = [&](std::int64_t i) HWY_ATTR {
    const auto v = hn::PromoteTo(wide, hn::LoadU(narrow, x + i));
    const auto both = hn::Or(v, hn::ShiftLeft<kBits>(v));
    hn::StoreU(both, wide, reinterpret_cast<W*>(out + 2 * i));
    if (below != nullptr) hn::StoreU(both, wide, reinterpret_cast<W*>(below + 2 * i));
  };
  for (std::int64_t i = 0; i + lanes <= n; i += lanes) {
    if (fetches) {
      __builtin_prefetch(out + ahead + 2 * i, 1);
      __builtin_prefetch(below + ahead + 2 * i, 1);
    }
    store(i);
  }
  if (n % lanes != 0) store(n - lanes);
}
template <class T, class W>
void twice(const void* x_data, std::int64_t n, void* out_data, void* below_data, bool fetches) {
  const hn::ScalableTag<W> whole;
  const hn::CappedTag<W, 32 / sizeof(W)> half;
  const hn::CappedTag<W, 16 / sizeof(W)> quarter;
  const hn::CappedTag<W, 1> one;
  const auto fits = [n](auto d) HWY_ATTR { return n >= static_cast<std::int64_t>(hn::Lanes(d)); };
  const T* x = static_cast<const T*>(x_data);
  T *out = static_cast<T*>(out_data), *below = static_cast<T*>(below_data);
  fetches = fetches && below != nullptr;
  if (fits(whole)) return twice_by<T>(whole, x, n, out, below, fetches);
  if (fits(half)) return twice_by<T>(half, x, n, out, below, fetches);
  if (fits(quarter)) return twice_by<T>(quarter, x, n, out, below, fetches);
  twice_by<T>(one, x, n, out, below, false);
}

}  // namespace remaps

TwiceLoop find_twice_loop(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return remaps::twice<std::uint8_t, std::uint16_t>;
    case 2: return remaps::twice<std::uint16_t, std::uint32_t>;
    case 4: return remaps::twice<std::uint32_t, std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_twice_loop);

TwiceLoop twice_loop(std::size_t element_bytes) { return HWY_DYNAMIC_DISPATCH(find_twice_loop)(element_bytes); }

}  // namespace norn::kernels
#endif
