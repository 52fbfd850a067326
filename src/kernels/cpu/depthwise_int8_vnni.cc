// Four taps at a time by the dot products of AVX-512 VNNI: bytes of four rows of a column are interleaved, once for all
// outputs that read the column, and stay in the first cache. For a CPU of its own, Cascade Lake, Highway has no target,
// hence the intrinsics.
#include "kernels/cpu/depthwise_int8.h"

#include "kernels/cpu/instruction_set.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

namespace norn::kernels {
namespace {

constexpr std::int64_t kBlock = 64, kVectors = 4, kTaps = 4;
constexpr std::int64_t kColumns = 64;  // interleaved at a time, of windows of up to four rows

std::int64_t quads_of(std::int64_t rows) { return (rows + kTaps - 1) / kTaps; }
// Interleaved at a time; at least one window.
std::int64_t columns_at_once(std::int64_t quads, std::int64_t window) { return std::max(window, kColumns / quads); }

constexpr __mmask16 kAll = 0xffff;

// What is the same for all pixels of a block of channels.
struct Block {
  const std::int8_t* weights;
  const std::int32_t* base;
  const float* scale;
  std::int64_t quads, columns, step, dilation;  // of the window; between pixels
  __m512 top;
  __m512i zero, low, high;  // 16 bits; bytes
  __mmask64 channels;
  std::uint8_t* y;
  std::int32_t* sums;
};

enum class Output { Uint8, Int8, Sums };

void store_sums(const __m512i* sums, __mmask64 channels, std::int32_t* to) {
  alignas(64) std::int32_t lanes[kVectors][16];
  for (int v = 0; v < kVectors; ++v) _mm512_store_si512(lanes[v], sums[v]);
  depthwise_sums_in_order<kVectors>(lanes[0], 16, __builtin_popcountll(channels), to);
}

// `pixels` of them, from interleaved columns: those of a pixel lie `step` columns behind the last one's.
template <int pixels, Output output>
void outputs(const Block& b, const std::uint8_t* x, std::int64_t y_at, std::int64_t y_step) {
  __m512i sums[pixels][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const __m512i start = _mm512_loadu_si512(b.base + v * 16);
    for (int p = 0; p < pixels; ++p) sums[p][v] = start;
  }
  const std::int8_t* w = b.weights;
  const std::int64_t pixel = b.step * b.quads * kTaps * kBlock;
  for (std::int64_t c = 0; c < b.columns; ++c) {
    const std::uint8_t* column = x + c * b.dilation * b.quads * kTaps * kBlock;
    for (std::int64_t q = 0; q < b.quads; ++q, w += kTaps * kBlock, column += kTaps * kBlock)
      for (int v = 0; v < kVectors; ++v) {
        const __m512i weight = _mm512_loadu_si512(w + v * 64);
        for (int p = 0; p < pixels; ++p)
          sums[p][v] = _mm512_dpbusd_epi32(sums[p][v], _mm512_loadu_si512(column + p * pixel + v * 64), weight);
      }
  }
  if constexpr (output == Output::Sums) {
    for (int p = 0; p < pixels; ++p) store_sums(sums[p], b.channels, b.sums + y_at + p * y_step);
    return;
  }
  for (int p = 0; p < pixels; ++p) {
    __m512i whole[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      // Masks of all lanes, since GCC 12 takes what its other forms pass over for uninitialised.
      const __m512 sum = _mm512_maskz_cvtepi32_ps(kAll, sums[p][v]);
      const __m512 real = _mm512_mul_ps(sum, _mm512_loadu_ps(b.scale + v * 16));
      // What is too small becomes the least integer.
      whole[v] = _mm512_maskz_cvtps_epi32(kAll, _mm512_maskz_min_ps(kAll, real, b.top));
    }
    const __m512i first = _mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), b.zero);
    const __m512i second = _mm512_adds_epi16(_mm512_packs_epi32(whole[2], whole[3]), b.zero);
    __m512i bytes;
    if constexpr (output == Output::Int8)
      bytes = _mm512_min_epi8(b.high, _mm512_max_epi8(b.low, _mm512_packs_epi16(first, second)));
    else
      bytes = _mm512_min_epu8(b.high, _mm512_max_epu8(b.low, _mm512_packus_epi16(first, second)));
    _mm512_mask_storeu_epi8(b.y + y_at + p * y_step, b.channels, bytes);
  }
}

// `count` columns of 64 channels, `rows` of a quad's four, that lie `step` bytes apart; the quads, `distance` apart.
template <int rows>
void interleave(const std::uint8_t* const* from, std::int64_t step, std::int64_t count, __mmask64 channels,
                __m512i flip, std::uint8_t* to, std::int64_t distance) {
  const std::uint8_t* x[rows];
  for (int i = 0; i < rows; ++i) x[i] = from[i];
  for (std::int64_t j = 0; j < count; ++j, to += distance) {
    __m512i v[kTaps];
    for (int i = 0; i < kTaps; ++i) v[i] = _mm512_setzero_si512();
    for (int i = 0; i < rows; ++i, x[i - 1] += step)
      v[i] = _mm512_xor_si512(flip, _mm512_maskz_loadu_epi8(channels, x[i]));
    const __m512i ab_low = _mm512_unpacklo_epi8(v[0], v[1]), ab_high = _mm512_unpackhi_epi8(v[0], v[1]);
    const __m512i cd_low = _mm512_unpacklo_epi8(v[2], v[3]), cd_high = _mm512_unpackhi_epi8(v[2], v[3]);
    _mm512_storeu_si512(to, _mm512_unpacklo_epi16(ab_low, cd_low));
    _mm512_storeu_si512(to + 64, _mm512_unpackhi_epi16(ab_low, cd_low));
    _mm512_storeu_si512(to + 128, _mm512_unpacklo_epi16(ab_high, cd_high));
    _mm512_storeu_si512(to + 192, _mm512_unpackhi_epi16(ab_high, cd_high));
  }
}
using Interleave = decltype(&interleave<1>);
constexpr Interleave kInterleaves[kTaps] = {interleave<1>, interleave<2>, interleave<3>, interleave<4>};

