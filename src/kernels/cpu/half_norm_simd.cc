// Layer normalisation of rows of half types for each instruction set: every element is widened where it is read.
#include "kernels/cpu/half_norm.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/half_norm_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace half_norms {

constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);

template <class H>
HWY_INLINE V load_some(const std::uint16_t* p, std::int64_t n) {
  HWY_ALIGN std::uint16_t part[kLanes] = {};
  std::memcpy(part, p, static_cast<std::size_t>(n) * sizeof *p);
  return H::load(part);
}
template <class H>
HWY_INLINE void store_some(V v, std::uint16_t* p, std::int64_t n) {
  HWY_ALIGN std::uint16_t part[kLanes];
  H::store(v, part);
  std::memcpy(p, part, static_cast<std::size_t>(n) * sizeof *p);
}

// The sum of the row, or of the squares of its distances from `mean`; long rows are summed in double from part to part.
template <class H, bool squares>
HWY_INLINE float total(const std::uint16_t* x, std::int64_t n, float mean) {
  const std::int64_t lanes = lane_count(), part = 64 * lanes;
  const V vm = constant(mean);
  const auto term = [&](V v) HWY_ATTR {
    if constexpr (!squares) return v;
    v = hn::Sub(v, vm);
    return hn::Mul(v, v);
  };
  double all = 0;
  for (std::int64_t at = 0; at < n; at += part) {
    const std::int64_t end = std::min(n, at + part);
    V s0 = hn::Zero(F()), s1 = s0, s2 = s0, s3 = s0;
    std::int64_t i = at;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      s0 = hn::Add(s0, term(H::load(x + i)));
      s1 = hn::Add(s1, term(H::load(x + i + lanes)));
      s2 = hn::Add(s2, term(H::load(x + i + 2 * lanes)));
      s3 = hn::Add(s3, term(H::load(x + i + 3 * lanes)));
    }
    for (; i + lanes <= end; i += lanes) s0 = hn::Add(s0, term(H::load(x + i)));
    if (i < end) {
      const V rest = term(load_some<H>(x + i, end - i));
      s1 = hn::Add(s1, hn::IfThenElseZero(hn::FirstN(F(), static_cast<std::size_t>(end - i)), rest));
    }
    all += hn::GetLane(hn::SumOfLanes(F(), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  }
  return static_cast<float>(all);
}

template <class H, bool scaled, bool biased>
HWY_NOINLINE void normalize(const std::uint16_t* x, const std::uint16_t* scale, const std::uint16_t* bias,
                            std::uint16_t* out, std::int64_t n, float mean, float inverse) {
  const V vm = constant(mean), by = constant(inverse);
  const auto result = [&](std::int64_t i, auto load) HWY_ATTR {
    V v = hn::Mul(hn::Sub(load(x + i), vm), by);
    if constexpr (scaled) v = hn::Mul(v, load(scale + i));
    if constexpr (biased) v = hn::Add(v, load(bias + i));
    return v;
  };
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count())
    H::store(result(i, [](const std::uint16_t* p) HWY_ATTR { return H::load(p); }), out + i);
  if (i < n)
    store_some<H>(result(i, [&](const std::uint16_t* p) HWY_ATTR { return load_some<H>(p, n - i); }), out + i, n - i);
}

template <class H, bool root_mean_square>
void row(const std::uint16_t* x, const std::uint16_t* scale, const std::uint16_t* bias, std::uint16_t* out,
         std::int64_t n, float epsilon) {
  const auto count = static_cast<float>(n);
  const float mean = root_mean_square ? 0.0f : total<H, false>(x, n, 0.0f) / count;
  const float inverse = 1.0f / std::sqrt(total<H, true>(x, n, mean) / count + epsilon);
  if (scale && bias) return normalize<H, true, true>(x, scale, bias, out, n, mean, inverse);
  if (scale) return normalize<H, true, false>(x, scale, bias, out, n, mean, inverse);
  if (bias) return normalize<H, false, true>(x, scale, bias, out, n, mean, inverse);
  normalize<H, false, false>(x, scale, bias, out, n, mean, inverse);
}

}  // namespace half_norms

HalfNormLoop half_norm_of(DataType type, bool root_mean_square) {
  using namespace half_norms;
  if (type == DataType::BFloat16) return root_mean_square ? row<BFloat16Vectors, true> : row<BFloat16Vectors, false>;
  return root_mean_square ? row<Float16Vectors, true> : row<Float16Vectors, false>;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(half_norm_of);
HalfNormLoop half_norm_loop(DataType type, bool root_mean_square) {
  return HWY_DYNAMIC_DISPATCH(half_norm_of)(type, root_mean_square);
}

}  // namespace norn::kernels
#endif
