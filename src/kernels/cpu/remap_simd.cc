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

// Of elements T; two of them are a W.
template <class T, class W>
void twice(const void* x_data, std::int64_t n, void* out_data, void* below_data) {
  const hn::ScalableTag<W> wide;
  const hn::Rebind<T, decltype(wide)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  const T* x = static_cast<const T*>(x_data);
  const auto at = [](void* row, std::int64_t i) { return reinterpret_cast<W*>(static_cast<T*>(row) + 2 * i); };
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  const auto store = [&](std::int64_t i) HWY_ATTR {
    const auto v = hn::PromoteTo(wide, hn::LoadU(narrow, x + i));
    const auto both = hn::Or(v, hn::ShiftLeft<kBits>(v));
    hn::StoreU(both, wide, at(out_data, i));
    if (below_data != nullptr) hn::StoreU(both, wide, at(below_data, i));
  };
  if (n < lanes) {
    for (std::int64_t i = 0; i < n; ++i) {
      T pair[2];  // the addresses of a tensor's elements may be any
      __builtin_memcpy(pair, x + i, sizeof(T));
      pair[1] = pair[0];
      __builtin_memcpy(at(out_data, i), pair, sizeof pair);
      if (below_data != nullptr) __builtin_memcpy(at(below_data, i), pair, sizeof pair);
    }
    return;
  }
  for (std::int64_t i = 0; i + lanes <= n; i += lanes) store(i);
  if (n % lanes != 0) store(n - lanes);
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
