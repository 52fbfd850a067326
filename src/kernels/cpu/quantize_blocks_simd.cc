// Quantisation by scales that are one or go with the elements, for each instruction set.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/cpu/quantize.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/quantize_blocks_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/quantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace blocks {

// The quotient is clamped before it is rounded: the bounds are integers, and exact in f32.
template <class T, int kLeast, int kMost>
HWY_INLINE void to(const void* x_data, const float* scales, const void* zeros_data, std::int64_t step, void* out_data,
                   std::int64_t n) {
  const float* x = static_cast<const float*>(x_data);
  const T* zeros = static_cast<const T*>(zeros_data);
  T* out = static_cast<T*>(out_data);
  using Bits = std::make_unsigned_t<T>;
  const hn::Rebind<T, F> narrow;
  const hn::Rebind<Bits, F> narrow_bits;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  const VI least = hn::Set(I(), kLeast), most = hn::Set(I(), kMost);
  std::int64_t i = 0;
  const auto vector = [&](V scale, VI zero, V low, V high) HWY_ATTR {
    const V v = hn::Div(hn::LoadU(F(), x + i), scale);
    hn::StoreU(hn::TruncateTo(narrow_bits, rounded_bits(v, low, high, zero)), narrow_bits,
               reinterpret_cast<Bits*>(out) + i);
  };
  const auto bound = [](VI limit, VI zero) HWY_ATTR { return hn::ConvertTo(F(), hn::Sub(limit, zero)); };
  if (step == 0) {  // bytes that are written might be the scale: it is read once
    const V scale = constant(*scales);
    const VI zero = zeros ? hn::Set(I(), *zeros) : hn::Zero(I());
    const V low = bound(least, zero), high = bound(most, zero);
    for (; i + lanes <= n; i += lanes) vector(scale, zero, low, high);
  } else {
    for (; i + lanes <= n; i += lanes) {
      const VI zero = zeros ? hn::PromoteTo(I(), hn::LoadU(narrow, zeros + i)) : hn::Zero(I());
      vector(hn::LoadU(F(), scales + i), zero, bound(least, zero), bound(most, zero));
    }
  }
  for (; i < n; ++i) {
    const std::int64_t s = step == 0 ? 0 : i;
    const int zero = zeros ? zeros[s] : 0;
    const float low = static_cast<float>(kLeast - zero), high = static_cast<float>(kMost - zero);
    float v = x[i] / scales[s];
    v = v < low || v != v ? low : v > high ? high : v;
    out[i] = static_cast<T>(static_cast<int>(std::nearbyint(v)) + zero);
  }
}

template <class T>
HWY_INLINE void from(const void* x_data, const float* HWY_RESTRICT scales, const void* zeros_data, std::int64_t step,
                     void* out_data, std::int64_t n) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  const T* HWY_RESTRICT zeros = static_cast<const T*>(zeros_data);
  float* HWY_RESTRICT out = static_cast<float*>(out_data);
  using Wide = std::conditional_t<sizeof(T) == 4, std::int64_t, int>;  // that holds any difference
  const Wide zero = zeros && step == 0 ? Wide{*zeros} : Wide{0};
  if (step == 0 && zero != 0) {
    const float scale = *scales;
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i] - zero) * scale;
  } else if (step == 0) {
    const float scale = *scales;
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]) * scale;
  } else if (zeros) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(Wide{x[i]} - zeros[i]) * scales[i];
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]) * scales[i];
  }
}

