// Sums of 128 bits in two parts for each instruction set: plain loops, which the compiler vectorises.
#include <type_traits>

#include "kernels/cpu/fold_wide.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fold_wide_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace wide {

template <bool square, class T>
HWY_INLINE auto value_of(T x) {
  if constexpr (square) {
    const auto wide = static_cast<std::int64_t>(x);
    return static_cast<std::uint64_t>(wide) * static_cast<std::uint64_t>(wide);
  } else {
    return x;
  }
}

template <bool square, class T>
void row(const void* x_data, std::int64_t n, std::int64_t count, std::uint64_t* sum, std::int64_t* high) {
  constexpr std::int64_t kLanes = 16;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  for (std::int64_t r = 0; r < count; ++r, x += n) {
    std::uint64_t s = 0;
    std::int64_t h = 0, i = 0;
    if (n >= 2 * kLanes) {
      std::uint64_t sums[kLanes] = {};
      std::int64_t highs[kLanes] = {};
      for (; i + kLanes <= n; i += kLanes)
        for (std::int64_t l = 0; l < kLanes; ++l) {
          const auto v = value_of<square>(x[i + l]);
          sums[l] += static_cast<std::uint64_t>(v);
          highs[l] += static_cast<std::int64_t>(v >> 32);
        }
      for (std::int64_t l = 0; l < kLanes; ++l) {
        s += sums[l];
        h += highs[l];
      }
    }
    for (; i < n; ++i) {
      const auto v = value_of<square>(x[i]);
      s += static_cast<std::uint64_t>(v);
      h += static_cast<std::int64_t>(v >> 32);
    }
    sum[r] = s;
    high[r] = h;
  }
}

template <bool square, class T>
void rows(const void* x_data, std::int64_t stride, std::int64_t count, std::int64_t n, std::uint64_t* HWY_RESTRICT sum,
          std::int64_t* HWY_RESTRICT high) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  std::int64_t k = 0;
  for (; k + 2 <= count; k += 2) {
    const T *HWY_RESTRICT a = x + k * stride, *HWY_RESTRICT b = a + stride;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto v = value_of<square>(a[i]), w = value_of<square>(b[i]);
      sum[i] += static_cast<std::uint64_t>(v) + static_cast<std::uint64_t>(w);
      high[i] += static_cast<std::int64_t>(v >> 32) + static_cast<std::int64_t>(w >> 32);
    }
  }
  for (; k < count; ++k)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto v = value_of<square>(x[k * stride + i]);
      sum[i] += static_cast<std::uint64_t>(v);
      high[i] += static_cast<std::int64_t>(v >> 32);
    }
}

}  // namespace wide

WideLoops find_wide_loops(FoldKind kind, DataType type) {
  using namespace wide;
  if (kind == FoldKind::Mean && type == DataType::Int64) return {row<false, std::int64_t>, rows<false, std::int64_t>};
  if (kind == FoldKind::Mean && type == DataType::Uint64)
    return {row<false, std::uint64_t>, rows<false, std::uint64_t>};
  if (kind == FoldKind::L2 && type == DataType::Int32) return {row<true, std::int32_t>, rows<true, std::int32_t>};
  if (kind == FoldKind::L2 && type == DataType::Uint32) return {row<true, std::uint32_t>, rows<true, std::uint32_t>};
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_wide_loops);

WideLoops wide_loops(FoldKind kind, DataType type) { return HWY_DYNAMIC_DISPATCH(find_wide_loops)(kind, type); }

}  // namespace norn::kernels
#endif
