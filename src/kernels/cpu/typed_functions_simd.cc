// Highway's functions of float and double for each instruction set. They hold on a range; a vector with an element
// outside of it goes through the C library's.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/targets.h"
#include "kernels/cpu/typed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/typed_functions_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Behind the target's own headers.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace functions {
namespace hn = hwy::HWY_NAMESPACE;

// `within` says for which elements the vectors' result is exact enough; `far` is the C library's function.

template <class T, class Op>
void function(const void* x_data, const void*, void* out_data, std::int64_t n, float, float) {
  const hn::ScalableTag<T> d;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  T* HWY_RESTRICT out = static_cast<T*>(out_data);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto scalar = [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) out[i] = Op::far(x[i]);
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    if (hn::AllTrue(d, Op::within(d, v)))
      hn::StoreU(Op::near(d, v), d, out + i);
    else
      scalar(i, i + lanes);
  }
  scalar(i, n);
}

template <class D>
using VecOf = hn::Vec<D>;
template <class D>
HWY_INLINE auto below(D d, VecOf<D> v, double most) {
  return hn::Le(hn::Abs(v), hn::Set(d, static_cast<hn::TFromD<D>>(most)));
}
template <class D>
constexpr bool kDouble = std::is_same_v<hn::TFromD<D>, double>;

struct SqrtOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D>) {
    return hn::Eq(hn::Zero(d), hn::Zero(d));
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D, VecOf<D> v) {
    return hn::Sqrt(v);
  }
  template <class T>
  static T far(T x) {
    return std::sqrt(x);
  }
};
struct ExpOf {
  // Below it there is nothing but 0, as of scores that a mask hides.
  template <class D>
  static constexpr auto kNothing = static_cast<hn::TFromD<D>>(kDouble<D> ? -746 : -104);
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return hn::Or(below(d, v, kDouble<D> ? 700 : 80), hn::Lt(v, hn::Set(d, kNothing<D>)));
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    const auto nothing = hn::Set(d, kNothing<D>);
    return hn::IfThenZeroElse(hn::Lt(v, nothing), hn::Exp(d, hn::Max(v, nothing)));
  }
  template <class T>
  static T far(T x) {
    return std::exp(x);
  }
};
struct LogOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    using T = hn::TFromD<D>;
    return hn::And(hn::Ge(v, hn::Set(d, std::numeric_limits<T>::min())),
                   hn::Le(v, hn::Set(d, std::numeric_limits<T>::max())));
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Log(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::log(x);
  }
};
struct SigmoidOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, kDouble<D> ? 700 : 80);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    const auto one = hn::Set(d, hn::TFromD<D>{1});
    return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(v))));
  }
  template <class T>
  static T far(T x) {
    const T e = std::exp(-std::fabs(x));
    return (x < 0 ? e : T{1}) / (T{1} + e);
  }
};
// Highway's makes 0 of -0.
template <class D>
HWY_INLINE VecOf<D> sine(D d, VecOf<D> v) {
  return hn::IfThenElse(hn::Eq(v, hn::Zero(d)), v, hn::Sin(d, v));
}
struct SinOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 30000);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return sine(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::sin(x);
  }
};
struct CosOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 30000);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Cos(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::cos(x);
  }
};
struct TanOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 30000);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Div(sine(d, v), hn::Cos(d, v));
  }
  template <class T>
  static T far(T x) {
    return std::tan(x);
  }
};
struct AsinOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 1);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Asin(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::asin(x);
  }
};
struct AcosOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 1);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Acos(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::acos(x);
  }
};
struct AtanOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 1e30);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Atan(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::atan(x);
  }
};
struct SinhOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, kDouble<D> ? 700 : 80);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Sinh(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::sinh(x);
  }
};
struct CoshOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, kDouble<D> ? 700 : 80);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    const auto half = hn::Set(d, hn::TFromD<D>(0.5));
    const auto e = hn::Exp(d, v);
    return hn::MulAdd(half, e, hn::Div(half, e));
  }
  template <class T>
  static T far(T x) {
    return std::cosh(x);
  }
};
struct TanhOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, kDouble<D> ? 300 : 40);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Tanh(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::tanh(x);
  }
};
struct AsinhOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 1e30);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Asinh(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::asinh(x);
  }
};
struct AcoshOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return hn::And(hn::Ge(v, hn::Set(d, hn::TFromD<D>{1})), below(d, v, 1e30));
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Acosh(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::acosh(x);
  }
};
struct AtanhOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return hn::Lt(hn::Abs(v), hn::Set(d, hn::TFromD<D>{1}));
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Atanh(d, v);
  }
  template <class T>
  static T far(T x) {
    return std::atanh(x);
  }
};

