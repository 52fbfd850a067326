// The inner loops of element-wise steps for each instruction set; one indirect call handles a whole tile.
#include <cmath>
#include <cstring>

#include "base/fork.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/typed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/steps_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace steps_simd_cc {

template <class Op>
void unary(const float* x, const float*, float* out, std::int64_t n, float a, float b) {
  const F d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V va = hn::Set(d, a), vb = hn::Set(d, b);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V first = Op::apply(hn::LoadU(d, x + i), va, vb);
    const V second = Op::apply(hn::LoadU(d, x + i + lanes), va, vb);
    hn::StoreU(first, d, out + i);
    hn::StoreU(second, d, out + i + lanes);
  }
  for (; i < n; i += lanes) {
    const std::int64_t rest = n - i;
    if (rest >= lanes) {
      hn::StoreU(Op::apply(hn::LoadU(d, x + i), va, vb), d, out + i);
    } else {
      store_tail(Op::apply(load_tail(x + i, rest, 0.0f), va, vb), out + i, rest);
    }
  }
}

template <class Op, Right right>
void binary(const float* x, const float* y, float* out, std::int64_t n, float, float) {
  const F d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V value = hn::Set(d, n > 0 ? y[0] : 0.0f);
  constexpr bool vector = right == Right::Vector || right == Right::VectorSwapped;
  constexpr bool swapped = right == Right::ValueSwapped || right == Right::VectorSwapped;
  auto apply = [&](V vx, V vy) HWY_ATTR { return swapped ? Op::apply(vy, vx) : Op::apply(vx, vy); };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(apply(hn::LoadU(d, x + i), vector ? hn::LoadU(d, y + i) : value), d, out + i);
  if (i < n) {
    const V vy = vector ? load_tail(y + i, n - i, 0.0f) : value;
    store_tail(apply(load_tail(x + i, n - i, 0.0f), vy), out + i, n - i);
  }
}

