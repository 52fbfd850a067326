// Conversions between types of 1 to 8 bytes for each instruction set: plain loops, which the compiler vectorises.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cast_loops_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace casts {

struct Truth {  // a bool's byte
  std::uint8_t byte;
};

template <class T>
constexpr bool kFloating = std::is_floating_point_v<T>;

// Of a floating number that is NaN, or beyond what one conversion turns into an integer.
template <class To, class From>
To from_far(From v) {
  if constexpr (std::is_same_v<To, std::int32_t> || std::is_same_v<To, std::int64_t>) {
    constexpr From limit = sizeof(To) == 4 ? From{0x1p31} : From{0x1p63};
    if (v >= limit) return std::numeric_limits<To>::max();
    if (v >= -limit) return static_cast<To>(v);
    return std::isnan(v) ? To{0} : std::numeric_limits<To>::min();
  } else {
    // The low bits of the 64-bit integer, which saturates.
    if (std::isnan(v) || (std::isinf(v) && sizeof(To) < 4)) return 0;
    const double whole = std::trunc(static_cast<double>(v));
    if (whole >= 0x1p64) return static_cast<To>(std::numeric_limits<std::uint64_t>::max());
    if (whole < -0x1p63) return static_cast<To>(std::numeric_limits<std::int64_t>::min());
    return whole < 0 ? static_cast<To>(static_cast<std::int64_t>(whole))
                     : static_cast<To>(static_cast<std::uint64_t>(whole));
  }
}

constexpr std::int64_t kRun = 256;

template <class From, class To>
void to_integers(const From* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  using Whole = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
  constexpr From limit = sizeof(To) == 8 ? From{0x1p63} : From{0x1p31};
  for (std::int64_t at = 0; at < n; at += kRun) {
    const std::int64_t m = n - at < kRun ? n - at : kRun;
    unsigned far = 0;
    for (std::int64_t i = 0; i < m; ++i) far |= !(std::fabs(x[at + i]) < limit);
    if (far)
      for (std::int64_t i = 0; i < m; ++i) out[at + i] = from_far<To>(x[at + i]);
    else
      for (std::int64_t i = 0; i < m; ++i) out[at + i] = static_cast<To>(static_cast<Whole>(x[at + i]));
  }
}

#if HWY_TARGET == HWY_AVX2
// Of doubles, which are converted while it is found out whether all of a run are within the limit, so that memory is
// read without a break.
template <class To>
void from_far_run(const double* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = from_far<To>(x[i]);
}

// 64-bit integers, to which AVX2 does not convert, are the last bits of a sum.
template <class To>
void doubles_to_long_integers(const double* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  constexpr double kSum = 0x1.8p52;  // the last place is 1
  constexpr double limit = 0x1p51;
  for (std::int64_t at = 0; at < n; at += kRun) {
    const std::int64_t m = n - at < kRun ? n - at : kRun;
    std::uint64_t far = 0;  // as wide as the numbers, so that it is found out lane by lane
    for (std::int64_t i = 0; i < m; ++i) {
      const double v = x[at + i];
      const bool within = std::fabs(v) < limit;
      const double number = within ? v : 0.0;
      far |= !within;
      out[at + i] =
          static_cast<To>(std::bit_cast<std::int64_t>(std::trunc(number) + kSum) - std::bit_cast<std::int64_t>(kSum));
    }
    if (far != 0) from_far_run(x + at, out + at, m);
  }
}

HWY_INLINE __m256i both(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
// Shorter ones are the last bits of 32-bit integers, of which the least one also stands for what is beyond them.
template <class To>
void doubles_to_short_integers(const double* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  constexpr std::int64_t kStep = 16;
  const __m256i beyond = _mm256_set1_epi32(std::numeric_limits<std::int32_t>::min());
  std::int64_t at = 0;
  for (std::int64_t m = 0; at + kStep <= n; at += m) {
    m = n - at < kRun ? (n - at) / kStep * kStep : kRun;
    __m256i least = _mm256_setzero_si256();
    for (std::int64_t i = at; i < at + m; i += kStep) {
      const auto whole = [&](std::int64_t k) HWY_ATTR { return _mm256_cvttpd_epi32(_mm256_loadu_pd(x + i + k)); };
      To* const to = out + i;
      if constexpr (sizeof(To) == 4) {
        const __m256i low = both(whole(0), whole(4)), high = both(whole(8), whole(12));
        least = _mm256_min_epi32(least, _mm256_min_epi32(low, high));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), high);
      } else {
        // Packing goes by halves of vectors.
        const __m256i even = both(whole(0), whole(8)), odd = both(whole(4), whole(12));
        least = _mm256_min_epi32(least, _mm256_min_epi32(even, odd));
        const __m256i mask = _mm256_set1_epi32(sizeof(To) == 2 ? 0xFFFF : 0xFF);
        const __m256i words = _mm256_packus_epi32(_mm256_and_si256(even, mask), _mm256_and_si256(odd, mask));
        if constexpr (sizeof(To) == 2)
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
        else
          _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                           _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
      }
    }
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(least, beyond)) != 0) from_far_run(x + at, out + at, m);
  }
  from_far_run(x + at, out + at, n - at);
}