// Columns [first, first + count) of the rows of a window, which may lie outside of the image.
void interleave_columns(const DepthwiseInt8Row& r, const Block& b, std::int64_t start, std::int64_t first,
                        std::int64_t count, std::uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(r.flip));
  const std::int64_t distance = b.quads * kTaps * kBlock;
  const std::int64_t before = std::clamp<std::int64_t>(-first, 0, count);
  const std::int64_t inside = std::clamp<std::int64_t>(r.width - first, before, count) - before;
  for (std::int64_t q = 0; q < b.quads; ++q, to += kTaps * kBlock) {
    const std::int64_t rows = std::min(kTaps, r.window_rows - q * kTaps);
    const Interleave run = kInterleaves[rows - 1];
    const std::uint8_t* outside[kTaps];
    const std::uint8_t* x[kTaps];
    bool all = true;  // of the rows are in the image
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::uint8_t* row = r.x[q * kTaps + i];
      outside[i] = r.outside;
      x[i] = row == nullptr ? r.outside : row + (first + before) * r.channels + start;
      all = all && row != nullptr;
    }
    run(outside, 0, before, b.channels, flip, to, distance);
    if (all) {
      run(x, r.channels, inside, b.channels, flip, to + before * distance, distance);
    } else {
      for (std::int64_t j = 0; j < inside; ++j) {
        run(x, 0, 1, b.channels, flip, to + (before + j) * distance, distance);
        for (std::int64_t i = 0; i < rows; ++i)
          if (x[i] != r.outside) x[i] += r.channels;
      }
    }
    run(outside, 0, count - before - inside, b.channels, flip, to + (before + inside) * distance, distance);
  }
}

template <Output output>
void block_row(const DepthwiseInt8Row& r, const Block& b, std::int64_t start) {
  auto* const work = static_cast<std::uint8_t*>(r.work);
  const std::int64_t window = (b.columns - 1) * b.dilation + 1;
  std::int64_t most = (columns_at_once(b.quads, window) - window) / r.stride + 1;
  if (most > 4) most = most / 4 * 4;
  const std::int64_t step = b.step * b.quads * kTaps * kBlock;
  for (std::int64_t p0 = 0; p0 < r.pixels; p0 += most) {
    const std::int64_t p1 = std::min(r.pixels, p0 + most);
    interleave_columns(r, b, start, p0 * r.stride - r.pad, (p1 - p0 - 1) * r.stride + window, work);
    const std::uint8_t* x = work;
    std::int64_t y_at = p0 * r.channels + start;
    std::int64_t left = p1 - p0;
    const auto go = [&]<int pixels>() {
      for (; left >= pixels; left -= pixels, x += pixels * step, y_at += pixels * r.channels)
        outputs<pixels, output>(b, x, y_at, r.channels);
    };
    go.template operator()<4>();
    go.template operator()<2>();
    go.template operator()<1>();
  }
}

void row(const DepthwiseInt8Row& r) {
  Block b;
  b.quads = quads_of(r.window_rows);
  b.columns = r.window_columns;
  b.step = r.stride;
  b.dilation = r.dilation;
  b.top = _mm512_set1_ps(static_cast<float>(r.high - r.zero));
  b.zero = _mm512_set1_epi16(static_cast<short>(r.zero));
  b.low = _mm512_set1_epi8(static_cast<char>(r.low));
  b.high = _mm512_set1_epi8(static_cast<char>(r.high));
  b.channels = r.channels >= kBlock ? ~__mmask64{0} : (__mmask64{1} << r.channels) - 1;
  b.weights = static_cast<const std::int8_t*>(r.weights);
  b.base = r.base;
  b.scale = r.scale;
  b.y = r.y;
  b.sums = r.sums;
  const std::int64_t blocks = (r.channels + kBlock - 1) / kBlock;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t start = depthwise_block_start(i, kBlock, r.channels);
    if (r.sums != nullptr)
      block_row<Output::Sums>(r, b, start);
    else if (r.is_signed)
      block_row<Output::Int8>(r, b, start);
    else
      block_row<Output::Uint8>(r, b, start);
    b.weights += b.columns * b.quads * kTaps * kBlock;
    b.base += kBlock;
    b.scale += kBlock;
  }
}

std::size_t work_bytes(std::int64_t rows, std::int64_t width) {
  return static_cast<std::size_t>(columns_at_once(quads_of(rows), width) * quads_of(rows) * kTaps * kBlock);
}

constexpr DepthwiseInt8Table kTable = {kVectors, 16, kTaps, true, 1, work_bytes, row};

}  // namespace
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const DepthwiseInt8Table* depthwise_int8_vnni_table() {
#if defined(__x86_64__)
  return has_vnni() ? &kTable : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
