// Loops over elements of every type for each instruction set: plain ones, which the compiler vectorises.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/plain_targets.h"
#include "kernels/cpu/typed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/typed_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace typed {

template <class T, class To, class Op>
void unary(const void* x_data, const void*, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  To* HWY_RESTRICT out = static_cast<To*>(out_data);
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i]);
}
template <class T, class Op>
void binary(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T* HWY_RESTRICT y = static_cast<const T*>(y_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i], y[i]);
}

// With one y for all.
template <class T, class Op>
void binary_with_one(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T y = *static_cast<const T*>(y_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i], y);
}

// Of a bool that nothing has looked through: any byte but 0 is true.
struct LogicalNot {
  static HWY_INLINE std::uint8_t apply(std::uint8_t x) { return x == 0; }
};
struct Complement {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return static_cast<T>(~x);
  }
};
struct Negated {
  template <class T>
  static HWY_INLINE T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(x));
  }
};
struct Same {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return x;
  }
};
struct Absolute {
  template <class T>
  static HWY_INLINE T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < 0 ? Negated::apply(x) : x;
  }
};
struct SignOf {
  template <class T>
  static HWY_INLINE T apply(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x > 0 ? T{1} : x < 0 ? T{-1} : x;
    else
      return static_cast<T>((x > 0) - (x < 0));
  }
};
struct Positive {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return x < 0 ? T{0} : x;
  }
};
struct Down {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return std::floor(x);
  }
};
struct Up {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return std::ceil(x);
  }
};
struct Nearest {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return std::rint(x);
  }
};
struct Inverse {
  template <class T>
  static HWY_INLINE T apply(T x) {
    return T{1} / x;
  }
};
struct NotANumber {
  template <class T>
  static HWY_INLINE std::uint8_t apply(T x) {
    return x != x;
  }
};
template <class T>
void infinite(const void* x_data, const void*, void* out_data, std::int64_t n, float a, float b) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  auto* HWY_RESTRICT out = static_cast<std::uint8_t*>(out_data);
  // A value that is not looked for is NaN, which equals nothing.
  const T low = a != 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
  const T high = b != 0 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>((x[i] == low) | (x[i] == high));
}

// Half types by their bits: what is above the infinity's without the sign is NaN.
struct HalfBits {
  std::uint16_t infinity, one;
};
constexpr std::uint16_t kHalfSign = 0x8000;
HWY_INLINE std::uint16_t half_magnitude(std::uint16_t x) { return static_cast<std::uint16_t>(x & 0x7fff); }
struct HalfNegated {
  template <HalfBits>
  static HWY_INLINE std::uint16_t apply(std::uint16_t x) {
    return static_cast<std::uint16_t>(x ^ kHalfSign);
  }
};
struct HalfAbsolute {
  template <HalfBits>
  static HWY_INLINE std::uint16_t apply(std::uint16_t x) {
    return half_magnitude(x);
  }
};
struct HalfSign {
  template <HalfBits bits>
  static HWY_INLINE std::uint16_t apply(std::uint16_t x) {
    const std::uint16_t magnitude = half_magnitude(x), sign = static_cast<std::uint16_t>(x & kHalfSign);
    const auto one = static_cast<std::uint16_t>(sign | bits.one);
    return static_cast<std::uint16_t>(magnitude - 1) < bits.infinity ? one : x;
  }
};
struct HalfPositive {
  template <HalfBits bits>
  static HWY_INLINE std::uint16_t apply(std::uint16_t x) {
    return static_cast<std::uint16_t>(x - kHalfSign - 1) < bits.infinity ? std::uint16_t{0} : x;
  }
};
struct HalfNotANumber {
  template <HalfBits bits>
  static HWY_INLINE std::uint8_t apply(std::uint16_t x) {
    return half_magnitude(x) > bits.infinity;
  }
};
template <HalfBits bits, class Out, class Op>
void half_unary(const void* x_data, const void*, void* out_data, std::int64_t n, float, float) {
  const auto* HWY_RESTRICT x = static_cast<const std::uint16_t*>(x_data);
  auto* HWY_RESTRICT out = static_cast<Out*>(out_data);
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::template apply<bits>(x[i]);
}
template <HalfBits bits>
void half_infinite(const void* x_data, const void*, void* out_data, std::int64_t n, float a, float b) {
  const auto* HWY_RESTRICT x = static_cast<const std::uint16_t*>(x_data);
  auto* HWY_RESTRICT out = static_cast<std::uint8_t*>(out_data);
  const std::uint16_t negative = kHalfSign | bits.infinity;
  const std::uint16_t low = a != 0 ? negative : bits.infinity, high = b != 0 ? bits.infinity : negative;
  const std::uint8_t any = a != 0 || b != 0;
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(((x[i] == low) | (x[i] == high)) & any);
}
template <HalfBits bits>
TypedLoop half_loop(TypedOp op) {
  using Half = std::uint16_t;
  switch (op) {
    case TypedOp::Neg: return half_unary<bits, Half, HalfNegated>;
    case TypedOp::Abs: return half_unary<bits, Half, HalfAbsolute>;
    case TypedOp::Sign: return half_unary<bits, Half, HalfSign>;
    case TypedOp::Relu: return half_unary<bits, Half, HalfPositive>;
    case TypedOp::IsNaN: return half_unary<bits, std::uint8_t, HalfNotANumber>;
    case TypedOp::IsInf: return half_infinite<bits>;
    default: return nullptr;
  }
}