template <class T>
TypedLoop function_of(TypedOp op) {
  switch (op) {
    case TypedOp::Sqrt: return function<T, SqrtOf>;
    case TypedOp::Exp: return function<T, ExpOf>;
    case TypedOp::Log: return function<T, LogOf>;
    case TypedOp::Sigmoid: return function<T, SigmoidOf>;
    case TypedOp::Sin: return function<T, SinOf>;
    case TypedOp::Cos: return function<T, CosOf>;
    case TypedOp::Tan: return function<T, TanOf>;
    case TypedOp::Asin: return function<T, AsinOf>;
    case TypedOp::Acos: return function<T, AcosOf>;
    case TypedOp::Atan: return function<T, AtanOf>;
    case TypedOp::Sinh: return function<T, SinhOf>;
    case TypedOp::Cosh: return function<T, CoshOf>;
    case TypedOp::Tanh: return function<T, TanhOf>;
    case TypedOp::Asinh: return function<T, AsinhOf>;
    case TypedOp::Acosh: return function<T, AcoshOf>;
    case TypedOp::Atanh: return function<T, AtanhOf>;
    default: return nullptr;
  }
}

// Plain code makes the greatest float of what is beyond it, not infinity.
constexpr double kMostLog2 = HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR ? 127 : 1000;
// Powers of a negative base are those of its size, negative for odd exponents, and NaN for those that are not integers.
template <class D, class V>
HWY_INLINE V of_sign(D d, V base, V exponent, V power) {
  const auto negative = hn::Lt(base, hn::Zero(d));
  if (hn::AllFalse(d, negative)) return power;
  const V halved = hn::Mul(exponent, hn::Set(d, 0.5));
  const auto odd = hn::Ne(hn::Round(halved), halved), whole = hn::Eq(hn::Round(exponent), exponent);
  const V signed_power = hn::IfThenElse(odd, hn::Neg(power), power);
  return hn::IfThenElse(negative, hn::IfThenElse(whole, signed_power, hn::NaN(d)), power);
}
// 2^(y log2 x) in double, to 2^-34: of x = 2^k m, m in [sqrt(1/2), sqrt(2)), and |y log2 x| at most 1000.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log2_of(D d, V k, V m) {
  // log2 m = 2 / log 2 (f + f^3 / 3 + f^5 / 5 ...), f = (m - 1) / (m + 1).
  const V one = hn::Set(d, 1.0);
  const V f = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  constexpr double kFactor = 2 * 1.4426950408889634;
  const auto term = [d](int odd) HWY_ATTR { return hn::Set(d, kFactor / odd); };
  const V square = hn::Mul(f, f), fourth = hn::Mul(square, square);
  const V first = hn::MulAdd(square, term(3), term(1)), second = hn::MulAdd(square, term(7), term(5));
  const V third = hn::MulAdd(square, term(11), term(9)), last = hn::MulAdd(square, term(15), term(13));
  const V low = hn::MulAdd(fourth, second, first), high = hn::MulAdd(fourth, last, third);
  return hn::MulAdd(f, hn::MulAdd(hn::Mul(fourth, fourth), high, low), k);
}
// 2^r = the sum of these times r^n.
struct TermsOfTwo {
  double of[10] = {1};
  constexpr TermsOfTwo() {
    for (int n = 1; n < 10; ++n) of[n] = of[n - 1] * 0.6931471805599453 / n;
  }
};
constexpr TermsOfTwo kTermsOfTwo;
template <class D, class V = hn::Vec<D>>
HWY_INLINE V two_to(D d, V t) {
  // An integer is in the last bits of this sum, which it rounds to.
  const V whole = hn::Set(d, 0x1.8p52), sum = hn::Add(t, whole);
  const V r = hn::Sub(t, hn::Sub(sum, whole));
  const auto term = [d](int n) HWY_ATTR { return hn::Set(d, kTermsOfTwo.of[n]); };
  const V square = hn::Mul(r, r), fourth = hn::Mul(square, square);
  const V low = hn::MulAdd(square, hn::MulAdd(r, term(3), term(2)), hn::MulAdd(r, term(1), term(0)));
  const V high = hn::MulAdd(square, hn::MulAdd(r, term(7), term(6)), hn::MulAdd(r, term(5), term(4)));
  const V last = hn::MulAdd(r, term(9), term(8));
  const V power = hn::MulAdd(fourth, hn::MulAdd(fourth, last, high), low);
  const hn::RebindToSigned<D> bits;
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, power), hn::ShiftLeft<52>(hn::BitCast(bits, sum))));
}
// In double, where the logarithm is right to far more than a float holds.
void powers(const float* x, const float* y, float* out, std::int64_t n) {
  const auto scalar = [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) out[i] = std::pow(x[i], y[i]);
  };
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> f;
  const hn::RebindToSigned<decltype(f)> fi;
  const hn::Half<decltype(f)> half;
  const hn::Half<decltype(fi)> half_integers;
  const hn::Repartition<double, decltype(f)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(f));
  const auto least = hn::Set(f, std::numeric_limits<float>::min()),
             most = hn::Set(f, std::numeric_limits<float>::max());
  const auto root = hn::Set(fi, 0x3F3504F3);  // sqrt(1/2)
  for (; i + lanes <= n; i += lanes) {
    const auto base = hn::LoadU(f, x + i), exponent = hn::LoadU(f, y + i), size = hn::Abs(base);
    const auto bits = hn::BitCast(fi, size);
    const auto k = hn::ShiftRight<23>(hn::Sub(bits, root));
    const auto m = hn::BitCast(f, hn::Sub(bits, hn::ShiftLeft<23>(k)));
    const auto low = hn::Mul(
        hn::PromoteTo(d, hn::LowerHalf(half, exponent)),
        log2_of(d, hn::PromoteTo(d, hn::LowerHalf(half_integers, k)), hn::PromoteTo(d, hn::LowerHalf(half, m))));
    const auto high = hn::Mul(
        hn::PromoteTo(d, hn::UpperHalf(half, exponent)),
        log2_of(d, hn::PromoteTo(d, hn::UpperHalf(half_integers, k)), hn::PromoteTo(d, hn::UpperHalf(half, m))));
    const auto is_normal = hn::And(hn::Ge(size, least), hn::Le(size, most));
    const auto farthest = hn::Max(hn::Abs(low), hn::Abs(high));
    if (!hn::AllTrue(f, hn::And(is_normal, hn::Le(hn::Abs(exponent), most))) ||
        !hn::AllTrue(d, hn::Le(farthest, hn::Set(d, kMostLog2)))) {
      scalar(i, i + lanes);
      continue;
    }
    const auto power = hn::Combine(f, hn::DemoteTo(half, two_to(d, high)), hn::DemoteTo(half, two_to(d, low)));
    hn::StoreU(of_sign(f, base, exponent, power), f, out + i);
  }
