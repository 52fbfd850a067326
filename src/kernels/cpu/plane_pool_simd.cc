// Folds of rows and of windows within a row for each instruction set.
#include <type_traits>

#include "kernels/cpu/plain_targets.h"
#include "kernels/cpu/plane_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plane_pool_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace planes {

namespace hn = hwy::HWY_NAMESPACE;

// NaN wins.
struct Most {
  template <class T>
  static HWY_INLINE T fold(T a, T b) {
    const T v = a > b ? a : b;
    if constexpr (std::is_floating_point_v<T>) return a != a ? a : v;
    return v;
  }
  template <class D, class V>
  static HWY_INLINE V fold(D, V a, V b) {
    if constexpr (!std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::Max(a, b);
    } else {
#if HWY_TARGET == HWY_SCALAR
      return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
#else
      // x86's Max gives the second operand where one is NaN; what is asked of b alone waits for no fold before.
      return hn::IfThenElse(hn::IsNaN(b), b, hn::Max(b, a));
#endif
    }
  }
};
struct Total {
  template <class T>
  static HWY_INLINE T fold(T a, T b) {
    return static_cast<T>(a + b);
  }
  template <class D, class V>
  static HWY_INLINE V fold(D, V a, V b) {
    return hn::Add(a, b);
  }
};

// The fold of vectors `step` elements apart. kCount: how many, if it is known, else 0.
template <class Op, std::int64_t kCount, class D, class T>
HWY_INLINE hn::Vec<D> folded(D d, const T* from, std::int64_t step, std::int64_t count) {
  auto v = hn::LoadU(d, from);
  if constexpr (kCount == 0) {
    for (std::int64_t k = 1; k < count; ++k) v = Op::fold(d, v, hn::LoadU(d, from + k * step));
  } else {
    v = Op::fold(d, v, hn::LoadU(d, from + step));
    if constexpr (kCount == 3) v = Op::fold(d, v, hn::LoadU(d, from + 2 * step));
  }
  return v;
}

// What is folded is multiplied by `scales` unless they are null.
template <class Op, std::int64_t kCount, class D, class T>
HWY_INLINE void vector_of_rows(D d, const T* from, std::int64_t step, std::int64_t count, T* out,
                               const T* scales = nullptr) {
  auto v = folded<Op, kCount>(d, from, step, count);
  if constexpr (std::is_floating_point_v<T>)
    if (scales != nullptr) v = hn::Mul(v, hn::LoadU(d, scales));
  hn::StoreU(v, d, out);
}
template <class Op, class T>
HWY_INLINE void one_of_rows(const T* from, std::int64_t step, std::int64_t count, T* out) {
  // A scalar comparison of floats becomes a branch that cannot be predicted.
  if constexpr (std::is_floating_point_v<T>)
    return vector_of_rows<Op, 0>(hn::CappedTag<T, 1>(), from, step, count, out);
  T v = *from;
  for (std::int64_t k = 1; k < count; ++k) v = Op::fold(v, from[k * step]);
  *out = v;
}
template <class Op, std::int64_t kCount, class T>
HWY_INLINE void rows_of(const T* from, std::int64_t step, std::int64_t count, T* out, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 16 / sizeof(T)> few;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d)), narrow = static_cast<std::int64_t>(hn::Lanes(few));
  std::int64_t i = 0;
  for (; i + width <= n; i += width) vector_of_rows<Op, kCount>(d, from + i, step, count, out + i);
  if (i == n) return;
  // What is left of the last vector overlaps the one before, whose results are the same unless out is where from is.
  if (n >= width && out != from) return vector_of_rows<Op, kCount>(d, from + n - width, step, count, out + n - width);
  for (; i + narrow <= n; i += narrow) vector_of_rows<Op, kCount>(few, from + i, step, count, out + i);
  for (; i < n; ++i) one_of_rows<Op>(from + i, step, count, out + i);
}
template <class Op, class T>
void rows(const T* from, std::int64_t step, std::int64_t count, T* out, std::int64_t n) {
  if (count == 2) return rows_of<Op, 2>(from, step, count, out, n);
  if (count == 3) return rows_of<Op, 3>(from, step, count, out, n);
  rows_of<Op, 0>(from, step, count, out, n);
}

