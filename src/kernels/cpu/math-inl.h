// Vector functions of f32 for one Highway target. Polynomials are minimax fits made for the ranges they are used on.
// Errors stay below, in units of the last place of the result: exp 2, log 3, expm1 and sigmoid 4
// (a result below the smallest normal number may become 0), softplus and silu 5 (silu of x < -88.7 may become 0), tanh
// 6, erf 7. gelu is right to 2.5e-7 (|x| + 0.3),
// since its definition cancels for negative x. The tests hold every target to these bounds.
// Trap: what Max and Min make of NaN differs from target to target. at_least and at_most leave it.
#if defined(NORN_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_MATH_INL_H_
#undef NORN_KERNELS_MATH_INL_H_
#else
#define NORN_KERNELS_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using I = hn::RebindToSigned<F>;
using V = hn::Vec<F>;
using VI = hn::Vec<I>;

HWY_INLINE std::int64_t lane_count() { return static_cast<std::int64_t>(hn::Lanes(F())); }
HWY_INLINE V constant(float v) { return hn::Set(F(), v); }

// A vector whose first n elements come from p, the rest `filler`; what lies behind them is not touched. Memory is
// masked where the instruction set does that without a fault: a detour over the stack waits for its own stores. Highway
// says of AVX2 that it may fault, for the sake of types of fewer than 32 bits.
HWY_INLINE V load_tail(const float* p, std::int64_t n, float filler) {
#if HWY_MEM_OPS_MIGHT_FAULT && HWY_TARGET != HWY_AVX2
  HWY_ALIGN float tail[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(constant(filler), F(), tail);
  std::memcpy(tail, p, static_cast<std::size_t>(n) * sizeof(float));
  return hn::Load(F(), tail);
#else
  const auto there = hn::FirstN(F(), static_cast<std::size_t>(n));
  return hn::IfThenElse(there, hn::MaskedLoad(there, F(), p), constant(filler));
#endif
}
HWY_INLINE void store_tail(V v, float* p, std::int64_t n) {
#if HWY_TARGET == HWY_AVX2
  // CPUs by AMD store with a mask in dozens of steps.
  if (n >= lane_count()) return hn::StoreU(v, F(), p);
  __m128 part = _mm256_castps256_ps128(v.raw);
  if ((n & 4) != 0) {
    _mm_storeu_ps(p, part);
    part = _mm256_extractf128_ps(v.raw, 1);
    p += 4;
  }
  if ((n & 2) != 0) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
    part = _mm_movehl_ps(part, part);
    p += 2;
  }
  if ((n & 1) != 0) _mm_store_ss(p, part);
#elif HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float tail[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, F(), tail);
  std::memcpy(p, tail, static_cast<std::size_t>(n) * sizeof(float));
#else
  hn::BlendedStore(v, hn::FirstN(F(), static_cast<std::size_t>(n)), F(), p);
#endif
}

// c0 + x * (c1 + x * (...)).
HWY_INLINE V polynomial(V, float c0) { return constant(c0); }
template <class... C>
HWY_INLINE V polynomial(V x, float c0, C... rest) {
  return hn::MulAdd(polynomial(x, rest...), x, constant(c0));
}

// x86 takes the second operand if either is NaN, or both are zeros.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_INLINE V at_least(V low, V x) { return hn::Max(low, x); }
HWY_INLINE V at_most(V high, V x) { return hn::Min(high, x); }
#else
HWY_INLINE V at_least(V low, V x) { return hn::IfThenElse(hn::Lt(x, low), low, x); }
HWY_INLINE V at_most(V high, V x) { return hn::IfThenElse(hn::Gt(x, high), high, x); }
#endif

HWY_INLINE V power_of_two(VI n) { return hn::BitCast(F(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(I(), 127)))); }

constexpr float kLeastNormal = -87.33654f;  // whose exp() is a normal number

#if HWY_TARGET != HWY_AVX3
// exp(x) without its power of two, 2^n. What is added rounds to the integer n + 127, which are then the low bits of the
// sum: conversions to integers take several instructions for the sake of numbers that are too large for them.
struct UnscaledExp {
  V value;
  VI bits;  // n + kRoundingBits, which end in n + 127

