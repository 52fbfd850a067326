// Sums of exponentials of integers. Where a register holds eight doubles, with d = 8 a + b, exp(-d) is exp(-8 a), one
// of eight, times exp(-b), one of eight.
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

using D = hn::ScalableTag<double>;
constexpr std::int64_t kLanes = HWY_MAX_BYTES / sizeof(double);
static_assert(kLanes == 8 && kLanes * kLanes == kDistances);

// The table in two registers.
template <class T>
struct Powers {
  static constexpr hn::Rebind<T, D> kElements{};
  hn::Vec<D> low, high;

  explicit HWY_INLINE Powers(const Exponentials& table) {
    HWY_ALIGN double steps[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) steps[i] = table[static_cast<std::size_t>(i * kLanes)];
    low = hn::LoadU(D(), table.data());
    high = hn::Load(D(), steps);
  }
  // total += exp(from[i] - top[i])
  HWY_INLINE void add(hn::Vec<hn::Rebind<T, D>> top, const T* from, hn::Vec<D>& total) const {
    const hn::Repartition<std::uint64_t, D> places;
    const auto last = hn::Set(places, kDistances - 1), mask = hn::Set(places, kLanes - 1);
    const auto apart = hn::Sub(top, hn::LoadU(kElements, from));
    auto distance = hn::Zero(places);
    if constexpr (sizeof(T) == sizeof(double))
      distance = hn::Min(apart, last);
    else
      distance = hn::Min(hn::PromoteTo(places, apart), last);
    const auto factor = hn::TableLookupLanes(low, hn::IndicesFromVec(D(), hn::And(distance, mask)));
    const auto step = hn::TableLookupLanes(high, hn::IndicesFromVec(D(), hn::ShiftRight<3>(distance)));
    total = hn::MulAdd(factor, step, total);
  }
};

template <class T>
double sum(const void* x_data, std::int64_t n, std::uint64_t most, const Exponentials& table) {
  const D d;
  const auto* x = static_cast<const T*>(x_data);
  const Powers<T> powers(table);
  const auto top = hn::Set(Powers<T>::kElements, static_cast<T>(most));
  const auto add = [&](const T* from, auto& total) HWY_ATTR { powers.add(top, from, total); };
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

template <class T>
void columns(const void* x_data, std::int64_t stride, std::int64_t n, const void* most_data, std::int64_t count,
             const Exponentials& table, double* HWY_RESTRICT sums) {
  const auto* x = static_cast<const T*>(x_data);
  const auto* most = static_cast<const T*>(most_data);
#if HWY_MAX_BYTES == 64
  const Powers<T> powers(table);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto top = hn::LoadU(Powers<T>::kElements, most + i);
    auto a = hn::Zero(D()), b = a;
    std::int64_t k = 0;
    for (; k + 2 <= n; k += 2) {
      powers.add(top, x + k * stride + i, a);
      powers.add(top, x + (k + 1) * stride + i, b);
    }
    if (k < n) powers.add(top, x + k * stride + i, a);
    hn::StoreU(hn::Add(a, b), D(), sums + i);
  }
#else
  for (std::int64_t i = 0; i < count; ++i) {
    double total = 0;
    for (std::int64_t k = 0; k < n; ++k)
      total += table[std::min<std::size_t>(static_cast<T>(most[i] - x[k * stride + i]), kDistances - 1)];
    sums[i] = total;
  }
#endif
}

}  // namespace exponential_sums

ExponentialColumns find_exponential_columns(DataType type) {
  using namespace exponential_sums;
  return type == DataType::Int32 || type == DataType::Uint32 ? columns<std::uint32_t> : columns<std::uint64_t>;
}

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
HWY_EXPORT(find_exponential_columns);
ExponentialSum exponential_sum(DataType type) { return HWY_DYNAMIC_DISPATCH(find_exponential_sum)(type); }
ExponentialColumns exponential_columns(DataType type) { return HWY_DYNAMIC_DISPATCH(find_exponential_columns)(type); }

}  // namespace norn::kernels
#endif
