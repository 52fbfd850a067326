// Elements that are not zero, for each instruction set.
#include "kernels/cpu/nonzero.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/nonzero_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace nonzero {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
std::int64_t places_of(const void* x_data, std::int64_t n, std::uint64_t mask, std::int64_t first,
                       std::int64_t* places) {
  const T* const x = static_cast<const T*>(x_data);
  const T kept = static_cast<T>(mask);
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto wanted = hn::Set(d, kept);
  std::int64_t count = 0, i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto zero = hn::Eq(hn::And(hn::LoadU(d, x + i), wanted), hn::Zero(d));
    if (hn::AllTrue(d, zero)) continue;
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Not(zero), reinterpret_cast<std::uint8_t*>(&bits));
    for (; bits != 0; bits &= bits - 1) places[count++] = first + i + __builtin_ctzll(bits);
  }
  for (; i < n; ++i) {  // written in any case, and kept if it is not zero: a branch would be mispredicted
    places[count] = first + i;
    count += (x[i] & kept) != 0;
  }
  return count;
}

}  // namespace nonzero

NonZeroLoop find_nonzero_loop(std::size_t element_bytes) {
  using namespace nonzero;
  switch (element_bytes) {
    case 1: return places_of<std::uint8_t>;
    case 2: return places_of<std::uint16_t>;
    case 4: return places_of<std::uint32_t>;
    default: return places_of<std::uint64_t>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_nonzero_loop);

NonZeroLoop nonzero_loop(std::size_t element_bytes) { return HWY_DYNAMIC_DISPATCH(find_nonzero_loop)(element_bytes); }

}  // namespace norn::kernels
#endif