  // Of n from -126 to 128: infinity, if it is 128.
  HWY_INLINE V of_normal() const { return hn::Mul(value, power()); }
  HWY_INLINE V power() const { return hn::BitCast(F(), hn::ShiftLeft<23>(bits)); }
};
constexpr float kRounding = 12582912.0f + 127.0f;         // 1.5 * 2^23 + 127: the last place is 1
constexpr std::int32_t kRoundingBits = 0x4b400000 + 127;  // its bits

HWY_INLINE UnscaledExp unscaled_exp(V x) {
  const V sum = hn::MulAdd(x, constant(1.44269504f), constant(kRounding));
  const V n = hn::Sub(sum, constant(kRounding));
  V r = hn::NegMulAdd(n, constant(0.693359375f), x);
  r = hn::NegMulAdd(n, constant(-2.12194440e-4f), r);
  const V e = polynomial(r, 1.0f, 1.0f, 5.000000095e-01f, 1.666651890e-01f, 4.166620601e-02f, 8.368882434e-03f,
                         1.395047682e-03f);
  return {e, hn::BitCast(I(), sum)};
}
#endif

// What of a result below the smallest normal number remains: it rounded, or 0.
enum class Subnormal { Rounded, Zero };

// Where results that are lost become 0, numbers below the least need no bound; `bounded`: neither do those above 89,
// which do not occur.
template <Subnormal kSubnormal = Subnormal::Rounded, bool bounded = false>
HWY_INLINE V exp(V x) {
  constexpr bool kZero = kSubnormal == Subnormal::Zero;
  constexpr float kLeast = kZero ? kLeastNormal : -104.0f;
  const auto underflows = hn::Lt(x, constant(kLeast));
  if constexpr (!kZero) x = at_least(constant(kLeast), x);
  if constexpr (!bounded) x = at_most(constant(89.0f), x);
#if HWY_TARGET == HWY_AVX3
  const V n = hn::Round(hn::Mul(x, constant(1.44269504f)));
  V r = hn::NegMulAdd(n, constant(0.693359375f), x);
  r = hn::NegMulAdd(n, constant(-2.12194440e-4f), r);
  const V p = polynomial(r, 5.000000095e-01f, 1.666651890e-01f, 4.166620601e-02f, 8.368882434e-03f, 1.395047682e-03f);
  const V e = hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), constant(1.0f));
  const V scaled{_mm512_scalef_ps(e.raw, n.raw)};
#else
  V scaled;
  if constexpr (kZero && bounded) {
    scaled = unscaled_exp(x).of_normal();
  } else {
    // In two factors, so that results near the ends of the exponent's range are rounded and not lost.
    const UnscaledExp e = unscaled_exp(x);
    const VI n = hn::Sub(e.bits, hn::Set(I(), kRoundingBits));
    const VI half = hn::ShiftRight<1>(n);
    scaled = hn::Mul(hn::Mul(e.value, power_of_two(half)), power_of_two(hn::Sub(n, half)));
  }
#endif
  return kZero ? hn::IfThenZeroElse(underflows, scaled) : scaled;
}

// The weights of a softmax before they are divided by their sum; the largest number's is 1. CPUs multiply by subnormal
// ones, which masks of -100 leave, a hundred times as slowly.
HWY_INLINE V softmax_weight(V x) { return exp<Subnormal::Zero, true>(x); }

HWY_INLINE V expm1(V x) {
  const V p = polynomial(x, 5.000000385e-01f, 1.666666399e-01f, 4.166535857e-02f, 8.333579050e-03f, 1.399617716e-03f,
                         1.984980701e-04f);
  const V near = hn::MulAdd(hn::Mul(x, x), p, x);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), constant(0.5f)), near, hn::Sub(exp(x), constant(1.0f)));
}