// What integers are added and multiplied as: unsigned, so that they wrap around, and wide enough that narrow ones do
// not become signed ints.
template <class T>
struct WideOf {
  using type = std::conditional_t<sizeof(T) < 4, unsigned, std::make_unsigned_t<T>>;
};
template <class T>
  requires std::is_floating_point_v<T>
struct WideOf<T> {
  using type = T;
};
template <class T>
using Wide = typename WideOf<T>::type;
struct Sum {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(static_cast<Wide<T>>(x) + static_cast<Wide<T>>(y));
  }
};
struct Difference {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(static_cast<Wide<T>>(x) - static_cast<Wide<T>>(y));
  }
};
struct Product {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(static_cast<Wide<T>>(x) * static_cast<Wide<T>>(y));
  }
};
struct Quotient {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return x / y;
  }
};
struct Larger {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    const T v = x > y ? x : y;
    if constexpr (std::is_floating_point_v<T>) return x != x ? x : v;
    return v;
  }
};
struct Smaller {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    const T v = x < y ? x : y;
    if constexpr (std::is_floating_point_v<T>) return x != x ? x : v;
    return v;
  }
};
struct Both {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(x & y);
  }
};
struct Either {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(x | y);
  }
};
struct Differing {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};
struct Left {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    using W = Wide<T>;
    constexpr T width = 8 * sizeof(T);
    return y < width ? static_cast<T>(static_cast<W>(x) << (y & (width - 1))) : T{0};
  }
};
struct Right {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    using W = Wide<T>;
    constexpr T width = 8 * sizeof(T);
    return y < width ? static_cast<T>(static_cast<W>(x) >> (y & (width - 1))) : T{0};
  }
};
struct Slope {
  template <class T>
  static HWY_INLINE T apply(T x, T y) {
    return x < 0 ? Product::apply(x, y) : x;
  }
};

// Quotients of integers, cut. A quotient of floating numbers is never rounded up to an integer that the true one does
// not reach while divisor and quotient have no more bits together than the format.

