// The inner loops of element-wise steps for each instruction set; one indirect call handles a whole tile.
#include <cmath>
#include <cstring>

#include "base/fork.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/steps_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

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
  static HWY_INLINE V apply(V x, V, V) { return x; }
};
struct ReluOp {
  static HWY_INLINE V apply(V x, V, V) { return at_least(hn::Zero(F()), x); }
};
struct LeakyReluOp {
  static HWY_INLINE V apply(V x, V a, V) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(x, a), x); }
};
struct ClipOp {
  static HWY_INLINE V apply(V x, V a, V b) { return at_most(b, at_least(a, x)); }
};
struct AbsOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Abs(x); }
};
struct NegOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Neg(x); }
};
struct ExpOp {
  static HWY_INLINE V apply(V x, V, V) { return exp(x); }
};
struct LogOp {
  static HWY_INLINE V apply(V x, V, V) { return log(x); }
};
struct SqrtOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Sqrt(x); }
};
struct ReciprocalOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Div(constant(1.0f), x); }
};
struct ErfOp {
  static HWY_INLINE V apply(V x, V, V) { return erf(x); }
};
struct SigmoidOp {
  static HWY_INLINE V apply(V x, V, V) { return sigmoid(x); }
};
struct TanhOp {
  static HWY_INLINE V apply(V x, V, V) { return tanh(x); }
};
struct SoftsignOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Div(x, hn::Add(constant(1.0f), hn::Abs(x))); }
};
struct HardSigmoidOp {
  static HWY_INLINE V apply(V x, V a, V b) {
    return at_most(constant(1.0f), at_least(hn::Zero(F()), hn::MulAdd(a, x, b)));
  }
};
struct HardSwishOp {
  static HWY_INLINE V apply(V x, V, V) {
    const V gate = hn::MulAdd(x, constant(1.0f / 6.0f), constant(0.5f));
    return hn::Mul(x, at_most(constant(1.0f), at_least(hn::Zero(F()), gate)));
  }
};
struct EluOp {
  static HWY_INLINE V apply(V x, V a, V) { return hn::IfThenElse(hn::Lt(x, hn::Zero(F())), hn::Mul(a, expm1(x)), x); }
};
struct GeluOp {
  static HWY_INLINE V apply(V x, V, V) {
    const V half = hn::Mul(x, constant(0.5f));
    return hn::MulAdd(half, erf(hn::Mul(x, constant(0.70710678f))), half);
  }
};
struct GeluTanhOp {
  static HWY_INLINE V apply(V x, V, V) {
    const V half = hn::Mul(x, constant(0.5f));
    const V inner = hn::Mul(x, hn::MulAdd(hn::Mul(x, x), constant(0.7978845608f * 0.044715f), constant(0.7978845608f)));
    return hn::MulAdd(half, tanh(inner), half);
  }
};
struct SoftplusOp {
  static HWY_INLINE V apply(V x, V, V) { return softplus(x); }
};
struct FloorOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Floor(x); }
};
struct CeilOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Ceil(x); }
};
struct SiluOp {
  static HWY_INLINE V apply(V x, V, V) { return hn::Div(x, hn::Add(constant(1.0f), exp(hn::Neg(x)))); }
};

struct AddOp {
  static HWY_INLINE V apply(V x, V y) { return hn::Add(x, y); }
};
struct SubOp {
  static HWY_INLINE V apply(V x, V y) { return hn::Sub(x, y); }
};
struct MulOp {
  static HWY_INLINE V apply(V x, V y) { return hn::Mul(x, y); }
};
struct DivOp {
  static HWY_INLINE V apply(V x, V y) { return hn::Div(x, y); }
};
struct MaxOp {
  static HWY_INLINE V apply(V x, V y) { return maximum(x, y); }
};
struct MinOp {
  static HWY_INLINE V apply(V x, V y) { return minimum(x, y); }
};