// A difference has up to 17 bits and a scale of a half type up to 11: the products of its halves are exact, and so is
// what the sum of these loses. Scales above 1 are made smaller meanwhile, since halves may be larger than their sum.
template <class T>
HWY_INLINE V sticky_products(const T* x, VI zero, V scale) {
  const hn::Rebind<T, F> narrow;
  const VI difference = hn::Sub(hn::PromoteTo(I(), hn::LoadU(narrow, x)), zero), low_bits = hn::Set(I(), 0xff);
  const V one = constant(1.0f);
  const auto large = hn::Gt(hn::Abs(scale), one);
  const V by = hn::Mul(scale, hn::IfThenElse(large, constant(0x1p-20f), one));
  const V high = hn::Mul(hn::ConvertTo(F(), hn::AndNot(low_bits, difference)), by);
  const V low = hn::Mul(hn::ConvertTo(F(), hn::And(low_bits, difference)), by);
  const V sum = hn::Add(high, low), lost = hn::Sub(low, hn::Sub(sum, high));
  const VI bits = hn::BitCast(I(), sum);
  // 1 less in size where the sum was rounded away from 0.
  const VI toward_zero = hn::Add(bits, hn::ShiftRight<31>(hn::Xor(bits, hn::BitCast(I(), lost))));
  const V odd = hn::BitCast(F(), hn::Or(toward_zero, hn::Set(I(), 1)));
  const V product =
      hn::Mul(hn::IfThenElse(hn::Eq(lost, hn::Zero(F())), sum, odd), hn::IfThenElse(large, constant(0x1p20f), one));
  const auto finite = hn::Lt(hn::Abs(scale), constant(std::numeric_limits<float>::infinity()));
  return hn::IfThenElse(finite, product, hn::Mul(hn::ConvertTo(F(), difference), scale));
}
template <class T>
void from_sticky(const void* x_data, const float* scales, const void* zeros_data, std::int64_t step, std::int64_t,
                 void* out_data, std::int64_t n) {
  const hn::Rebind<T, F> narrow;
  const T* x = static_cast<const T*>(x_data);
  const T* zeros = static_cast<const T*>(zeros_data);
  auto* out = static_cast<float*>(out_data);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  const V one_scale = constant(n > 0 ? *scales : 0.0f);
  const VI one_zero = zeros && n > 0 ? hn::Set(I(), *zeros) : hn::Zero(I());
  const auto vector = [&](const T* from, const float* by, const T* plus, float* to) HWY_ATTR {
    const VI zero = plus && step != 0 ? hn::PromoteTo(I(), hn::LoadU(narrow, plus)) : one_zero;
    hn::StoreU(sticky_products(from, zero, step != 0 ? hn::LoadU(F(), by) : one_scale), F(), to);
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) vector(x + i, scales + i * step, zeros ? zeros + i * step : nullptr, out + i);
  if (i == n) return;
  constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);
  T x_rest[kLanes] = {}, zeros_rest[kLanes] = {};
  float scales_rest[kLanes] = {}, out_rest[kLanes];
  std::copy_n(x + i, n - i, x_rest);
  if (step != 0) std::copy_n(scales + i, n - i, scales_rest);
  if (step != 0 && zeros) std::copy_n(zeros + i, n - i, zeros_rest);
  vector(x_rest, scales_rest, zeros ? zeros_rest : nullptr, out_rest);
  std::copy_n(out_rest, n - i, out + i);
}

template <class T, bool back, int kLeast = 0, int kMost = 0>
void each_block(const void* x, const float* scales, const void* zeros, std::int64_t step, std::int64_t block, void* out,
                std::int64_t n) {
  constexpr std::int64_t kFrom = back ? sizeof(T) : sizeof(float), kTo = back ? sizeof(float) : sizeof(T);
  const auto loop = [](const void* v, const float* by, const void* plus, std::int64_t apart, void* made,
                       std::int64_t count) HWY_ATTR {
    if constexpr (back)
      from<T>(v, by, plus, apart, made, count);
    else
      to<T, kLeast, kMost>(v, by, plus, apart, made, count);
  };
  if (step != 0) return loop(x, scales, zeros, 1, out, n);
  for (std::int64_t first = 0; first < n; first += block, ++scales) {
    loop(static_cast<const char*>(x) + first * kFrom, scales, zeros, 0, static_cast<char*>(out) + first * kTo,
         n - first < block ? n - first : block);
    if (zeros) zeros = static_cast<const T*>(zeros) + 1;
  }
}
template <class T>
QuantizeLoop either(bool back) {
  constexpr int kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  return back ? each_block<T, true> : each_block<T, false, kLeast, kMost>;
}
// Of integers that have fewer bits than the byte that they take.
template <class T, int kLeast, int kMost>
QuantizeLoop to_few_bits(bool back) {
  return back ? nullptr : each_block<T, false, kLeast, kMost>;
}

}  // namespace blocks

QuantizeLoop find_quantize_loop(DataType integer, bool back) {
  using namespace blocks;
  switch (integer) {
    case DataType::Int8: return either<std::int8_t>(back);
    case DataType::Uint8: return either<std::uint8_t>(back);
    case DataType::Int16: return either<std::int16_t>(back);
    case DataType::Uint16: return either<std::uint16_t>(back);
    case DataType::Int32: return back ? each_block<std::int32_t, true> : nullptr;
    case DataType::Int4: return to_few_bits<std::int8_t, -8, 7>(back);
    case DataType::Uint4: return to_few_bits<std::uint8_t, 0, 15>(back);
    case DataType::Int2: return to_few_bits<std::int8_t, -2, 1>(back);
    case DataType::Uint2: return to_few_bits<std::uint8_t, 0, 3>(back);
    default: return nullptr;
  }
}

QuantizeLoop find_sticky_loop(DataType integer) {
  using namespace blocks;
  if (integer == DataType::Int16) return from_sticky<std::int16_t>;
  return integer == DataType::Uint16 ? from_sticky<std::uint16_t> : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_quantize_loop);
HWY_EXPORT(find_sticky_loop);

QuantizeLoop quantize_loop(DataType integer, bool back) {
  return HWY_DYNAMIC_DISPATCH(find_quantize_loop)(integer, back);
}

QuantizeLoop sticky_dequantize_loop(DataType integer) { return HWY_DYNAMIC_DISPATCH(find_sticky_loop)(integer); }

}  // namespace norn::kernels
#endif