#endif
  scalar(i, n);
}

#if HWY_NATIVE_FMA
// Powers in double as exp(y log x): the logarithm and its product with y have some ten bits more than a double, so that
// powers are right to 1 ulp, and integers are exact.

using D = hn::ScalableTag<double>;
using VD = hn::Vec<D>;
// A number as two: `high` is it rounded.
struct Pair {
  VD high, low;
};
HWY_INLINE VD number(double v) { return hn::Set(D(), v); }
// a + b, where a is 0 or not of a lesser binary exponent than b.
HWY_INLINE Pair exact_sum(VD a, VD b) {
  const VD sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}
// log 2: 42 bits, which times an exponent are exact, and the rest.
constexpr double kLog2 = 0x1.62e42fefa38p-1, kLog2Rest = 0x1.ef35793c7673p-45;

// Of x in [2^-1022, 2^1024).
HWY_INLINE Pair precise_log(VD x) {
  const D d;
  const hn::RebindToSigned<D> di;
  // x = 2^k m, m in [sqrt(1/2), sqrt(2)).
  const auto bits = hn::BitCast(di, x);
  const auto above_root = hn::Sub(bits, hn::Set(di, std::int64_t{0x3FE6A09E667F3BCD}));
  const auto exponent = hn::ShiftRight<52>(above_root);
  const VD k = hn::ConvertTo(d, exponent);
  const VD m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  // log m = 2 f + 2/3 f^3 + 2/5 f^5 ..., f = (m - 1) / (m + 1).
  const VD one = number(1), above = hn::Sub(m, one);
  const Pair sum = exact_sum(one, m);
  const VD f = hn::Div(above, sum.high);
  const VD f_low = hn::Div(hn::NegMulAdd(f, sum.low, hn::NegMulAdd(f, sum.high, above)), sum.high);
  const VD square = hn::Mul(f, f), cube = hn::Mul(square, f);
  const VD cube_low = hn::MulAdd(hn::MulSub(f, f, square), f,
                                 hn::MulAdd(hn::Mul(square, number(3)), f_low, hn::MulSub(square, f, cube)));
  const VD two_thirds = number(2.0 / 3), third = hn::Mul(cube, two_thirds);
  const VD third_low = hn::MulAdd(cube_low, two_thirds,
                                  hn::MulAdd(cube, number(0x1.5555555555555p-55), hn::MulSub(cube, two_thirds, third)));
  // Two halves of the polynomial beside each other.
  const VD fourth = hn::Mul(square, square);
  VD tail = number(2.0 / 25), odd_tail = number(2.0 / 23);
  for (int odd = 21; odd >= 5; odd -= 4) tail = hn::MulAdd(tail, fourth, number(2.0 / odd));
  for (int odd = 19; odd >= 7; odd -= 4) odd_tail = hn::MulAdd(odd_tail, fourth, number(2.0 / odd));
  tail = hn::MulAdd(odd_tail, square, tail);
  // From the least terms on.
  const Pair first = exact_sum(hn::Mul(k, number(kLog2)), hn::Add(f, f)), second = exact_sum(first.high, third);
  VD low = hn::MulAdd(k, number(kLog2Rest), hn::Add(hn::Add(f_low, f_low), third_low));
  low = hn::MulAdd(hn::Mul(cube, square), tail, low);
  return exact_sum(second.high, hn::Add(low, hn::Add(first.low, second.low)));
}