struct IdentityOp {
  static constexpr ElementOp op = ElementOp::Identity;
  static HWY_INLINE V apply(V x, V, V) { return x; }
};
struct ReluOp {
  static constexpr ElementOp op = ElementOp::Relu;
  static HWY_INLINE V apply(V x, V, V) { return at_least(hn::Zero(F()), x); }
};
struct LeakyReluOp {
  static constexpr ElementOp op = ElementOp::LeakyRelu;
  static HWY_INLINE V apply(V x, V a, V) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(x, a), x); }
};
struct ClipOp {
  static constexpr ElementOp op = ElementOp::Clip;
  static HWY_INLINE V apply(V x, V a, V b) { return at_most(b, at_least(a, x)); }
};
struct AbsOp {
  static constexpr ElementOp op = ElementOp::Abs;
  static HWY_INLINE V apply(V x, V, V) { return hn::Abs(x); }
};
struct NegOp {
  static constexpr ElementOp op = ElementOp::Neg;
  static HWY_INLINE V apply(V x, V, V) { return hn::Neg(x); }
};
struct ExpOp {
  static constexpr ElementOp op = ElementOp::Exp;
  static HWY_INLINE V apply(V x, V, V) { return exp(x); }
};
struct LogOp {
  static constexpr ElementOp op = ElementOp::Log;
  static HWY_INLINE V apply(V x, V, V) { return log(x); }
};
struct SqrtOp {
  static constexpr ElementOp op = ElementOp::Sqrt;
  static HWY_INLINE V apply(V x, V, V) { return hn::Sqrt(x); }
};
struct ReciprocalOp {
  static constexpr ElementOp op = ElementOp::Reciprocal;
  static HWY_INLINE V apply(V x, V, V) { return hn::Div(constant(1.0f), x); }
};
struct ErfOp {
  static constexpr ElementOp op = ElementOp::Erf;
  static HWY_INLINE V apply(V x, V, V) { return erf(x); }
};
struct SigmoidOp {
  static constexpr ElementOp op = ElementOp::Sigmoid;
  static HWY_INLINE V apply(V x, V, V) { return sigmoid(x); }
};
struct TanhOp {
  static constexpr ElementOp op = ElementOp::Tanh;
  static HWY_INLINE V apply(V x, V, V) { return tanh(x); }
};
struct SoftsignOp {
  static constexpr ElementOp op = ElementOp::Softsign;
  static HWY_INLINE V apply(V x, V, V) { return hn::Div(x, hn::Add(constant(1.0f), hn::Abs(x))); }
};
struct HardSigmoidOp {
  static constexpr ElementOp op = ElementOp::HardSigmoid;
  static HWY_INLINE V apply(V x, V a, V b) {
    return at_most(constant(1.0f), at_least(hn::Zero(F()), hn::MulAdd(a, x, b)));
  }
};
struct HardSwishOp {
  static constexpr ElementOp op = ElementOp::HardSwish;
  static HWY_INLINE V apply(V x, V, V) {
    const V gate = hn::MulAdd(x, constant(1.0f / 6.0f), constant(0.5f));
    return hn::Mul(x, at_most(constant(1.0f), at_least(hn::Zero(F()), gate)));
  }
};
struct EluOp {
  static constexpr ElementOp op = ElementOp::Elu;
  static HWY_INLINE V apply(V x, V a, V) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(a, expm1(x)), x); }
};
struct GeluOp {
  static constexpr ElementOp op = ElementOp::Gelu;
  static HWY_INLINE V apply(V x, V, V) {
    const V half = hn::Mul(x, constant(0.5f));
    return hn::CopySign(hn::MulAdd(half, erf(hn::Mul(x, constant(0.70710678f))), half), x);
  }
};
struct GeluTanhOp {
  static constexpr ElementOp op = ElementOp::GeluTanh;
  static HWY_INLINE V apply(V x, V, V) {
    const V half = hn::Mul(x, constant(0.5f));
    const V inner = hn::Mul(x, hn::MulAdd(hn::Mul(x, x), constant(0.7978845608f * 0.044715f), constant(0.7978845608f)));
    return hn::CopySign(hn::MulAdd(half, tanh(inner), half), x);
  }
};
struct SoftplusOp {
  static constexpr ElementOp op = ElementOp::Softplus;
  static HWY_INLINE V apply(V x, V, V) { return softplus(x); }
};
// Of the next three: plain code loses the sign of what becomes 0.
struct FloorOp {
  static constexpr ElementOp op = ElementOp::Floor;
  static HWY_INLINE V apply(V x, V, V) { return hn::CopySign(hn::Floor(x), x); }
};
struct CeilOp {
  static constexpr ElementOp op = ElementOp::Ceil;
  static HWY_INLINE V apply(V x, V, V) { return hn::CopySign(hn::Ceil(x), x); }
};
struct RoundOp {
  static constexpr ElementOp op = ElementOp::Round;
  static HWY_INLINE V apply(V x, V, V) { return hn::CopySign(hn::Round(x), x); }
};
struct SwishOp {
  static constexpr ElementOp op = ElementOp::Swish;
  static HWY_INLINE V apply(V x, V a, V) { return hn::Div(x, hn::Add(constant(1.0f), exp(hn::Neg(hn::Mul(a, x))))); }
};
struct CeluOp {
  static constexpr ElementOp op = ElementOp::Celu;
  static HWY_INLINE V apply(V x, V a, V) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(a, expm1(hn::Div(x, a))), x);
  }
};
struct SeluOp {
  static constexpr ElementOp op = ElementOp::Selu;
  static HWY_INLINE V apply(V x, V a, V b) {
    return hn::Mul(b, hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(a, expm1(x)), x));
  }
};
// x tanh(log(1 + w)) for w = exp(x), as a quotient: w (w + 2) / (w (w + 2) + 2).
struct MishOp {
  static constexpr ElementOp op = ElementOp::Mish;
  static HWY_INLINE V apply(V x, V, V) {
    const V w = exp(at_most(constant(30.0f), x));
    const V n = hn::Mul(w, hn::Add(w, constant(2.0f)));
    return hn::Mul(x, hn::Div(n, hn::Add(n, constant(2.0f))));
  }
};
struct ThresholdedReluOp {
  static constexpr ElementOp op = ElementOp::ThresholdedRelu;
  static HWY_INLINE V apply(V x, V a, V) { return hn::IfThenElseZero(hn::Gt(x, a), x); }
};
struct SignOp {
  static constexpr ElementOp op = ElementOp::Sign;
  static HWY_INLINE V apply(V x, V, V) {
    const V up = hn::IfThenElse(hn::Gt(x, hn::Zero(F())), constant(1.0f), x);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), constant(-1.0f), up);
  }
};

struct AddOp {
  static constexpr ElementOp op = ElementOp::Add;
  static HWY_INLINE V apply(V x, V y) { return hn::Add(x, y); }
};
struct SubOp {
  static constexpr ElementOp op = ElementOp::Sub;
  static HWY_INLINE V apply(V x, V y) { return hn::Sub(x, y); }
};
struct MulOp {
  static constexpr ElementOp op = ElementOp::Mul;
  static HWY_INLINE V apply(V x, V y) { return hn::Mul(x, y); }
};
struct DivOp {
  static constexpr ElementOp op = ElementOp::Div;
  static HWY_INLINE V apply(V x, V y) { return hn::Div(x, y); }
};
struct MaxOp {
  static constexpr ElementOp op = ElementOp::Max;
  static HWY_INLINE V apply(V x, V y) { return maximum(x, y); }
};
struct MinOp {
  static constexpr ElementOp op = ElementOp::Min;
  static HWY_INLINE V apply(V x, V y) { return minimum(x, y); }
};

struct PReluOp {
  static constexpr ElementOp op = ElementOp::PRelu;
  static HWY_INLINE V apply(V x, V y) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(x, y), x); }
};

