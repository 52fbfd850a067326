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

void fill_words(void* out, std::uint64_t eight, std::int64_t bytes) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto v = hn::Set(d, eight);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto* const to = static_cast<char*>(out);
  std::int64_t i = 0;
  for (; i + 8 * lanes <= bytes; i += 8 * lanes) hn::StoreU(v, d, reinterpret_cast<std::uint64_t*>(to + i));
  for (; i + 8 <= bytes; i += 8) std::memcpy(to + i, &eight, 8);
  std::memcpy(to + i, &eight, static_cast<std::size_t>(bytes - i));
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(fill_words);

namespace {

template <class T>
std::uint64_t spread(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return ~std::uint64_t{0} / static_cast<T>(~T{0}) * value;
}

}  // namespace

void fill_elements(void* to, const void* element, std::size_t bytes, std::int64_t n) {
  if (bytes == 1) {
    std::memset(to, *static_cast<const std::uint8_t*>(element), static_cast<std::size_t>(n));
    return;
  }
  const std::uint64_t eight = bytes == 2   ? spread<std::uint16_t>(element)
                              : bytes == 4 ? spread<std::uint32_t>(element)
                                           : spread<std::uint64_t>(element);
  HWY_DYNAMIC_DISPATCH(fill_words)(to, eight, n * static_cast<std::int64_t>(bytes));
}

}  // namespace norn::kernels
#endif
