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

// What of a value is added to (or, of squares of 64 bits, joined with) `high`.
template <bool square, class T>
HWY_INLINE std::int64_t high_of(T x) {
  if constexpr (square && sizeof(T) == 8)
    return std::is_signed_v<T> ? static_cast<std::int64_t>(x) ^ (static_cast<std::int64_t>(x) >> 63)
                               : static_cast<std::int64_t>(x);
  else
    return static_cast<std::int64_t>(value_of<square>(x) >> 32);
}
template <bool square, class T>
HWY_INLINE std::int64_t joined(std::int64_t a, std::int64_t b) {
  return square && sizeof(T) == 8 ? a | b : a + b;
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
          sums[l] += static_cast<std::uint64_t>(value_of<square>(x[i + l]));
          highs[l] = joined<square, T>(highs[l], high_of<square>(x[i + l]));
        }
      for (std::int64_t l = 0; l < kLanes; ++l) {
        s += sums[l];
        h = joined<square, T>(h, highs[l]);
      }
    }
    for (; i < n; ++i) {
      s += static_cast<std::uint64_t>(value_of<square>(x[i]));
      h = joined<square, T>(h, high_of<square>(x[i]));
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
      high[i] = joined<square, T>(high[i], joined<square, T>(high_of<square>(a[i]), high_of<square>(b[i])));
    }
  }
  for (; k < count; ++k)
    for (std::int64_t i = 0; i < n; ++i) {
      sum[i] += static_cast<std::uint64_t>(value_of<square>(x[k * stride + i]));
      high[i] = joined<square, T>(high[i], high_of<square>(x[k * stride + i]));
    }
}

// Products of 32-bit integers are told as such, for which there are instructions.
template <bool square, class T>
HWY_INLINE std::uint64_t small_value(T x) {
  if constexpr (!square)
    return static_cast<std::uint64_t>(x);
  else if constexpr (std::is_signed_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)) *
                                      static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
  else
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) *
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(x));
}
// sums[i] = values[i] + ... + values[i + n - 1].
template <int n>
HWY_INLINE void sums_from_every(const std::uint64_t* HWY_RESTRICT values, std::int64_t span,
                                std::uint64_t* HWY_RESTRICT sums) {
  for (std::int64_t i = 0; i < span; ++i) {
    std::uint64_t sum = values[i];
    for (int k = 1; k < n; ++k) sum += values[i + k];
    sums[i] = sum;
  }
}
// The same for short rows of n elements that lie behind each other: summed from every element on, of which every n-th
// sum counts. Where elements are too large for their sums to be small, row by row.
template <bool square, class T, int n>
void short_rows(const T* HWY_RESTRICT x, std::int64_t count, std::uint64_t* HWY_RESTRICT sum,
                std::int64_t* HWY_RESTRICT high) {
  constexpr std::int64_t kBlock = 256, kTogether = kBlock / n;
  for (; count > 0; count -= kTogether, x += kTogether * n, sum += kTogether, high += kTogether) {
    const std::int64_t m = count < kTogether ? count : kTogether, elements = m * n;
    std::uint64_t bits = 0;
    for (std::int64_t i = 0; i < elements; ++i) {
      if constexpr (std::is_signed_v<T>)
        bits |= static_cast<std::uint64_t>(static_cast<std::int64_t>(x[i]) ^ (static_cast<std::int64_t>(x[i]) >> 63));
      else
        bits |= x[i];
    }
    if (bits >> (square ? 22 : 48) != 0) {
      row<square, T>(x, n, m, sum, high);
      continue;
    }
    std::uint64_t values[kBlock], sums[kBlock];
    for (std::int64_t i = 0; i < elements; ++i) values[i] = small_value<square>(x[i]);
    sums_from_every<n>(values, elements - n + 1, sums);
    for (std::int64_t r = 0; r < m; ++r) {
      sum[r] = sums[r * n];
      high[r] = square && sizeof(T) == 8 ? static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(sum[r]) >> 32;
    }
  }
}
template <bool square, class T>
void any_rows(const void* x, std::int64_t n, std::int64_t count, std::uint64_t* sum, std::int64_t* high) {
  const T* from = static_cast<const T*>(x);
  switch (n) {
    case 2: return short_rows<square, T, 2>(from, count, sum, high);
    case 3: return short_rows<square, T, 3>(from, count, sum, high);
    case 4: return short_rows<square, T, 4>(from, count, sum, high);
    case 5: return short_rows<square, T, 5>(from, count, sum, high);
    case 6: return short_rows<square, T, 6>(from, count, sum, high);
    case 7: return short_rows<square, T, 7>(from, count, sum, high);
    case 8: return short_rows<square, T, 8>(from, count, sum, high);
    default: return row<square, T>(x, n, count, sum, high);
  }
}

// Of numbers below 2^52 a quotient in double, or a root, is rounded up to an integer only if it is one.
void means(const std::uint64_t* HWY_RESTRICT totals, std::int64_t n, std::int64_t count, void* out_data) {
  auto* HWY_RESTRICT out = static_cast<std::int64_t*>(out_data);
  const auto divisor = static_cast<double>(count);
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(totals[i])) / divisor);
}
template <class To>
void roots(const std::uint64_t* HWY_RESTRICT totals, std::int64_t n, std::int64_t, void* out_data) {
  auto* HWY_RESTRICT out = static_cast<To*>(out_data);
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = static_cast<To>(
        static_cast<std::int64_t>(__builtin_sqrt(static_cast<double>(static_cast<std::int64_t>(totals[i])))));
}

template <class T>
WideLoops mean_loops() {
  return {any_rows<false, T>, rows<false, T>, means};
}
template <class T>
WideLoops norm_loops() {
  return {any_rows<true, T>, rows<true, T>, roots<T>};
}

}  // namespace wide

WideLoops find_wide_loops(FoldKind kind, DataType type) {
  using namespace wide;
  const bool is_mean = kind == FoldKind::Mean;
  if (!is_mean && kind != FoldKind::L2) return {};
  switch (type) {
    case DataType::Int64: return is_mean ? mean_loops<std::int64_t>() : norm_loops<std::int64_t>();
    case DataType::Uint64: return is_mean ? mean_loops<std::uint64_t>() : norm_loops<std::uint64_t>();
    case DataType::Int32: return is_mean ? WideLoops{} : norm_loops<std::int32_t>();
    case DataType::Uint32: return is_mean ? WideLoops{} : norm_loops<std::uint32_t>();
    default: return {};
  }
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