// Squares and inverses are one rounding from exact, cubes two; other powers see typed_functions_simd.cc.
template <Right right>
void pow_loop(const float* x, const float* y, float* out, std::int64_t n, float, float) {
  const float value = n > 0 ? y[0] : 0.0f;
  if (right == Right::Value) {
    const auto each = [&](auto f) HWY_ATTR {
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(x[i]);
    };
    if (value == 1.0f) return each([](float v) HWY_ATTR { return v; });
    if (value == 2.0f) return each([](float v) HWY_ATTR { return v * v; });
    if (value == 3.0f) return each([](float v) HWY_ATTR { return v * v * v; });
    if (value == -1.0f) return each([](float v) HWY_ATTR { return 1.0f / v; });
  }
  constexpr std::int64_t kPart = 256;
  float values[kPart];
  for (std::int64_t i = 0; i < n; i += kPart) {
    const std::int64_t m = n - i < kPart ? n - i : kPart;
    const float *base = x + i, *exponent = y + i;
    if constexpr (right == Right::Value || right == Right::ValueSwapped) {
      for (std::int64_t k = 0; k < m; ++k) values[k] = value;
      exponent = values;
    }
    if constexpr (right == Right::ValueSwapped || right == Right::VectorSwapped)
      powers_f32(exponent, base, out + i, m);
    else
      powers_f32(base, exponent, out + i, m);
  }
}

struct ScaleAndShiftOp {
  static HWY_INLINE V apply(V x, V a, V b) {
    V product = hn::Mul(x, a);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
    asm("" : "+x"(product.raw));  // otherwise compilers make one operation of both, with one rounding
#endif
    return hn::Add(product, b);
  }
};

void scale_and_shift_each(const float* x, const float* scale, const float* shift, float* out, std::int64_t n) {
  const F d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(ScaleAndShiftOp::apply(hn::LoadU(d, x + i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i)), d,
               out + i);
  if (i < n) {
    const auto tail = [=](const float* from) HWY_ATTR { return load_tail(from + i, n - i, 0.0f); };
    store_tail(ScaleAndShiftOp::apply(tail(x), tail(scale), tail(shift)), out + i, n - i);
  }
}

template <class Op>
void add_unary(StepTableF32& t) {
  static_assert(!is_binary(Op::op));
  for (StepF32& step : t.step[static_cast<int>(Op::op)]) step = unary<Op>;
}
template <class Op>
void add_binary(StepTableF32& t) {
  static_assert(is_binary(Op::op));
  StepF32* steps = t.step[static_cast<int>(Op::op)];
  steps[static_cast<int>(Right::Vector)] = binary<Op, Right::Vector>;
  steps[static_cast<int>(Right::Value)] = binary<Op, Right::Value>;
  steps[static_cast<int>(Right::ValueSwapped)] = binary<Op, Right::ValueSwapped>;
  steps[static_cast<int>(Right::VectorSwapped)] = binary<Op, Right::VectorSwapped>;
}
template <class... Ops>
struct List {};
template <class... Unary, class... Binary>
void add_all(StepTableF32& t, List<Unary...>, List<Binary...>) {
  static_assert(sizeof...(Unary) + sizeof...(Binary) + 1 == kElementOps, "a step for every operation");
  (add_unary<Unary>(t), ...);
  (add_binary<Binary>(t), ...);
}

StepTableF32 steps() {
  StepTableF32 t{};
  add_all(t,
          List<IdentityOp, ReluOp, LeakyReluOp, ClipOp, AbsOp, NegOp, ExpOp, LogOp, SqrtOp, ReciprocalOp, ErfOp,
               SigmoidOp, TanhOp, SoftsignOp, HardSigmoidOp, HardSwishOp, EluOp, CeluOp, SeluOp, GeluOp, GeluTanhOp,
               SoftplusOp, SwishOp, MishOp, ThresholdedReluOp, FloorOp, CeilOp, RoundOp, SignOp>(),
          List<AddOp, SubOp, MulOp, DivOp, MaxOp, MinOp, PReluOp>());
  StepF32* pow = t.step[static_cast<int>(ElementOp::Pow)];
  pow[static_cast<int>(Right::Vector)] = pow_loop<Right::Vector>;
  pow[static_cast<int>(Right::Value)] = pow_loop<Right::Value>;
  pow[static_cast<int>(Right::ValueSwapped)] = pow_loop<Right::ValueSwapped>;
  pow[static_cast<int>(Right::VectorSwapped)] = pow_loop<Right::VectorSwapped>;
  t.scale_and_shift = unary<ScaleAndShiftOp>;
  t.scale_and_shift_each = scale_and_shift_each;
  return t;
}

}  // namespace steps_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(steps);

const StepTableF32& step_table_f32() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(steps)(); });
}

}  // namespace norn::kernels
#endif
