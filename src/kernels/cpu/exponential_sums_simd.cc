// Sums of exponentials of integers where a register holds eight doubles: with d = 8 a + b, exp(-d) is exp(-8 a), one of
// eight, times exp(-b), one of eight.
#include <algorithm>
#include <type_traits>

#include "kernels/cpu/exponential_sums.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/exponential_sums_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace exponential_sums {

#if HWY_MAX_BYTES == 64
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double sum(const void* x_data, std::int64_t n, std::uint64_t most, const Exponentials& table) {
  const hn::ScalableTag<double> d;
  const hn::Repartition<std::uint64_t, decltype(d)> places;
  const hn::Rebind<T, decltype(d)> elements;
  constexpr std::int64_t kLanes = HWY_MAX_BYTES / sizeof(double);
  static_assert(kLanes == 8 && kLanes * kLanes == kDistances);
  const auto* x = static_cast<const T*>(x_data);
  HWY_ALIGN double steps[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) steps[i] = table[static_cast<std::size_t>(i * kLanes)];
  const auto low = hn::LoadU(d, table.data()), high = hn::Load(d, steps);
  const auto top = hn::Set(elements, static_cast<T>(most));
  const auto last = hn::Set(places, kDistances - 1), mask = hn::Set(places, kLanes - 1);
  const auto add = [&](const T* from, auto& total) HWY_ATTR {
    const auto apart = hn::Sub(top, hn::LoadU(elements, from));
    auto distance = hn::Zero(places);
    if constexpr (sizeof(T) == sizeof(double))
      distance = hn::Min(apart, last);
    else
      distance = hn::Min(hn::PromoteTo(places, apart), last);
    const auto factor = hn::TableLookupLanes(low, hn::IndicesFromVec(d, hn::And(distance, mask)));
    const auto step = hn::TableLookupLanes(high, hn::IndicesFromVec(d, hn::ShiftRight<3>(distance)));
    total = hn::MulAdd(factor, step, total);
  };
  auto a = hn::Zero(d), b = a, c = a, e = a;
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    add(x + i, a);
    add(x + i + kLanes, b);
    add(x + i + 2 * kLanes, c);
    add(x + i + 3 * kLanes, e);
  }
  for (; i + kLanes <= n; i += kLanes) add(x + i, a);
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < n; ++i) total += table[std::min<std::size_t>(static_cast<T>(static_cast<T>(most) - x[i]), kDistances - 1)];
  return total;
}
#endif

}  // namespace exponential_sums

ExponentialSum find_exponential_sum(DataType type) {
#if HWY_MAX_BYTES == 64
  using namespace exponential_sums;
  return type == DataType::Int32 || type == DataType::Uint32 ? sum<std::uint32_t> : sum<std::uint64_t>;
#else
  static_cast<void>(type);
  return nullptr;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_exponential_sum);
ExponentialSum exponential_sum(DataType type) { return HWY_DYNAMIC_DISPATCH(find_exponential_sum)(type); }

}  // namespace norn::kernels
#endif
