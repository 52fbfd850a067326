// What becomes of sums of products of 8-bit integers, a row of channels at a time, for each instruction set.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/int8_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE std::int64_t int8_lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

// Whole vectors, the last of which may overlap the one before; a row shorter than a vector goes through a copy.
template <class Sums, class Other, class Y, class Body>
HWY_INLINE void over_row(const Finish& f, const Sums* sums, const Other* other, Y* y, std::int64_t n,
                         const Body& body) {
  const std::int64_t lanes = int8_lanes();
  if (n >= lanes) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      body(f.base + i, f.scale + i, f.shift ? f.shift + i : nullptr, sums + i, other + i, y + i);
    if (i < n) {
      i = n - lanes;
      body(f.base + i, f.scale + i, f.shift ? f.shift + i : nullptr, sums + i, other + i, y + i);
    }
    return;
  }
  constexpr std::size_t kMost = HWY_MAX_BYTES / sizeof(float);
  std::int32_t base[kMost] = {}, values[kMost] = {};
  float scale[kMost] = {}, shift[kMost] = {};
  Other others[kMost] = {};
  Y result[kMost];
  for (std::int64_t i = 0; i < n; ++i) {
    base[i] = f.base[i];
    values[i] = sums[i];
    if (f.scale) scale[i] = f.scale[i];
    if (f.shift) shift[i] = f.shift[i];
    if (other) others[i] = other[i];
  }
  body(base, scale, f.shift ? shift : nullptr, values, others, result);
  std::copy_n(result, n, y);
}

HWY_INLINE VI sums_with_base(const std::int32_t* sums, const std::int32_t* base) {
  return hn::Add(hn::LoadU(I(), sums), hn::LoadU(I(), base));
}

void finish_int32(const Finish& f, const std::int32_t* sums, const void*, void* y, std::int64_t n) {
  auto* to = static_cast<std::int32_t*>(y);
  over_row(f, sums, sums, to, n,
           [](const std::int32_t* base, const float*, const float*, const std::int32_t* s, const std::int32_t*,
              std::int32_t* out) HWY_ATTR { hn::StoreU(sums_with_base(s, base), I(), out); });
}

void finish_float(const Finish& f, const std::int32_t* sums, const void*, void* y, std::int64_t n) {
  auto* to = static_cast<float*>(y);
  over_row(f, sums, sums, to, n,
           [](const std::int32_t* base, const float* scale, const float* shift, const std::int32_t* s,
              const std::int32_t*, float* out) HWY_ATTR {
             V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
             if (shift) v = hn::Add(v, hn::LoadU(F(), shift));
             hn::StoreU(v, F(), out);
           });
}

// round(v), within the whole numbers low and high; NaN gives the lowest. On x86 whatever is below the least integer
// becomes that.
HWY_INLINE VI whole_within(V v, V high, VI low) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR || !HWY_ARCH_X86
  v = at_least(hn::ConvertTo(F(), low), v);
#endif
  return hn::Max(hn::NearestInt(at_most(high, v)), low);
}

template <class T>
void finish_quantized(const Finish& f, const std::int32_t* sums, const void*, void* y, std::int64_t n) {
  const hn::Rebind<T, F> narrow;
  const V high = constant(static_cast<float>(f.high - f.zero));
  const VI low = hn::Set(I(), f.low - f.zero), zero = hn::Set(I(), f.zero);
  over_row(f, sums, sums, static_cast<T*>(y), n,
           [&](const std::int32_t* base, const float* scale, const float*, const std::int32_t* s, const std::int32_t*,
               T* out) HWY_ATTR {
             const V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
             hn::StoreU(hn::DemoteTo(narrow, hn::Add(whole_within(v, high, low), zero)), narrow, out);
           });
}

template <class R, class T>
void finish_with_other(const Finish& f, const std::int32_t* sums, const void* other, void* y, std::int64_t n) {
  const hn::Rebind<T, F> narrow;
  const hn::Rebind<R, F> narrow_other;
  const V high = constant(static_cast<float>(f.high - f.zero));
  // The zero point of the quantized sums is left out where the next step would subtract the same.
  const VI low = hn::Set(I(), f.low - f.zero), moved = hn::Set(I(), f.zero - f.middle_zero);
  const VI other_zero = hn::Set(I(), f.other_zero), last_zero = hn::Set(I(), f.last_zero);
  const V middle_scale = constant(f.middle), other_scale = constant(f.other);
  const std::int32_t least = std::numeric_limits<T>::min() - f.last_zero;
  const VI last_low = hn::Set(I(), f.relu ? std::max(least, 0) : least);
  const V last_high = constant(static_cast<float>(std::numeric_limits<T>::max() - f.last_zero));
  over_row(f, sums, static_cast<const R*>(other), static_cast<T*>(y), n,
           [&](const std::int32_t* base, const float* scale, const float*, const std::int32_t* s, const R* o,
               T* out) HWY_ATTR {
             const V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
             const V first = hn::ConvertTo(F(), hn::Add(whole_within(v, high, low), moved));
             const VI second = hn::Sub(hn::PromoteTo(I(), hn::LoadU(narrow_other, o)), other_zero);
             const V sum = hn::MulAdd(first, middle_scale, hn::Mul(hn::ConvertTo(F(), second), other_scale));
             hn::StoreU(hn::DemoteTo(narrow, hn::Add(whole_within(sum, last_high, last_low), last_zero)), narrow, out);
           });
}

void column_sums(const std::int8_t* w, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                 std::int32_t* sums) {
  const std::int64_t lanes = int8_lanes();
  const hn::Rebind<std::int8_t, F> narrow;
  std::int64_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    VI sum = hn::LoadU(I(), sums + j);
    for (std::int64_t r = 0; r < rows; ++r)
      sum = hn::Add(sum, hn::PromoteTo(I(), hn::LoadU(narrow, w + r * stride + j)));
    hn::StoreU(sum, I(), sums + j);
  }
  for (; j < columns; ++j)
    for (std::int64_t r = 0; r < rows; ++r) sums[j] += w[r * stride + j];
}

void add_whole(const float* from, std::int32_t* to, std::int64_t n) {
  const std::int64_t lanes = int8_lanes();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(I(), to + i), hn::NearestInt(hn::LoadU(F(), from + i))), I(), to + i);
  for (; i < n; ++i)
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                      static_cast<std::uint32_t>(static_cast<std::int32_t>(from[i])));
}

Int8Table finishing_int8() {
  return {finish_int32,
          finish_float,
          finish_quantized<std::uint8_t>,
          finish_quantized<std::int8_t>,
          {{finish_with_other<std::uint8_t, std::uint8_t>, finish_with_other<std::uint8_t, std::int8_t>},
           {finish_with_other<std::int8_t, std::uint8_t>, finish_with_other<std::int8_t, std::int8_t>}},
          column_sums,
          add_whole};
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(finishing_int8);

const Int8Table& int8_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(finishing_int8)(); });
}

}  // namespace norn::kernels
#endif