template <std::int64_t kCount, class T>
HWY_INLINE void scaled_rows_of(const T* from, std::int64_t step, std::int64_t count, const T* scales, T* out,
                               std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  const auto strip = [=](auto tag, std::int64_t i)
                         HWY_ATTR { vector_of_rows<Total, kCount>(tag, from + i, step, count, out + i, scales + i); };
  std::int64_t i = 0;
  for (; i + width <= n; i += width) strip(d, i);
  if (i == n) return;
  if (n >= width) return strip(d, n - width);  // overlaps the vector before
  for (; i < n; ++i) strip(hn::CappedTag<T, 1>(), i);
}
template <class T>
void scaled_rows(const T* from, std::int64_t step, std::int64_t count, const T* scales, T* out, std::int64_t n) {
  if (count == 2) return scaled_rows_of<2>(from, step, count, scales, out, n);
  if (count == 3) return scaled_rows_of<3>(from, step, count, scales, out, n);
  scaled_rows_of<0>(from, step, count, scales, out, n);
}

template <class T>
void divide(T* HWY_RESTRICT out, const T* HWY_RESTRICT counts, T rows, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] /= rows * counts[i];
}

template <class T>
void scale(T* HWY_RESTRICT out, const T* HWY_RESTRICT scales, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] *= scales[i];
}

// Windows of two or three neighbours, two elements apart.
template <class Op, class D, class T>
HWY_INLINE void vector_by_two(D d, const T* from, std::int64_t window, T* out) {
  hn::Vec<D> a, b;
  hn::LoadInterleaved2(d, from, a, b);
  auto v = Op::fold(d, a, b);
  if (window == 3) {
    hn::LoadInterleaved2(d, from + 2, a, b);
    v = Op::fold(d, v, a);
  }
  hn::StoreU(v, d, out);
}
template <class Op, class T>
void by_two(const T* from, T* out, std::int64_t n, std::int64_t window) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 16 / sizeof(T)> few;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d)), narrow = static_cast<std::int64_t>(hn::Lanes(few));
  const std::int64_t whole = window == 3 ? n - 1 : n;  // the last vector reads one element more than its windows have
  std::int64_t i = 0;
  for (; i + width <= whole; i += width) vector_by_two<Op>(d, from + 2 * i, window, out + i);
  if (i < whole && whole >= width) {  // overlaps the vector before
    vector_by_two<Op>(d, from + 2 * (whole - width), window, out + whole - width);
    i = whole;
  }
  for (; i + narrow <= whole; i += narrow) vector_by_two<Op>(few, from + 2 * i, window, out + i);
  for (; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      one_of_rows<Op>(from + 2 * i, 1, window, out + i);
    } else {
      const T v = Op::fold(from[2 * i], from[2 * i + 1]);
      out[i] = window == 3 ? Op::fold(v, from[2 * i + 2]) : v;
    }
  }
}