struct InverseFactorials {
  double of[15] = {1};
  constexpr InverseFactorials() {
    double factorial = 1;
    for (int i = 1; i < 15; ++i) of[i] = 1 / (factorial *= i);
  }
  constexpr double operator[](int i) const { return of[i]; }
};
constexpr InverseFactorials kInverseFactorials;

// Of at most 700 in size.
HWY_INLINE VD precise_exp(Pair p) {
  const D d;
  const hn::RebindToSigned<D> di;
  const VD k = hn::Round(hn::Mul(p.high, number(1.4426950408889634)));
  const Pair r = exact_sum(hn::NegMulAdd(k, number(kLog2), p.high), hn::NegMulAdd(k, number(kLog2Rest), p.low));
  // 1 + (r + r^2 (1 / 2! + r / 3! + ... + r^12 / 14!)).
  const VD square = hn::Mul(r.high, r.high);
  VD sum = number(kInverseFactorials[14]), odd_sum = number(kInverseFactorials[13]);
  for (int i = 12; i >= 2; i -= 2) {
    sum = hn::MulAdd(sum, square, number(kInverseFactorials[i]));
    if (i > 2) odd_sum = hn::MulAdd(odd_sum, square, number(kInverseFactorials[i - 1]));
  }
  sum = hn::MulAdd(odd_sum, r.high, sum);
  const VD e = hn::Add(number(1), hn::Add(r.high, hn::MulAdd(square, sum, r.low)));
  return hn::Mul(e, hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(hn::ConvertTo(di, k), hn::Set(di, std::int64_t{1023})))));
}
#endif

