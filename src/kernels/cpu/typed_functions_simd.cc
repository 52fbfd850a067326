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

// `within` tells for which elements the vectors' answer is good; `far` is the C library's.

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
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, kDouble<D> ? 700 : 80);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Exp(d, v);
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
struct SinOf {
  template <class D>
  static HWY_INLINE auto within(D d, VecOf<D> v) {
    return below(d, v, 30000);
  }
  template <class D>
  static HWY_INLINE VecOf<D> near(D d, VecOf<D> v) {
    return hn::Sin(d, v);
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
    return hn::Div(hn::Sin(d, v), hn::Cos(d, v));
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

// In double, where exp(y log x) is right to far more than a float holds.
void powers(const float* x, const float* y, float* out, std::int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d), most = hn::Set(d, static_cast<double>(std::numeric_limits<float>::max()));
  const auto scalar = [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) out[i] = std::pow(x[i], y[i]);
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto base = hn::PromoteTo(d, hn::LoadU(half, x + i)), exponent = hn::PromoteTo(d, hn::LoadU(half, y + i));
    if (!hn::AllTrue(d, hn::And(hn::Gt(base, zero), hn::Le(base, most)))) {
      scalar(i, i + lanes);
      continue;
    }
    const auto log = hn::Mul(exponent, hn::Log(d, base));
    if (hn::AllTrue(d, below(d, log, 700)))
      hn::StoreU(hn::DemoteTo(half, hn::Exp(d, log)), half, out + i);
    else
      scalar(i, i + lanes);
  }
  scalar(i, n);
}

}  // namespace functions

void find_powers(const float* x, const float* y, float* out, std::int64_t n) { functions::powers(x, y, out, n); }

TypedLoop find_typed_function(TypedOp op, DataType type) {
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