HWY_INLINE V log(V x) {
  const auto tiny = hn::Lt(x, constant(1.17549435e-38f));
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, constant(8388608.0f)), x);
  // x = 2^e * m with m in [sqrt(1/2), sqrt(2)).
  const VI bits = hn::Sub(hn::BitCast(I(), scaled), hn::Set(I(), 0x3f3504f3));
  const VI e = hn::ShiftRight<23>(bits);
  const V m = hn::BitCast(F(), hn::Add(hn::And(bits, hn::Set(I(), 0x007fffff)), hn::Set(I(), 0x3f3504f3)));
  const V ef = hn::Sub(hn::ConvertTo(F(), e), hn::IfThenElse(tiny, constant(23.0f), hn::Zero(F())));
  const V f = hn::Sub(m, constant(1.0f));
  const V p = polynomial(f, 3.333333171e-01f, -2.500082106e-01f, 2.000122667e-01f, -1.662335648e-01f, 1.420176247e-01f,
                         -1.316019507e-01f, 1.276155034e-01f, -7.634429837e-02f);
  const V f2 = hn::Mul(f, f);
  V r = hn::Mul(hn::Mul(f2, f), p);
  r = hn::MulAdd(ef, constant(-2.12194440e-4f), r);
  r = hn::NegMulAdd(constant(0.5f), f2, r);
  r = hn::MulAdd(ef, constant(0.693359375f), hn::Add(f, r));
  const V inf = constant(__builtin_inff());
  r = hn::IfThenElse(hn::Lt(x, inf), r, x);  // inf and NaN stay
  r = hn::IfThenElse(hn::Eq(x, hn::Zero(F())), hn::Neg(inf), r);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), constant(__builtin_nanf("")), r);
}

// log(1 + u) for u >= 0: the rounding of 1 + u is made good by the quotient.
HWY_INLINE V log1p_positive(V u) {
  const V w = hn::Add(u, constant(1.0f));
  const V d = hn::Sub(w, constant(1.0f));
  const auto lost = hn::Eq(d, hn::Zero(F()));
  return hn::IfThenElse(lost, u, hn::Mul(log(w), hn::Div(u, hn::IfThenElse(lost, constant(1.0f), d))));
}

// x P(x^2) / Q(x^2), fitted by weighted least squares to where the result is less than 1: within 5 units in the last
// place.
HWY_INLINE V tanh(V x) {
  const V one = constant(1.0f), end = constant(9.01f);
  const V size = hn::Abs(x), a = at_most(end, size), z = hn::Mul(a, a);
  const V p = polynomial(z, 1.0f, 1.30831593e-01f, 3.10300395e-03f, 1.11442804e-05f, -2.01840517e-08f, 5.25781248e-11f,
                         -8.43611646e-14f);
  const V q = polynomial(z, 1.0f, 4.64164863e-01f, 2.44913917e-02f, 2.54475479e-04f);
  const V inner = at_most(one, hn::Div(hn::Mul(a, p), q));
  return hn::CopySign(hn::IfThenElse(hn::Ge(size, end), one, inner), x);
}

// As tanh: within 6 units in the last place.
HWY_INLINE V erf(V x) {
  const V one = constant(1.0f), end = constant(3.92f);
  const V size = hn::Abs(x), a = at_most(end, size), z = hn::Mul(a, a);
  const V p =
      polynomial(z, 1.12837917f, 1.90405342e-01f, 5.27485764e-02f, 3.76556878e-03f, 2.84881682e-04f, 2.05009677e-06f);
  const V q = polynomial(z, 1.0f, 5.02075082e-01f, 1.14108648e-01f, 1.49691207e-02f, 1.16252386e-03f, 3.8091758e-05f);
  const V inner = at_most(one, hn::Div(hn::Mul(a, p), q));
  return hn::CopySign(hn::IfThenElse(hn::Ge(size, end), one, inner), x);
}

HWY_INLINE V sigmoid(V x) {
#if HWY_TARGET == HWY_AVX3
  return hn::Div(constant(1.0f), hn::Add(constant(1.0f), exp(hn::Neg(x))));
#else
  // Beside 1, the least normal number and all below it are nothing.
  const UnscaledExp e = unscaled_exp(at_most(constant(89.0f), at_least(constant(kLeastNormal), hn::Neg(x))));
  return hn::Div(constant(1.0f), hn::MulAdd(e.value, e.power(), constant(1.0f)));
#endif
}

HWY_INLINE V softplus(V x) { return hn::Add(at_least(hn::Zero(F()), x), log1p_positive(exp(hn::Neg(hn::Abs(x))))); }

// NaN if either is.
HWY_INLINE V maximum(V x, V y) { return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Gt(x, y)), x, y); }
HWY_INLINE V minimum(V x, V y) { return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Lt(x, y)), x, y); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
