// Turned rows normalised for each instruction set: the mean first, then the squares of what remains.
#include <type_traits>

#include "kernels/cpu/short_norm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/short_norm_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrowing-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace short_norms {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of rows at a time, so that sums do not wait for each other.
constexpr int kVectors = 4;

template <class T>
HWY_NOINLINE void normalize_rows(T* x, std::int64_t n, std::int64_t rows, const ShortNormForm<T>& form) {
  const hn::ScalableTag<T> d;
  using Vec = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Vec one = hn::Set(d, T{1}), count = hn::Set(d, static_cast<T>(n)), epsilon = hn::Set(d, form.epsilon);
  for (std::int64_t first = 0; first < rows; first += kVectors * lanes) {
    T* const from = x + first;
    const auto at = [&](std::int64_t c, int v) HWY_ATTR { return from + c * kNormBlock + v * lanes; };
    if constexpr (sizeof(T) == 8) {
      for (std::int64_t c = 0; form.rounds_to_float && c < n; ++c)
        for (int v = 0; v < kVectors; ++v)
          hn::Store(hn::PromoteTo(d, as_floats(d, hn::Load(d, at(c, v)))), d, at(c, v));
    }
    Vec mean[kVectors], by[kVectors];
    for (int v = 0; v < kVectors; ++v) mean[v] = by[v] = hn::Zero(d);
    if (!form.root_mean_square) {
      for (std::int64_t c = 0; c < n; ++c)
        for (int v = 0; v < kVectors; ++v) mean[v] = hn::Add(mean[v], hn::Load(d, at(c, v)));
      for (int v = 0; v < kVectors; ++v) mean[v] = hn::Div(mean[v], count);
    }
    for (std::int64_t c = 0; c < n; ++c)
      for (int v = 0; v < kVectors; ++v) {
        const Vec t = hn::Sub(hn::Load(d, at(c, v)), mean[v]);
        by[v] = hn::MulAdd(t, t, by[v]);
      }
    for (int v = 0; v < kVectors; ++v) by[v] = hn::Div(one, hn::Sqrt(hn::Add(hn::Div(by[v], count), epsilon)));
    const auto each = [&](const auto& f) HWY_ATTR {
      for (std::int64_t c = 0; c < n; ++c)
        for (int v = 0; v < kVectors; ++v)
          hn::Store(f(hn::Mul(hn::Sub(hn::Load(d, at(c, v)), mean[v]), by[v]), c, v), d, at(c, v));
    };
    const auto column = [&](const T* p, std::int64_t c) HWY_ATTR { return hn::Set(d, p[c]); };
    if (form.row_scale != nullptr) {
      const auto of_rows = [&](const T* p, int v) HWY_ATTR { return hn::LoadU(d, p + first + v * lanes); };
      for (int v = 0; v < kVectors; ++v) by[v] = hn::Mul(by[v], of_rows(form.row_scale, v));
      each([&](Vec t, std::int64_t, int v) HWY_ATTR { return hn::Add(t, of_rows(form.row_bias, v)); });
    } else if (form.scale != nullptr && form.bias != nullptr) {
      each([&](Vec t, std::int64_t c, int)
               HWY_ATTR { return hn::MulAdd(t, column(form.scale, c), column(form.bias, c)); });
    } else if (form.scale != nullptr) {
      each([&](Vec t, std::int64_t c, int) HWY_ATTR { return hn::Mul(t, column(form.scale, c)); });
    } else if (form.bias != nullptr) {
      each([&](Vec t, std::int64_t c, int) HWY_ATTR { return hn::Add(t, column(form.bias, c)); });
    } else {
      each([](Vec t, std::int64_t, int) HWY_ATTR { return t; });
    }
  }
}

// The sums of magnitudes, or of squares, of kVectors vectors of rows.
template <class D, class T, class At>
HWY_INLINE void sum_up(D d, std::int64_t n, int p, const At& at, hn::Vec<D> (&sums)[kVectors]) {
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  const auto load = [&](std::int64_t c, int v) HWY_ATTR {
    if constexpr (std::is_same_v<T, hn::TFromD<D>>)
      return hn::Load(d, at(c, v));
    else
      return hn::PromoteTo(d, hn::Load(hn::Rebind<T, D>(), at(c, v)));
  };
  if (p == 2) {
    for (std::int64_t c = 0; c < n; ++c)
      for (int v = 0; v < kVectors; ++v) {
        const auto t = load(c, v);
        sums[v] = hn::MulAdd(t, t, sums[v]);
      }
  } else {
    for (std::int64_t c = 0; c < n; ++c)
      for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], hn::Abs(load(c, v)));
  }
}

template <class T>
HWY_NOINLINE void divide_rows(T* x, std::int64_t n, std::int64_t step, std::int64_t rows, int p, double* sums) {
  const hn::ScalableTag<double> wide;
  const hn::ScalableTag<T> d;
  HWY_ALIGN T norms[kNormBlock];
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide)), group = kVectors * lanes;
  for (std::int64_t first = 0; first < rows; first += group) {
    const auto at = [&](std::int64_t c, int v) HWY_ATTR { return x + first + c * step * kNormBlock + v * lanes; };
    hn::Vec<decltype(wide)> of[kVectors];
    sum_up<decltype(wide), T>(wide, n, p, at, of);
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t to = first + v * lanes;
      hn::StoreU(of[v], wide, sums + to);
      const auto norm = p == 2 ? hn::Sqrt(of[v]) : of[v];
      if constexpr (sizeof(T) == sizeof(double))
        hn::Store(norm, wide, norms + to);
      else
        hn::Store(as_floats(wide, norm), hn::Rebind<T, decltype(wide)>(), norms + to);
    }
  }
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t r = 0; r < rows; r += width) {
    const auto norm = hn::Load(d, norms + r);
    for (std::int64_t c = 0; c < n; ++c) {
      T* const to = x + c * step * kNormBlock + r;
      hn::Store(hn::Div(hn::Load(d, to), norm), d, to);
    }
  }
}

}  // namespace short_norms

NormalizeTurned<float> find_turned_f32() { return short_norms::normalize_rows<float>; }
NormalizeTurned<double> find_turned_f64() { return short_norms::normalize_rows<double>; }
DivideTurned<float> find_divide_f32() { return short_norms::divide_rows<float>; }
DivideTurned<double> find_divide_f64() { return short_norms::divide_rows<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_turned_f32);
HWY_EXPORT(find_turned_f64);
HWY_EXPORT(find_divide_f32);
HWY_EXPORT(find_divide_f64);

NormalizeTurned<float> normalize_turned_f32() { return HWY_DYNAMIC_DISPATCH(find_turned_f32)(); }
NormalizeTurned<double> normalize_turned_f64() { return HWY_DYNAMIC_DISPATCH(find_turned_f64)(); }
DivideTurned<float> divide_turned_f32() { return HWY_DYNAMIC_DISPATCH(find_divide_f32)(); }
DivideTurned<double> divide_turned_f64() { return HWY_DYNAMIC_DISPATCH(find_divide_f64)(); }

}  // namespace norn::kernels
#endif
