// Depthwise convolutions of 8-bit integers, a row of the output at a time, for each instruction set. Internal to the
// kernels.
//
// Channels go in blocks of `sums` vectors of `lanes` sums: the one in lane l of vector s is of channel
// 4 * sums * (l / 4) + 4 * s + l % 4 of its block, in which order interleaving and packing leave them where vectors
// consist of 128-bit blocks. The last block ends with the last channel, and may overlap the one before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace norn::kernels {

struct DepthwiseInt8Row {
  const std::uint8_t* const* x;  // for each row of the window, a row of pixels; null for one that is outside
  const std::uint8_t* outside;   // a pixel of what is outside
  std::uint8_t flip;             // int8 is read as uint8 by flipping this bit
  std::int64_t width, channels;
  std::int64_t window_rows, window_columns, stride, dilation, pad;  // along a row
  const void* weights;                                              // by block, group of taps, vector, lane, tap
  const std::int32_t* base;                                         // sums begin with; by block, vector and lane
  const float* scale;                                               // likewise
  std::int32_t zero, low, high;
  std::uint8_t* y;
  std::int32_t* sums;  // if not null, the sums go here, [pixel][channel], and are not quantized
  std::int64_t pixels;
  bool is_signed;  // y
  void* work;
};

struct DepthwiseInt8Table {
  std::int64_t sums, lanes;
  // Taps that are multiplied together: of a column of the window, one below the other, or whatever follow one another.
  std::int64_t taps;
  bool by_column;
  std::size_t weight_bytes;  // 1: int8, 2: int16
  // That each task needs, by the window's rows and its width in pixels, holes included.
  std::size_t (*work_bytes)(std::int64_t rows, std::int64_t width);
  void (*row)(const DepthwiseInt8Row& row);

  std::int64_t block() const { return sums * lanes; }
};
// The widest window, holes included, in pixels, and the most taps that it may have.
constexpr std::int64_t kDepthwiseColumns = 64, kDepthwiseTaps = 64;

const DepthwiseInt8Table& depthwise_int8_table();
// With dot products of bytes, where there are any; else null.
const DepthwiseInt8Table* depthwise_int8_vnni_table();

inline std::int64_t depthwise_block_start(std::int64_t block, std::int64_t of, std::int64_t channels) {
  const std::int64_t start = block * of;
  return start + of <= channels ? start : channels > of ? channels - of : 0;
}

// The sums of a block's first `channels`, of `vectors` vectors that lie `lanes` apart, in the order of channels.
template <int vectors>
inline void depthwise_sums_in_order(const std::int32_t* sums, std::int64_t lanes, std::int64_t channels,
                                    std::int32_t* to) {
  const auto at = [&](std::int64_t c) { return sums + c / 4 % vectors * lanes + c / (4 * vectors) * 4 + c % 4; };
  std::int64_t c = 0;
  for (; c + 4 <= channels; c += 4) std::memcpy(to + c, at(c), 4 * sizeof *to);
  for (; c < channels; ++c) to[c] = *at(c);
}

}  // namespace norn::kernels
