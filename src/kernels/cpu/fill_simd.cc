#include <cstring>

#include "kernels/cpu/fill.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fill_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void fill_words(std::uint64_t* to, std::uint64_t eight, std::int64_t bytes) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto v = hn::Set(d, eight);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= bytes / 8; i += lanes) hn::StoreU(v, d, to + i);
  for (; i < bytes / 8; ++i) to[i] = eight;
  std::memcpy(to + i, &eight, static_cast<std::size_t>(bytes % 8));
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(fill_words);

void fill_elements(std::uint64_t* to, const void* element, std::size_t bytes, std::int64_t n) {
  std::uint64_t eight = 0;
  std::uint8_t spread[8];
  for (std::size_t i = 0; i < sizeof spread; i += bytes) std::memcpy(spread + i, element, bytes);
  std::memcpy(&eight, spread, sizeof eight);
  HWY_DYNAMIC_DISPATCH(fill_words)(to, eight, n * static_cast<std::int64_t>(bytes));
}

}  // namespace norn::kernels
#endif