template <class T>
HWY_NOINLINE void check_divisors(const T* HWY_RESTRICT y, std::int64_t n) {
  unsigned zero = 0;
  for (std::int64_t i = 0; i < n; ++i) zero |= y[i] == 0;
  if (zero) refuse_zero_divisor();
}
template <class T>
HWY_INLINE T quotient_of(T x, T y) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(static_cast<std::int32_t>(static_cast<float>(x) / static_cast<float>(y)));
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    const double q = static_cast<double>(x) / static_cast<double>(y);
    return static_cast<T>(q >= 0x1p31 ? -0x1p31 : q);  // the least integer over -1 wraps
  } else {
    return static_cast<T>(static_cast<std::int64_t>(static_cast<double>(x) / static_cast<double>(y)));
  }
}
template <class T>
HWY_INLINE T exact_quotient(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y == T{-1}) return Negated::apply(x);
  return static_cast<T>(x / y);
}
// Whether all are below 2^52 in size.
template <class T>
HWY_NOINLINE bool fits_double(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, std::int64_t n) {
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto ux = static_cast<std::uint64_t>(x[i]), uy = static_cast<std::uint64_t>(y[i]);
    if constexpr (std::is_signed_v<T>)
      bits |= (ux ^ static_cast<std::uint64_t>(x[i] >> 63)) | (uy ^ static_cast<std::uint64_t>(y[i] >> 63));
    else
      bits |= ux | uy;
  }
  return bits < std::uint64_t{1} << 52;
}
enum class Part { Quotient, Remainder, FlooredRemainder };
template <Part part, class T>
HWY_INLINE T part_of(T x, T y, T q) {
  if constexpr (part == Part::Quotient) return q;
  using U = std::make_unsigned_t<T>;
  const T r =
      static_cast<T>(Difference::apply(static_cast<U>(x), Product::apply(static_cast<U>(q), static_cast<U>(y))));
  if constexpr (part == Part::FlooredRemainder && std::is_signed_v<T>)
    return static_cast<T>(r + ((r != 0) & ((r ^ y) < 0) ? y : T{0}));
  return r;
}
template <class T, Part part>
void divide(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T* HWY_RESTRICT y = static_cast<const T*>(y_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  check_divisors(y, n);
  if constexpr (sizeof(T) == 8) {
    if (!fits_double(x, y, n)) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = part_of<part>(x[i], y[i], exact_quotient(x[i], y[i]));
      return;
    }
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = part_of<part>(x[i], y[i], quotient_of(x[i], y[i]));
}

// By squaring, for all elements of a block as often as its greatest exponent asks for; powers wrap. A negative exponent
// gives what the fraction is cut to.
template <class T>
HWY_INLINE T inverse_power(T x, T y) {
  if (x == 0) refuse_power_of_zero();
  return x == 1 ? T{1} : x == -1 ? ((y & 1) != 0 ? T{-1} : T{1}) : T{0};
}
// Powers of one exponent, which is not negative, of up to kPowers numbers.
constexpr std::int64_t kPowers = 128;
template <class T>
void same_powers(const T* HWY_RESTRICT x, T exponent, T* HWY_RESTRICT out, std::int64_t n) {
  using U = std::make_unsigned_t<T>;
  if (exponent == 2) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(static_cast<U>(x[i]) * static_cast<U>(x[i]));
    return;
  }
  if (exponent == 3) {
    for (std::int64_t i = 0; i < n; ++i) {
      const U v = static_cast<U>(x[i]);
      out[i] = static_cast<T>(v * v * v);
    }
    return;
  }
  int top = 0;  // the place of the first bit that is set
  while (exponent >> 1 >> top != 0) ++top;
  U result[kPowers];  // the output may lie where x does
  for (std::int64_t i = 0; i < n; ++i) result[i] = exponent == 0 ? U{1} : static_cast<U>(x[i]);
  for (int bit = top - 1; bit >= 0; --bit) {
    const bool is_set = (exponent >> bit & 1) != 0;
    for (std::int64_t i = 0; i < n; ++i) result[i] *= result[i];
    for (std::int64_t i = 0; i < n && is_set; ++i) result[i] *= static_cast<U>(x[i]);
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(result[i]);
}
template <class T>
void integer_powers(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  using U = std::make_unsigned_t<T>;
  constexpr std::int64_t kBlock = kPowers;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T* HWY_RESTRICT y = static_cast<const T*>(y_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  for (; n > 0; n -= kBlock, x += kBlock, y += kBlock, out += kBlock) {
    const std::int64_t m = n < kBlock ? n : kBlock;
    U differs = 0;
    for (std::int64_t i = 0; i < m; ++i) differs |= static_cast<U>(y[i] ^ y[0]);
    if (differs == 0 && y[0] >= 0) {
      same_powers(x, y[0], out, m);
      continue;
    }
    U result[kBlock] = {}, square[kBlock] = {};
    U most = 0, negative = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      const T exponent = y[i] < 0 ? T{0} : y[i];
      negative |= static_cast<U>(y[i] < 0);
      most |= static_cast<U>(exponent);
      square[i] = static_cast<U>(x[i]);
      result[i] = (exponent & 1) != 0 ? square[i] : U{1};
    }
    for (int bit = 1; bit < static_cast<int>(8 * sizeof(T)) && most >> bit != 0; ++bit)
      for (std::int64_t i = 0; i < m; ++i) {
        square[i] *= square[i];
        result[i] *= ((y[i] >> bit) & 1) != 0 ? square[i] : U{1};
      }
    for (std::int64_t i = 0; i < m; ++i) out[i] = static_cast<T>(result[i]);
    for (std::int64_t i = 0; negative != 0 && i < m; ++i)
      if (y[i] < 0) out[i] = inverse_power(x[i], y[i]);
  }
}

// x - y trunc(x / y) is exact in one rounding. A quotient that was rounded up to an integer makes it negative.
template <class T>
void float_remainder(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T* HWY_RESTRICT y = static_cast<const T*>(y_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  unsigned beyond = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double a = std::fabs(static_cast<double>(x[i])), b = std::fabs(static_cast<double>(y[i]));
    const double q = std::trunc(a / b);
    double r = 0;
    if constexpr (std::is_same_v<T, float>) {
      r = a - q * b;
      beyond |= !(q < 0x1p28) | (r != r);
    } else {
      r = std::fma(-q, b, a);
      r += r < 0 ? b : 0.0;
      beyond |= !(q < 0x1p52) | (r != r);
    }
    out[i] = std::copysign(static_cast<T>(r), x[i]);
  }
  if (beyond)
    for (std::int64_t i = 0; i < n; ++i) out[i] = std::fmod(x[i], y[i]);
}

template <class T>
void clip(const void* x_data, const void* bounds, void* out_data, std::int64_t n, float, float) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  const T low = static_cast<const T*>(bounds)[0], high = static_cast<const T*>(bounds)[1];
  if (low != low || high != high) {  // with NaN nothing else comes out
    for (std::int64_t i = 0; i < n; ++i) out[i] = low != low ? low : high;
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    T v = x[i] > low ? x[i] : low;
    v = v < high ? v : high;
    if constexpr (std::is_floating_point_v<T>) v = x[i] != x[i] ? x[i] : v;
    out[i] = v;
  }
}

