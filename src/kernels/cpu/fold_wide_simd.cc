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

namespace hn = hwy::HWY_NAMESPACE;

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

// Products of 32-bit integers are written as such, since there are instructions for them.
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
constexpr int kBlock = 256, kLongestShort = 8;

// Sums of m short rows of n values that lie behind each other. `high` becomes `bits`, or the upper halves of the sums
// where there are none.
template <int n, bool has_bits>
HWY_NOINLINE void add_short_rows(const std::uint64_t* HWY_RESTRICT values, std::int64_t m, std::uint64_t bits,
                                 std::uint64_t* HWY_RESTRICT sum, std::int64_t* HWY_RESTRICT high) {
  for (std::int64_t r = 0; r < m; ++r, values += n) {
    std::uint64_t total = values[0];
#pragma GCC unroll 8
    for (int k = 1; k < n; ++k) total += values[k];
    sum[r] = total;
    high[r] = has_bits ? static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(total) >> 32;
  }
}

template <bool has_bits>
auto short_row_adder(std::int64_t n) {
  switch (n) {
    case 2: return add_short_rows<2, has_bits>;
    case 3: return add_short_rows<3, has_bits>;
    case 4: return add_short_rows<4, has_bits>;
    case 5: return add_short_rows<5, has_bits>;
    case 6: return add_short_rows<6, has_bits>;
    case 7: return add_short_rows<7, has_bits>;
    default: return add_short_rows<kLongestShort, has_bits>;
  }
}

// Short rows of n elements that lie behind each other. Where elements are too large for their sums to be small, row by
// row.
template <bool square, class T>
void short_rows(const T* HWY_RESTRICT x, std::int64_t n, std::int64_t count, std::uint64_t* HWY_RESTRICT sum,
                std::int64_t* HWY_RESTRICT high) {
  const auto add = short_row_adder < square && sizeof(T) == 8 > (n);
  const std::int64_t together = kBlock / n;
  for (; count > 0; count -= together, x += together * n, sum += together, high += together) {
    const std::int64_t m = count < together ? count : together, elements = m * n;
    std::uint64_t bits = 0;
    if constexpr (!square) {  // 64-bit integers, added where they lie if they are below 2^48 in size
      constexpr std::uint64_t bias = std::is_signed_v<T> ? std::uint64_t{1} << 48 : 0;
      for (std::int64_t i = 0; i < elements; ++i) bits |= static_cast<std::uint64_t>(x[i]) + bias;
      if (bits >> (std::is_signed_v<T> ? 49 : 48) != 0)
        row<square, T>(x, n, m, sum, high);
      else
        add(reinterpret_cast<const std::uint64_t*>(x), m, bits, sum, high);
      continue;
    }
    for (std::int64_t i = 0; i < elements; ++i) {
      if constexpr (std::is_signed_v<T>)
        bits |= static_cast<std::uint64_t>(static_cast<std::int64_t>(x[i]) ^ (static_cast<std::int64_t>(x[i]) >> 63));
      else
        bits |= x[i];
    }
    if (bits >> 22 != 0) {
      row<square, T>(x, n, m, sum, high);
      continue;
    }
    std::uint64_t values[kBlock];
    for (std::int64_t i = 0; i < elements; ++i) values[i] = small_value<square>(x[i]);
    add(values, m, bits, sum, high);
  }
}
template <bool square, class T>
void any_rows(const void* x, std::int64_t n, std::int64_t count, std::uint64_t* sum, std::int64_t* high) {
  if (n < 2 || n > kLongestShort) return row<square, T>(x, n, count, sum, high);
  short_rows<square>(static_cast<const T*>(x), n, count, sum, high);
}

// Of numbers below 2^51 a quotient in double, or a root, is rounded up to an integer only if it is one.
void means(const std::uint64_t* HWY_RESTRICT totals, std::int64_t n, std::int64_t count, void* out_data) {
  auto* HWY_RESTRICT out = static_cast<std::int64_t*>(out_data);
  const auto divisor = static_cast<double>(count);
  std::int64_t i = 0;
#if HWY_TARGET == HWY_AVX2
  // It has no conversions of 64-bit integers, which are the last bits of a sum.
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const auto sum = hn::Set(d, 0x1.8p52), by = hn::Set(d, divisor);
  const auto sum_bits = hn::BitCast(integers, sum);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    const auto total = hn::Add(hn::LoadU(integers, reinterpret_cast<const std::int64_t*>(totals + i)), sum_bits);
    const auto mean = hn::Trunc(hn::Div(hn::Sub(hn::BitCast(d, total), sum), by));
    hn::StoreU(hn::Sub(hn::BitCast(integers, hn::Add(mean, sum)), sum_bits), integers, out + i);
  }
#endif
  for (; i < n; ++i)
    out[i] = static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(totals[i])) / divisor);
}
// In vectors of our own: compilers call sqrt where it could set errno.
template <class To>
void roots(const std::uint64_t* HWY_RESTRICT totals, std::int64_t n, std::int64_t, void* out_data) {
  auto* HWY_RESTRICT out = static_cast<To*>(out_data);
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const hn::Rebind<To, decltype(bits)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto total = hn::ConvertTo(d, hn::BitCast(integers, hn::LoadU(bits, totals + i)));
    const auto root = hn::BitCast(bits, hn::ConvertTo(integers, hn::Sqrt(total)));
    if constexpr (sizeof(To) == 8)
      hn::StoreU(root, narrow, out + i);
    else
      hn::StoreU(hn::TruncateTo(narrow, root), narrow, out + i);
  }
  for (; i < n; ++i)
    out[i] = static_cast<To>(
        static_cast<std::int64_t>(__builtin_sqrt(static_cast<double>(static_cast<std::int64_t>(totals[i])))));
}

template <class T>
WideLoops mean_loops() {
  return {any_rows<false, T>, rows<false, T>, means};
}
template <class T>
WideLoops norm_loops() {
  return {any_rows<true, T>, rows<true, T>, roots<std::make_unsigned_t<T>>};
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
