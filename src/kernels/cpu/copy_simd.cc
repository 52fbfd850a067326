#include <cstring>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/copy_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void copy_vectors(std::uint8_t* to, const std::uint8_t* from, std::int64_t n) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, from + i), v1 = hn::LoadU(d, from + i + lanes);
    const auto v2 = hn::LoadU(d, from + i + 2 * lanes), v3 = hn::LoadU(d, from + i + 3 * lanes);
    hn::StoreU(v0, d, to + i);
    hn::StoreU(v1, d, to + i + lanes);
    hn::StoreU(v2, d, to + i + 2 * lanes);
    hn::StoreU(v3, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < n) hn::StoreU(hn::LoadU(d, from + n - lanes), d, to + n - lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(copy_vectors);

void copy_in_vectors(char* to, const char* from, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(copy_vectors)(reinterpret_cast<std::uint8_t*>(to), reinterpret_cast<const std::uint8_t*>(from),
                                     n);
}

}  // namespace norn::kernels
#endif
