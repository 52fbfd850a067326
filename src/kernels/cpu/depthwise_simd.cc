// Some pixels of two vectors of channels at a time: each pixel of x is read once for all outputs of a row of the window
// that it counts for, with that row's weights in registers.
#include "kernels/cpu/depthwise.h"

#include <algorithm>

#include "base/fork.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/depthwise_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace depthwise_simd_cc {

namespace hn = hwy::HWY_NAMESPACE;
using DepthwiseF = hn::CappedTag<float, 16>;

constexpr int kMostPixels = 7, kFewPixels = 3;
constexpr int kTogether = HWY_MAX_BYTES >= 64 ? 2 : 1;  // vectors, as there are registers

HWY_INLINE std::int64_t depthwise_lanes() { return static_cast<std::int64_t>(hn::Lanes(DepthwiseF())); }

// Outputs [at, at + pixels) of channels [c, c + vectors * lanes).
template <int width, int stride, int pixels, int vectors>
HWY_INLINE void pixel_sums(const DepthwiseRow& row, std::int64_t at, std::int64_t c, float* out) {
  const DepthwiseF d;
  using V = hn::Vec<DepthwiseF>;
  const std::int64_t lanes = depthwise_lanes();
  V sums[pixels][vectors];
  for (int v = 0; v < vectors; ++v) {
    const V start = row.bias != nullptr ? hn::LoadU(d, row.bias + c + v * lanes) : hn::Zero(d);
    for (int p = 0; p < pixels; ++p) sums[p][v] = start;
  }
  const float* w = row.weights + c;
  const std::int64_t first = at * stride - row.left;
  for (std::int64_t r = 0; r < row.height; ++r, w += width * row.w_pixel) {
    if (row.rows[r] == nullptr) continue;
    V weights[width][vectors];
    for (int j = 0; j < width; ++j)
      for (int v = 0; v < vectors; ++v) weights[j][v] = hn::LoadU(d, w + j * row.w_pixel + v * lanes);
    const float* const x = row.rows[r] + c;
#pragma GCC unroll 32
    for (int q = 0; q < (pixels - 1) * stride + width; ++q) {
      const std::int64_t column = first + q;
      if (static_cast<std::uint64_t>(column) >= static_cast<std::uint64_t>(row.columns)) continue;  // padding
      V value[vectors];
      for (int v = 0; v < vectors; ++v) value[v] = hn::LoadU(d, x + column * row.x_pixel + v * lanes);
#pragma GCC unroll 32
      for (int p = 0; p < pixels; ++p) {
        const int j = q - p * stride;
        if (j < 0 || j >= width) continue;
        for (int v = 0; v < vectors; ++v) sums[p][v] = hn::MulAdd(value[v], weights[j][v], sums[p][v]);
      }
    }
  }
  const V low = hn::Set(d, row.low), high = hn::Set(d, row.high);
#pragma GCC unroll 32
  for (int p = 0; p < pixels; ++p)
    for (int v = 0; v < vectors; ++v) {
      const V above = hn::IfThenElse(hn::Lt(sums[p][v], low), low, sums[p][v]);
      hn::StoreU(hn::IfThenElse(hn::Gt(above, high), high, above), d, out + (at + p) * row.out_pixel + c + v * lanes);
    }
}

// Of a row of outputs. The last pixels, and the last channels, are some of those before again where they do not fill a
// vector or a group.
template <int width, int stride, int vectors>
HWY_NOINLINE void pixel_row(const DepthwiseRow& row, std::int64_t c, float* out) {
  std::int64_t at = 0;
  for (; at + kMostPixels <= row.outputs; at += kMostPixels)
    pixel_sums<width, stride, kMostPixels, vectors>(row, at, c, out);
  if (row.outputs - at > kFewPixels && row.outputs >= kMostPixels) {
    at = row.outputs;
    pixel_sums<width, stride, kMostPixels, vectors>(row, at - kMostPixels, c, out);
  }
  for (; at < row.outputs && row.outputs >= kFewPixels; at += kFewPixels)
    pixel_sums<width, stride, kFewPixels, vectors>(row, std::min(at, row.outputs - kFewPixels), c, out);
  for (; at < row.outputs; ++at) pixel_sums<width, stride, 1, vectors>(row, at, c, out);
}