// The power 1/2, which is not the root where x is -0 or -infinity.
void roots(const double* x, double* out, std::int64_t n) {
  const hn::CappedTag<double, HWY_MAX_BYTES / sizeof(double)> d;
  const hn::CappedTag<double, 1> one;
  const auto root = [&](auto tag, std::int64_t i) HWY_ATTR {
    const auto v = hn::LoadU(tag, x + i), infinity = hn::Set(tag, std::numeric_limits<double>::infinity());
    const auto raised = hn::IfThenElse(hn::Eq(v, hn::Neg(infinity)), infinity, hn::Add(v, hn::Zero(tag)));
    hn::StoreU(hn::Sqrt(raised), tag, out + i);
  };
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) root(d, i);
  for (; i < n; ++i) root(one, i);
}

void powers_f64(const void* x_data, const void* y_data, void* out_data, std::int64_t n, float, float) {
  const double* HWY_RESTRICT x = static_cast<const double*>(x_data);
  const double* HWY_RESTRICT y = static_cast<const double*>(y_data);
  double* HWY_RESTRICT out = static_cast<double*>(out_data);
  if (n > 0 && (y[0] == 2 || y[0] == 3 || y[0] == -1 || y[0] == 0.5)) {  // of all elements, as a rule
    unsigned differs = 0;
    for (std::int64_t k = 1; k < n; ++k) differs |= y[k] != y[0];
    if (!differs) {
      const double exponent = y[0];
      if (exponent == 0.5) return roots(x, out, n);
      for (std::int64_t k = 0; k < n; ++k)
        out[k] = exponent < 0 ? 1 / x[k] : exponent == 2 ? x[k] * x[k] : x[k] * x[k] * x[k];
      return;
    }
  }
  std::int64_t i = 0;
#if HWY_NATIVE_FMA
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    const VD base = hn::LoadU(d, x + i), exponent = hn::LoadU(d, y + i), size = hn::Abs(base);
    const auto is_normal = hn::And(hn::Ge(size, number(std::numeric_limits<double>::min())),
                                   hn::Le(size, number(std::numeric_limits<double>::max())));
    const Pair log = precise_log(size);
    const VD power = hn::Mul(exponent, log.high);
    if (hn::AllTrue(d, hn::And(is_normal, below(d, power, 700)))) {
      const VD low = hn::MulAdd(exponent, log.low, hn::MulSub(exponent, log.high, power));
      hn::StoreU(of_sign(d, base, exponent, precise_exp({power, low})), d, out + i);
    } else {
      for (std::int64_t l = i; l < i + lanes; ++l) out[l] = std::pow(x[l], y[l]);
    }
  }
#endif
  for (; i < n; ++i) out[i] = std::pow(x[i], y[i]);
}

}  // namespace functions

void find_powers(const float* x, const float* y, float* out, std::int64_t n) { functions::powers(x, y, out, n); }

TypedLoop find_typed_function(TypedOp op, DataType type) {
  if (op == TypedOp::Pow) return type == DataType::Double ? functions::powers_f64 : nullptr;
  if (type == DataType::Float) return functions::function_of<float>(op);
  if (type == DataType::Double) return functions::function_of<double>(op);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_typed_function);
HWY_EXPORT(find_powers);

void powers_f32(const float* x, const float* y, float* out, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(find_powers)(x, y, out, n);
}

TypedLoop typed_function(TypedOp op, DataType type) { return HWY_DYNAMIC_DISPATCH(find_typed_function)(op, type); }

}  // namespace norn::kernels
#endif