template <class T>
void shrink(const void* x_data, const void*, void* out_data, std::int64_t n, float a, float b) {
  namespace hn = hwy::HWY_NAMESPACE;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  const T most = static_cast<T>(a), by = static_cast<T>(b);
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto high = hn::Set(d, most), low = hn::Set(d, -most), step = hn::Set(d, by);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto above = hn::IfThenElseZero(hn::Gt(v, high), hn::Sub(v, step));
    hn::StoreU(hn::IfThenElse(hn::Lt(v, low), hn::Add(v, step), above), d, out + i);
  }
  for (; i < n; ++i) out[i] = x[i] < -most ? x[i] + by : x[i] > most ? x[i] - by : T{0};
}

template <class T>
TypedLoop float_loop(TypedOp op) {
  using Byte = std::uint8_t;
  switch (op) {
    case TypedOp::Neg: return unary<T, T, Negated>;
    case TypedOp::Abs: return unary<T, T, Absolute>;
    case TypedOp::Sign: return unary<T, T, SignOf>;
    case TypedOp::Relu: return unary<T, T, Positive>;
    case TypedOp::Floor: return unary<T, T, Down>;
    case TypedOp::Ceil: return unary<T, T, Up>;
    case TypedOp::Round: return unary<T, T, Nearest>;
    case TypedOp::Reciprocal: return unary<T, T, Inverse>;
    case TypedOp::IsNaN: return unary<T, Byte, NotANumber>;
    case TypedOp::IsInf: return infinite<T>;
    case TypedOp::Add: return binary<T, Sum>;
    case TypedOp::Sub: return binary<T, Difference>;
    case TypedOp::Mul: return binary<T, Product>;
    case TypedOp::Div: return binary<T, Quotient>;
    case TypedOp::Max: return binary<T, Larger>;
    case TypedOp::Min: return binary<T, Smaller>;
    case TypedOp::Fmod: return float_remainder<T>;
    case TypedOp::PRelu: return binary<T, Slope>;
    case TypedOp::Clip: return clip<T>;
    case TypedOp::Shrink: return shrink<T>;
    default: return nullptr;
  }
}

