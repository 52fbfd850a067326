// Two taps at a time, as pairs of 16-bit integers whose products are added in 32 bits.
#include <algorithm>
#include <cmath>

#include "base/fork.h"
#include "kernels/cpu/depthwise_int8.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/depthwise_int8_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace depthwise_int8_simd_cc {

// The taps of a pixel's window.
HWY_INLINE void find_taps(const DepthwiseInt8Row& r, std::int64_t pixel, const std::uint8_t** x) {
  for (std::int64_t i = 0; i < r.window_rows; ++i) {
    const std::uint8_t* const from = r.x[i];
    std::int64_t column = pixel * r.stride - r.pad;
    for (std::int64_t j = 0; j < r.window_columns; ++j, column += r.dilation)
      *x++ = from == nullptr || column < 0 || column >= r.width ? r.outside : from + column * r.channels;
  }
}

#if HWY_TARGET == HWY_SCALAR

constexpr std::int64_t kBlock = 4;

void row(const DepthwiseInt8Row& r) {
  const std::int64_t taps = r.window_rows * r.window_columns;
  const float low = static_cast<float>(r.low - r.zero), high = static_cast<float>(r.high - r.zero);
  for (std::int64_t p = 0; p < r.pixels; ++p) {
    const std::uint8_t* x[kDepthwiseTaps];
    find_taps(r, p, x);
    const auto* w = static_cast<const std::int16_t*>(r.weights);
    for (std::int64_t at = 0; at < r.channels; at += kBlock, w += kBlock * taps) {
      const std::int64_t start = depthwise_block_start(at / kBlock, kBlock, r.channels);
      for (std::int64_t c = 0; c < std::min(kBlock, r.channels); ++c) {
        std::int32_t sum = r.base[at + c];
        for (std::int64_t i = 0; i < taps; ++i)
          sum += static_cast<std::uint8_t>(x[i][start + c] ^ r.flip) * w[i * kBlock + c];
        if (r.sums != nullptr) {
          r.sums[p * r.channels + start + c] = sum;
          continue;
        }
        const float v = static_cast<float>(sum) * r.scale[at + c];
        const auto whole = static_cast<std::int32_t>(std::nearbyint(std::min(high, std::max(low, v)))) + r.zero;
        r.y[p * r.channels + start + c] = static_cast<std::uint8_t>(whole);
      }
    }
  }
}

DepthwiseInt8Table depthwise_int8() {
  return {1, kBlock, 1, false, sizeof(std::int16_t), [](std::int64_t, std::int64_t) { return std::size_t{0}; }, row};
}

#else

using NarrowU8 = hn::Rebind<std::uint8_t, D16>;
using NarrowI8 = hn::Rebind<std::int8_t, D16>;
constexpr std::size_t kMostBlock = HWY_MAX_BYTES / sizeof(std::int16_t);

HWY_INLINE void store_sums(const VI* sums, std::int64_t channels, std::int32_t* to) {
  HWY_ALIGN std::int32_t lanes[2][kMostBlock / 2];
  for (int s = 0; s < 2; ++s) hn::Store(sums[s], I(), lanes[s]);
  depthwise_sums_in_order<2>(lanes[0], kMostBlock / 2, channels, to);
}

void row(const DepthwiseInt8Row& r) {
  const D16 d16;
  const auto block = static_cast<std::int64_t>(hn::Lanes(d16)), lanes = block / 2;
  const std::int64_t taps = r.window_rows * r.window_columns, blocks = (r.channels + block - 1) / block;
  const auto flip = hn::Set(NarrowU8(), r.flip);
  const V top = constant(static_cast<float>(r.high - r.zero));
  const VI bottom = hn::Set(I(), r.low - r.zero), zero = hn::Set(I(), r.zero);
  for (std::int64_t p = 0; p < r.pixels; ++p) {
    const std::uint8_t* x[kDepthwiseTaps];
    find_taps(r, p, x);
    const auto* w = static_cast<const std::int16_t*>(r.weights);
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t start = depthwise_block_start(b, block, r.channels);
      const auto load = [&](const std::uint8_t* pixel) HWY_ATTR {
        if (r.channels >= block) return hn::PromoteTo(d16, hn::Xor(hn::LoadU(NarrowU8(), pixel + start), flip));
        std::uint8_t few[kMostBlock] = {};
        std::copy_n(pixel, r.channels, few);
        return hn::PromoteTo(d16, hn::Xor(hn::LoadU(NarrowU8(), few), flip));
      };
      VI sum[2] = {hn::LoadU(I(), r.base + b * block), hn::LoadU(I(), r.base + b * block + lanes)};
      for (std::int64_t i = 0; i < taps; i += 2, w += 2 * block) {
        const V16 first = load(x[i]), second = i + 1 < taps ? load(x[i + 1]) : hn::Zero(d16);
        sum[0] = add_pair_products(hn::InterleaveLower(d16, first, second), hn::LoadU(d16, w), sum[0]);
        sum[1] = add_pair_products(hn::InterleaveUpper(d16, first, second), hn::LoadU(d16, w + block), sum[1]);
      }
      if (r.sums != nullptr) {
        store_sums(sum, std::min(block, r.channels), r.sums + p * r.channels + start);
        continue;
      }
      for (int s = 0; s < 2; ++s) {
        const V v = hn::Mul(hn::ConvertTo(F(), sum[s]), hn::LoadU(F(), r.scale + b * block + s * lanes));
        const V within = at_least(hn::ConvertTo(F(), bottom), at_most(top, v));
        sum[s] = hn::Add(hn::NearestInt(within), zero);
      }
      const V16 both = hn::ReorderDemote2To(d16, sum[0], sum[1]);
      std::uint8_t few[kMostBlock];
      std::uint8_t* to = r.channels >= block ? r.y + p * r.channels + start : few;
      if (r.is_signed)
        hn::StoreU(hn::DemoteTo(NarrowI8(), both), NarrowI8(), reinterpret_cast<std::int8_t*>(to));
      else
        hn::StoreU(hn::DemoteTo(NarrowU8(), both), NarrowU8(), to);
      if (r.channels < block) std::copy_n(few, r.channels, r.y + p * r.channels);
    }
  }
}

DepthwiseInt8Table depthwise_int8() {
  return {2,
          static_cast<std::int64_t>(hn::Lanes(I())),
          2,
          false,
          sizeof(std::int16_t),
          [](std::int64_t, std::int64_t) { return std::size_t{0}; },
          row};
}

#endif

}  // namespace depthwise_int8_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(depthwise_int8);

const DepthwiseInt8Table& depthwise_int8_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(depthwise_int8)(); });
}

}  // namespace norn::kernels
#endif