// The common exponents are exact or one rounding from it; others are the C library's.
float power(float x, float y) { return y == 2.0f ? x * x : y == 1.0f ? x : std::pow(x, y); }
template <Right right>
void pow_loop(const float* x, const float* y, float* out, std::int64_t n, float, float) {
  const float value = n > 0 ? y[0] : 0.0f;
  if (right == Right::Value && value == 2.0f) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (right == Right::Vector) out[i] = power(x[i], y[i]);
    if (right == Right::Value) out[i] = power(x[i], value);
    if (right == Right::ValueSwapped) out[i] = power(value, x[i]);
    if (right == Right::VectorSwapped) out[i] = power(y[i], x[i]);
  }
}

void set_binary(StepTableF32& t, ElementOp op, Right right, StepF32 f) {
  t.binary[static_cast<int>(op) - static_cast<int>(ElementOp::Add)][static_cast<int>(right)] = f;
}
template <class Op>
void fill(StepTableF32& t, ElementOp op) {
  set_binary(t, op, Right::Vector, binary<Op, Right::Vector>);
  set_binary(t, op, Right::Value, binary<Op, Right::Value>);
  set_binary(t, op, Right::ValueSwapped, binary<Op, Right::ValueSwapped>);
  set_binary(t, op, Right::VectorSwapped, binary<Op, Right::VectorSwapped>);
}

StepTableF32 steps() {
  StepTableF32 t{};
  auto set = [&](ElementOp op, StepF32 f) { t.unary[static_cast<int>(op)] = f; };
  set(ElementOp::Identity, unary<IdentityOp>);
  set(ElementOp::Relu, unary<ReluOp>);
  set(ElementOp::LeakyRelu, unary<LeakyReluOp>);
  set(ElementOp::Clip, unary<ClipOp>);
  set(ElementOp::Abs, unary<AbsOp>);
  set(ElementOp::Neg, unary<NegOp>);
  set(ElementOp::Exp, unary<ExpOp>);
  set(ElementOp::Log, unary<LogOp>);
  set(ElementOp::Sqrt, unary<SqrtOp>);
  set(ElementOp::Reciprocal, unary<ReciprocalOp>);
  set(ElementOp::Erf, unary<ErfOp>);
  set(ElementOp::Sigmoid, unary<SigmoidOp>);
  set(ElementOp::Tanh, unary<TanhOp>);
  set(ElementOp::Softsign, unary<SoftsignOp>);
  set(ElementOp::HardSigmoid, unary<HardSigmoidOp>);
  set(ElementOp::HardSwish, unary<HardSwishOp>);
  set(ElementOp::Elu, unary<EluOp>);
  set(ElementOp::Gelu, unary<GeluOp>);
  set(ElementOp::GeluTanh, unary<GeluTanhOp>);
  set(ElementOp::Softplus, unary<SoftplusOp>);
  set(ElementOp::Floor, unary<FloorOp>);
  set(ElementOp::Ceil, unary<CeilOp>);
  set(ElementOp::Silu, unary<SiluOp>);
  fill<AddOp>(t, ElementOp::Add);
  fill<SubOp>(t, ElementOp::Sub);
  fill<MulOp>(t, ElementOp::Mul);
  fill<DivOp>(t, ElementOp::Div);
  fill<MaxOp>(t, ElementOp::Max);
  fill<MinOp>(t, ElementOp::Min);
  set_binary(t, ElementOp::Pow, Right::Vector, pow_loop<Right::Vector>);
  set_binary(t, ElementOp::Pow, Right::Value, pow_loop<Right::Value>);
  set_binary(t, ElementOp::Pow, Right::ValueSwapped, pow_loop<Right::ValueSwapped>);
  set_binary(t, ElementOp::Pow, Right::VectorSwapped, pow_loop<Right::VectorSwapped>);
  return t;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(steps);

const StepTableF32& step_table_f32() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(steps)(); });
}

double step_cost_ns(ElementOp op) {
  switch (op) {
    case ElementOp::Exp:
    case ElementOp::Log:
    case ElementOp::Erf:
    case ElementOp::Sigmoid:
    case ElementOp::Tanh:
    case ElementOp::Elu:
    case ElementOp::Gelu:
    case ElementOp::GeluTanh:
    case ElementOp::Silu: return 0.5;
    case ElementOp::Softplus: return 1.0;
    case ElementOp::Pow: return 10.0;
    default: return 0.06;
  }
}

}  // namespace norn::kernels
#endif