// What depends on the size of the type alone has one loop for both signs.
template <class T>
TypedLoop integer_loop(TypedOp op) {
  using U = std::make_unsigned_t<T>;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (op) {
    case TypedOp::BitwiseNot: return unary<U, U, Complement>;
    case TypedOp::Neg: return unary<U, U, Negated>;
    case TypedOp::Abs:
      if constexpr (is_signed) return unary<T, T, Absolute>;
      return unary<U, U, Same>;
    case TypedOp::Relu:
      if constexpr (is_signed) return unary<T, T, Positive>;
      return unary<U, U, Same>;
    case TypedOp::Sign: return unary<T, T, SignOf>;
    case TypedOp::Add: return binary<U, Sum>;
    case TypedOp::Sub: return binary<U, Difference>;
    case TypedOp::Mul: return binary<U, Product>;
    case TypedOp::And: return binary<U, Both>;
    case TypedOp::Or: return binary<U, Either>;
    case TypedOp::Xor: return binary<U, Differing>;
    case TypedOp::ShiftLeft:
      if constexpr (!is_signed) return binary<U, Left>;
      return nullptr;
    case TypedOp::ShiftRight:
      if constexpr (!is_signed) return binary<U, Right>;
      return nullptr;
    case TypedOp::Div: return divide<T, Part::Quotient>;
    case TypedOp::Fmod: return divide<T, Part::Remainder>;
    case TypedOp::Mod: return divide<T, Part::FlooredRemainder>;
    case TypedOp::Max: return binary<T, Larger>;
    case TypedOp::Min: return binary<T, Smaller>;
    case TypedOp::PRelu:
      if constexpr (is_signed) return binary<T, Slope>;
      return nullptr;
    case TypedOp::Pow:
      if constexpr (is_signed && sizeof(T) >= 4) return integer_powers<T>;
      return nullptr;
    case TypedOp::Clip: return clip<T>;
    default: return nullptr;
  }
}

TypedLoop find(TypedOp op, DataType type) {
  switch (type) {
    case DataType::Float: return float_loop<float>(op);
    case DataType::Double: return float_loop<double>(op);
    case DataType::Float16: return half_loop<HalfBits{0x7c00, 0x3c00}>(op);
    case DataType::BFloat16: return half_loop<HalfBits{0x7f80, 0x3f80}>(op);
    case DataType::Int8: return integer_loop<std::int8_t>(op);
    case DataType::Int16: return integer_loop<std::int16_t>(op);
    case DataType::Int32: return integer_loop<std::int32_t>(op);
    case DataType::Int64: return integer_loop<std::int64_t>(op);
    case DataType::Uint8: return integer_loop<std::uint8_t>(op);
    case DataType::Uint16: return integer_loop<std::uint16_t>(op);
    case DataType::Uint32: return integer_loop<std::uint32_t>(op);
    case DataType::Uint64: return integer_loop<std::uint64_t>(op);
    case DataType::Bool:
      switch (op) {
        case TypedOp::Not: return unary<std::uint8_t, std::uint8_t, LogicalNot>;
        default: return nullptr;
      }
    default: return nullptr;
  }
}

template <class T>
TypedLoop loop_with_one(TypedOp op) {
  switch (op) {
    case TypedOp::Add: return binary_with_one<T, Sum>;
    case TypedOp::Sub: return binary_with_one<T, Difference>;
    case TypedOp::Mul: return binary_with_one<T, Product>;
    default: return nullptr;
  }
}

}  // namespace typed
TypedLoop find_typed_loop(TypedOp op, DataType type) { return typed::find(op, type); }
TypedLoop find_loop_with_one(TypedOp op, DataType type) {
  switch (type) {
    case DataType::Double: return typed::loop_with_one<double>(op);
    case DataType::Int32:
    case DataType::Uint32: return typed::loop_with_one<std::uint32_t>(op);
    case DataType::Int64:
    case DataType::Uint64: return typed::loop_with_one<std::uint64_t>(op);
    default: return nullptr;
  }
}
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_typed_loop);
HWY_EXPORT(find_loop_with_one);

TypedLoop typed_loop(TypedOp op, DataType type) {
  if (const TypedLoop loop = typed_function(op, type)) return loop;
  return HWY_DYNAMIC_DISPATCH(find_typed_loop)(op, type);
}
TypedLoop typed_loop_with_one(TypedOp op, DataType type) { return HWY_DYNAMIC_DISPATCH(find_loop_with_one)(op, type); }

}  // namespace norn::kernels
#endif
