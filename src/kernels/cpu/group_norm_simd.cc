// Sums of channels over pixels for each instruction set. Some vectors of channels at a time stay in registers over a
// stretch of pixels, short enough that sums in f32 lose little.
#include <cstdint>

#include "base/fork.h"
#include "kernels/cpu/group_norm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/group_norm_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace group_norm_simd_cc {

constexpr std::int64_t kPixelStretch = 64;  // pixels
constexpr int kChannelVectors = 4;

// Of `n` channels from x and `from` on, which fill all vectors but the last.
template <bool squares, int vectors>
void sum_some(const float* x, std::int64_t rows, std::int64_t channels, const float* from, std::int64_t n,
              double* sums) {
  const std::int64_t lanes = lane_count(), last = (vectors - 1) * lanes;
  const bool whole = n == last + lanes;
  V base[vectors], total[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    base[v] = v + 1 < vectors || whole ? hn::LoadU(F(), from + v * lanes) : load_tail(from + last, n - last, 0.0f);
    total[v] = hn::Zero(F());
  }
  const auto add = [&](int v, V value) HWY_ATTR {
    const V c = hn::Sub(value, base[v]);
    total[v] = squares ? hn::MulAdd(c, c, total[v]) : hn::Add(total[v], c);
  };
  for (std::int64_t r = 0; r < rows; ++r, x += channels) {
#pragma GCC unroll 4
    for (int v = 0; v + 1 < vectors; ++v) add(v, hn::LoadU(F(), x + v * lanes));
    add(vectors - 1, whole ? hn::LoadU(F(), x + last) : load_tail(x + last, n - last, 0.0f));
  }
  HWY_ALIGN float parts[vectors * HWY_MAX_BYTES / sizeof(float)];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) hn::StoreU(total[v], F(), parts + v * lanes);
  for (std::int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(parts[i]);
}

template <bool squares>
void sum_all(const float* x, std::int64_t rows, std::int64_t channels, const float* from, double* sums) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t r = 0; r < rows; r += kPixelStretch) {
    const std::int64_t n = rows - r < kPixelStretch ? rows - r : kPixelStretch;
    const float* const first = x + r * channels;
    std::int64_t c = 0;
    for (; c + kChannelVectors * lanes <= channels; c += kChannelVectors * lanes)
      sum_some<squares, kChannelVectors>(first + c, n, channels, from + c, kChannelVectors * lanes, sums + c);
    for (; c < channels; c += lanes) {
      const std::int64_t width = channels - c < lanes ? channels - c : lanes;
      sum_some<squares, 1>(first + c, n, channels, from + c, width, sums + c);
    }
  }
}

ChannelSums sums_of_channels() { return {sum_all<false>, sum_all<true>}; }

}  // namespace group_norm_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(sums_of_channels);

ChannelSums channel_sums() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(sums_of_channels)(); });
}

}  // namespace norn::kernels
#endif