template <int width, int stride>
void depthwise_row(const DepthwiseRow& row, float* out) {
  const std::int64_t lanes = depthwise_lanes();
  std::int64_t c = 0;
  for (; c + kTogether * lanes <= row.channels; c += kTogether * lanes)
    pixel_row<width, stride, kTogether>(row, c, out);
  for (; c < row.channels; c += lanes) pixel_row<width, stride, 1>(row, std::min(c, row.channels - lanes), out);
}

// The same for any window: the weights of a column are read once for all pixels.
template <int pixels, int vectors>
HWY_INLINE void any_pixel_sums(const DepthwiseRow& row, std::int64_t at, std::int64_t c, float* out) {
  const DepthwiseF d;
  using V = hn::Vec<DepthwiseF>;
  const std::int64_t lanes = depthwise_lanes(), first = at * row.stride - row.left;
  V sums[pixels][vectors];
#pragma GCC unroll 8
  for (int p = 0; p < pixels; ++p)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      sums[p][v] = row.bias != nullptr ? hn::LoadU(d, row.bias + c + v * lanes) : hn::Zero(d);
  const float* w = row.weights + c;
  for (std::int64_t r = 0; r < row.height; ++r, w += row.width * row.w_pixel) {
    if (row.rows[r] == nullptr) continue;
    const float* const x = row.rows[r] + c;
    for (std::int64_t j = 0; j < row.width; ++j) {
      V weights[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) weights[v] = hn::LoadU(d, w + j * row.w_pixel + v * lanes);
#pragma GCC unroll 8
      for (int p = 0; p < pixels; ++p) {
        const std::int64_t column = first + p * row.stride + j * row.dilation;
        if (static_cast<std::uint64_t>(column) >= static_cast<std::uint64_t>(row.columns)) continue;  // padding
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
          sums[p][v] = hn::MulAdd(hn::LoadU(d, x + column * row.x_pixel + v * lanes), weights[v], sums[p][v]);
      }
    }
  }
  const V low = hn::Set(d, row.low), high = hn::Set(d, row.high);
#pragma GCC unroll 8
  for (int p = 0; p < pixels; ++p)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const V above = hn::IfThenElse(hn::Lt(sums[p][v], low), low, sums[p][v]);
      hn::StoreU(hn::IfThenElse(hn::Gt(above, high), high, above), d, out + (at + p) * row.out_pixel + c + v * lanes);
    }
}
template <int vectors>
HWY_NOINLINE void any_pixel_row(const DepthwiseRow& row, std::int64_t c, float* out) {
  constexpr int kPixels = 4;
  std::int64_t at = 0;
  for (; at + kPixels <= row.outputs; at += kPixels) any_pixel_sums<kPixels, vectors>(row, at, c, out);
  if (row.outputs - at > 1 && at > 0) return any_pixel_sums<kPixels, vectors>(row, row.outputs - kPixels, c, out);
  for (; at < row.outputs; ++at) any_pixel_sums<1, vectors>(row, at, c, out);
}
void any_depthwise_row(const DepthwiseRow& row, float* out) {
  const std::int64_t lanes = depthwise_lanes();
  std::int64_t c = 0;
  for (; c + kTogether * lanes <= row.channels; c += kTogether * lanes) any_pixel_row<kTogether>(row, c, out);
  for (; c < row.channels; c += lanes) any_pixel_row<1>(row, std::min(c, row.channels - lanes), out);
}

DepthwiseTable make_depthwise_table() {
  return {depthwise_lanes(),
          {{depthwise_row<1, 1>, depthwise_row<1, 2>},
           {depthwise_row<3, 1>, depthwise_row<3, 2>},
           {depthwise_row<5, 1>, depthwise_row<5, 2>},
           {depthwise_row<7, 1>, depthwise_row<7, 2>}},
          any_depthwise_row};
}

}  // namespace depthwise_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(make_depthwise_table);

const DepthwiseTable& depthwise_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(make_depthwise_table)(); });
}

}  // namespace norn::kernels
#endif
