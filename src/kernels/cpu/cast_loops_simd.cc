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

template <class From, class To>
void to_integers(const From* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  using Whole = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
  constexpr From limit = sizeof(To) == 8 ? From{0x1p63} : From{0x1p31};
  constexpr std::int64_t kRun = 256;
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
// read without a break. 64-bit integers, to which AVX2 does not convert, are the last bits of a sum.
template <class To>
void doubles_to_integers(const double* HWY_RESTRICT x, To* HWY_RESTRICT out, std::int64_t n) {
  constexpr bool by_sum = sizeof(To) == 8;
  using Whole = std::conditional_t<by_sum, std::int64_t, std::int32_t>;
  constexpr double kSum = 0x1.8p52;  // the last place is 1
  constexpr double limit = by_sum ? 0x1p51 : 0x1p31;
  constexpr std::int64_t kRun = 256;
  for (std::int64_t at = 0; at < n; at += kRun) {
    const std::int64_t m = n - at < kRun ? n - at : kRun;
    std::uint64_t far = 0;  // as wide as the numbers, so that it is found out lane by lane
    const auto whole = [&](double v) HWY_ATTR {
      const bool within = std::fabs(v) < limit;
      const double number = within ? v : 0.0;
      far |= !within;
      if constexpr (by_sum)
        return std::bit_cast<std::int64_t>(std::trunc(number) + kSum) - std::bit_cast<std::int64_t>(kSum);
      else
        return static_cast<Whole>(number);
    };
    if constexpr (sizeof(To) >= 4) {
      for (std::int64_t i = 0; i < m; ++i) out[at + i] = static_cast<To>(whole(x[at + i]));
    } else {  // in two steps, each of as many elements at once as its types have in a vector
      Whole part[kRun];
      for (std::int64_t i = 0; i < m; ++i) part[i] = whole(x[at + i]);
      for (std::int64_t i = 0; i < m; ++i) out[at + i] = static_cast<To>(part[i]);
    }
    for (std::int64_t i = 0; i < m && far != 0; ++i) out[at + i] = from_far<To>(x[at + i]);
  }
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
    if constexpr (std::is_same_v<Number, double>) return doubles_to_integers(x, static_cast<To*>(out_data), n);
#endif
    to_integers<Number, To>(x, static_cast<To*>(out_data), n);
#if HWY_TARGET == HWY_AVX2
  } else if constexpr (std::is_same_v<Number, std::int64_t> && std::is_same_v<To, double>) {
    to_doubles(x, static_cast<double*>(out_data), n);
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
