// Plain loops, which the compiler vectorises; 64-bit comparisons are slow without the later instruction sets.
#include "kernels/cpu/index_check.h"

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/index_check_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace indices {

template <class I>
bool within(const I* HWY_RESTRICT index, std::int64_t n, std::int64_t size) {
  const auto reach = static_cast<std::uint64_t>(size);
  std::uint64_t outside = 0;
  for (std::int64_t i = 0; i < n; ++i)
    outside |= static_cast<std::uint64_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(index[i])) + reach >=
                                          2 * reach);
  return outside == 0;
}

}  // namespace indices

bool within_i64(const std::int64_t* index, std::int64_t n, std::int64_t size) {
  return indices::within(index, n, size);
}
bool within_i32(const std::int32_t* index, std::int64_t n, std::int64_t size) {
  return indices::within(index, n, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(within_i64);
HWY_EXPORT(within_i32);

bool indices_within(const std::int64_t* index, std::int64_t n, std::int64_t size) {
  return HWY_DYNAMIC_DISPATCH(within_i64)(index, n, size);
}
bool indices_within(const std::int32_t* index, std::int64_t n, std::int64_t size) {
  return HWY_DYNAMIC_DISPATCH(within_i32)(index, n, size);
}

}  // namespace norn::kernels
#endif