// 64-bit integers below 2^51 in size, or 2^52 without a sign, are the last bits of a double.
template <class From>
void long_integers_to_floats(const From* HWY_RESTRICT x, float* HWY_RESTRICT out, std::int64_t n) {
  constexpr double kSum = std::is_signed_v<From> ? 0x1.8p52 : 0x1p52;
  constexpr std::int64_t kStep = 8;
  const __m256d sum = _mm256_set1_pd(kSum);
  const __m256i sum_bits = _mm256_castpd_si256(sum), first = _mm256_set1_epi64x(std::bit_cast<std::int64_t>(0x1p52));
  std::int64_t at = 0;
  for (std::int64_t m = 0; at + kStep <= n; at += m) {
    m = n - at < kRun ? (n - at) / kStep * kStep : kRun;
    __m256i far = _mm256_setzero_si256();
    for (std::int64_t i = at; i < at + m; i += kStep) {
      const auto four = [&](std::int64_t k) HWY_ATTR {
        const __m256i bits =
            _mm256_add_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i + k)), sum_bits);
        far = _mm256_or_si256(far, _mm256_xor_si256(bits, first));
        _mm_storeu_ps(out + i + k, _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_castsi256_pd(bits), sum)));
      };
      four(0);
      four(4);
    }
    if (!_mm256_testz_si256(far, _mm256_set1_epi64x(-(std::int64_t{1} << 52))))
      for (std::int64_t i = at; i < at + m; ++i) out[i] = static_cast<float>(x[i]);
  }
  for (; at < n; ++at) out[at] = static_cast<float>(x[at]);
}

// AVX2 has no such conversion; the compiler would take the elements one by one.
inline void to_doubles(const std::int64_t* HWY_RESTRICT x, double* HWY_RESTRICT out, std::int64_t n) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<double> d;
  const hn::ScalableTag<std::int64_t> whole;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::ConvertTo(d, hn::LoadU(whole, x + i)), d, out + i);
  for (; i < n; ++i) out[i] = static_cast<double>(x[i]);
}
#endif

template <class From, class To>
void loop(const void* x_data, void* out_data, std::int64_t n) {
  using Number = std::conditional_t<std::is_same_v<From, Truth>, std::uint8_t, From>;
  const auto* HWY_RESTRICT x = static_cast<const Number*>(x_data);
  if constexpr (std::is_same_v<To, Truth>) {
    auto* HWY_RESTRICT out = static_cast<std::uint8_t*>(out_data);
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] != Number{0};  // NaN is true
  } else if constexpr (!kFloating<Number> && !kFloating<To> && sizeof(Number) == sizeof(To)) {
    if (n > 0) std::memcpy(out_data, x_data, static_cast<std::size_t>(n) * sizeof(To));
  } else if constexpr (kFloating<Number> && !kFloating<To>) {
#if HWY_TARGET == HWY_AVX2
    if constexpr (std::is_same_v<Number, double>) {
      auto* const out = static_cast<To*>(out_data);
      if constexpr (sizeof(To) == 8)
        return doubles_to_long_integers(x, out, n);
      else
        return doubles_to_short_integers(x, out, n);
    }
#endif
    to_integers<Number, To>(x, static_cast<To*>(out_data), n);
#if HWY_TARGET == HWY_AVX2
  } else if constexpr (std::is_same_v<Number, std::int64_t> && std::is_same_v<To, double>) {
    to_doubles(x, static_cast<double*>(out_data), n);
  } else if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8 && std::is_same_v<To, float>) {
    long_integers_to_floats(x, static_cast<float*>(out_data), n);
#endif
  } else {
    auto* HWY_RESTRICT out = static_cast<To*>(out_data);
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<To>(x[i]);
  }
}

template <class From>
void to_odd_float(const void* x_data, void* out_data, std::int64_t n) {
  const From* HWY_RESTRICT x = static_cast<const From*>(x_data);
  auto* HWY_RESTRICT out = static_cast<std::uint32_t*>(out_data);
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(x[i]);
    const float f = static_cast<float>(v);
    std::uint32_t bits;
    std::memcpy(&bits, &f, sizeof bits);
    const double back = static_cast<double>(f);
    bits -= std::fabs(back) > std::fabs(v);  // cut, not rounded
    bits |= back != v;
    out[i] = bits;
  }
}

template <class F>
CastLoop for_type(DataType type, F&& f) {
  switch (type) {
    case DataType::Float: return f(float{});
    case DataType::Double: return f(double{});
    case DataType::Int8: return f(std::int8_t{});
    case DataType::Int16: return f(std::int16_t{});
    case DataType::Int32: return f(std::int32_t{});
    case DataType::Int64: return f(std::int64_t{});
    case DataType::Uint8: return f(std::uint8_t{});
    case DataType::Uint16: return f(std::uint16_t{});
    case DataType::Uint32: return f(std::uint32_t{});
    case DataType::Uint64: return f(std::uint64_t{});
    case DataType::Bool: return f(Truth{});
    default: return nullptr;
  }
}

}  // namespace casts

CastLoop find_cast_loop(DataType from, DataType to) {
  using namespace casts;
  return for_type(from, [&]<class From>(From) -> CastLoop {
    return for_type(to, []<class To>(To) -> CastLoop {
      // Integers from integers are their low bits, whatever their sign.
      if constexpr (std::is_integral_v<To> && !kFloating<From>)
        return loop<From, std::make_unsigned_t<To>>;
      else
        return loop<From, To>;
    });
  });
}

CastLoop find_odd_float_loop(DataType from) {
  using namespace casts;
  switch (from) {
    case DataType::Double: return to_odd_float<double>;
    case DataType::Int32: return to_odd_float<std::int32_t>;
    case DataType::Int64: return to_odd_float<std::int64_t>;
    case DataType::Uint32: return to_odd_float<std::uint32_t>;
    case DataType::Uint64: return to_odd_float<std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_cast_loop);
HWY_EXPORT(find_odd_float_loop);

CastLoop cast_loop(DataType from, DataType to) { return HWY_DYNAMIC_DISPATCH(find_cast_loop)(from, to); }
CastLoop odd_float_loop(DataType from) { return HWY_DYNAMIC_DISPATCH(find_odd_float_loop)(from); }

}  // namespace norn::kernels
#endif