template <class Op, std::int64_t kStride, class T>
void strided(const T* HWY_RESTRICT from, T* HWY_RESTRICT out, std::int64_t n, std::int64_t stride, std::int64_t window,
             std::int64_t dilation) {
  const std::int64_t step = kStride == 0 ? stride : kStride;
  if (window == 2) {
    const T* HWY_RESTRICT b = from + dilation;
    for (std::int64_t i = 0; i < n; ++i) out[i] = Op::fold(from[i * step], b[i * step]);
    return;
  }
  if (window == 3) {
    const T *HWY_RESTRICT b = from + dilation, *HWY_RESTRICT c = b + dilation;
    for (std::int64_t i = 0; i < n; ++i) out[i] = Op::fold(Op::fold(from[i * step], b[i * step]), c[i * step]);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = from[i * step];
  for (std::int64_t k = 1; k < window; ++k) {
    const T* HWY_RESTRICT b = from + k * dilation;
    for (std::int64_t i = 0; i < n; ++i) out[i] = Op::fold(out[i], b[i * step]);
  }
}
template <class Op, class T>
void windows(const T* from, T* out, std::int64_t n, std::int64_t stride, std::int64_t window, std::int64_t dilation) {
  if (stride == 1)
    rows<Op>(from, dilation, window, out, n);
  else if (stride == 2 && dilation == 1 && (window == 2 || window == 3))
    by_two<Op>(from, out, n, window);
  else if (stride == 2)
    strided<Op, 2>(from, out, n, stride, window, dilation);
  else
    strided<Op, 0>(from, out, n, stride, window, dilation);
}

// Vectors of `d` of each window, as far as whole ones go from `at` on.
template <class Op, std::int64_t kCount, class D, class T>
HWY_INLINE std::int64_t strip(D d, const T* from, std::int64_t step, std::int64_t count, T factor, bool scales, T* out,
                              std::int64_t at, std::int64_t m) {
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, factor);
  for (; at + width <= m; at += width) {
    auto v = folded<Op, kCount>(d, from + at, step, count);
    if constexpr (std::is_floating_point_v<T>)
      if (scales) v = hn::Mul(v, by);
    hn::StoreU(v, d, out + at);
  }
  return at;
}
template <class Op, std::int64_t kCount, class T>
HWY_INLINE void columns_of(const T* from, std::int64_t stride, std::int64_t step, std::int64_t count, const T* factors,
                           T* out, std::int64_t n, std::int64_t m) {
  const bool scales = factors != nullptr;
  for (std::int64_t o = 0; o < n; ++o, from += stride, out += m) {
    const T factor = scales ? factors[o] : T{1};
    std::int64_t at = strip<Op, kCount>(hn::ScalableTag<T>(), from, step, count, factor, scales, out, 0, m);
    if (at == m) continue;
    at = strip<Op, kCount>(hn::CappedTag<T, 16 / sizeof(T)>(), from, step, count, factor, scales, out, at, m);
    strip<Op, kCount>(hn::CappedTag<T, 1>(), from, step, count, factor, scales, out, at, m);
  }
}
template <class Op, class T>
void columns(const T* from, std::int64_t stride, std::int64_t step, std::int64_t count, const T* factors, T* out,
             std::int64_t n, std::int64_t m) {
  if (count == 2) return columns_of<Op, 2>(from, stride, step, count, factors, out, n, m);
  if (count == 3) return columns_of<Op, 3>(from, stride, step, count, factors, out, n, m);
  columns_of<Op, 0>(from, stride, step, count, factors, out, n, m);
}

template <class T>
PlaneLoops<T> loops(PoolKind kind) {
  if (kind == PoolKind::Max) return {windows<Most, T>, rows<Most, T>, nullptr, nullptr, nullptr, columns<Most, T>};
  if constexpr (std::is_floating_point_v<T>)
    return {windows<Total, T>, rows<Total, T>, divide<T>, scale<T>, scaled_rows<T>, columns<Total, T>};
  return {};
}

}  // namespace planes

PlaneLoops<float> plane_loops_f32(PoolKind kind) { return planes::loops<float>(kind); }
PlaneLoops<double> plane_loops_f64(PoolKind kind) { return planes::loops<double>(kind); }
PlaneLoops<std::int8_t> plane_loops_i8(PoolKind kind) { return planes::loops<std::int8_t>(kind); }
PlaneLoops<std::uint8_t> plane_loops_u8(PoolKind kind) { return planes::loops<std::uint8_t>(kind); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(plane_loops_f32);
HWY_EXPORT(plane_loops_f64);
HWY_EXPORT(plane_loops_i8);
HWY_EXPORT(plane_loops_u8);

template <>
PlaneLoops<float> plane_loops(PoolKind kind) {
  return HWY_DYNAMIC_DISPATCH(plane_loops_f32)(kind);
}
template <>
PlaneLoops<double> plane_loops(PoolKind kind) {
  return HWY_DYNAMIC_DISPATCH(plane_loops_f64)(kind);
}
template <>
PlaneLoops<std::int8_t> plane_loops(PoolKind kind) {
  return HWY_DYNAMIC_DISPATCH(plane_loops_i8)(kind);
}
template <>
PlaneLoops<std::uint8_t> plane_loops(PoolKind kind) {
  return HWY_DYNAMIC_DISPATCH(plane_loops_u8)(kind);
}

}  // namespace norn::kernels
#endif
