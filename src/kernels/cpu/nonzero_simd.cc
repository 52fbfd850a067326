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
std::int64_t count_of(const void* x_data, std::int64_t n, std::uint64_t mask) {
  const T* const x = static_cast<const T*>(x_data);
  const T kept = static_cast<T>(mask);
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t zeros = 0, i = 0;
  for (; i + lanes <= n; i += lanes)
    zeros += static_cast<std::int64_t>(
        hn::CountTrue(d, hn::Eq(hn::And(hn::LoadU(d, x + i), hn::Set(d, kept)), hn::Zero(d))));
  for (; i < n; ++i) zeros += (x[i] & kept) == 0;
  return n - zeros;
}

template <class T>
void places_of(const void* x_data, std::int64_t n, std::uint64_t mask, std::int64_t first, std::int64_t* places,
               std::int64_t count) {
  const T* const x = static_cast<const T*>(x_data);
  const T kept = static_cast<T>(mask);
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t* const end = places + count;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto zero = hn::Eq(hn::And(hn::LoadU(d, x + i), hn::Set(d, kept)), hn::Zero(d));
    if (hn::AllTrue(d, zero)) continue;
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Not(zero), reinterpret_cast<std::uint8_t*>(&bits));
    // Of few lanes, or many of them, every place is written, and kept if it is one: nothing foretells how many there
    // are.
    const bool all = lanes <= 16 || 4 * __builtin_popcountll(bits) > 3 * lanes;
    if (all && end - places >= lanes) {
      for (std::int64_t k = 0; k < lanes; ++k, bits >>= 1) {
        *places = first + i + k;
        places += bits & 1;
      }
      continue;
    }
    for (; bits != 0; bits &= bits - 1) *places++ = first + i + __builtin_ctzll(bits);
  }
  for (; i < n; ++i)
    if ((x[i] & kept) != 0) *places++ = first + i;
}

template <class T>
NonZeroLoops loops() {
  return {count_of<T>, places_of<T>};
}

}  // namespace nonzero

NonZeroLoops find_nonzero_loops(std::size_t element_bytes) {
  using namespace nonzero;
  switch (element_bytes) {
    case 1: return loops<std::uint8_t>();
    case 2: return loops<std::uint16_t>();
    case 4: return loops<std::uint32_t>();
    default: return loops<std::uint64_t>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_nonzero_loops);

NonZeroLoops nonzero_loops(std::size_t element_bytes) {
  return HWY_DYNAMIC_DISPATCH(find_nonzero_loops)(element_bytes);
}

}  // namespace norn::kernels
#endif
