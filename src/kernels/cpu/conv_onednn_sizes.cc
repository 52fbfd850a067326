// The sizes that oneDNN's convolutions can count.
#include <algorithm>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/onednn.h"

namespace norn::kernels {

// It keeps in int: dimensions, numbers of blocks of all of them together, distances within an image in bytes, and
// elements of an image whose channels are rounded up to whole vectors.
std::string onednn_conv_size_refusal(const ConvConfig& c) {
  std::string why = "larger than oneDNN can count";
  constexpr std::int64_t kBlock = 16;            // channels of its widest vectors, to which it rounds up
  constexpr std::int64_t kLongestRow = 1 << 20;  // it tries every way to cut one, up to 10 microseconds each
  if (c.out.back() > kLongestRow) return "rows too long for oneDNN to plan";
  const auto blocks = [](std::int64_t channels) { return (channels + kBlock - 1) / kBlock * kBlock; };
  const auto pixel = [&](std::int64_t channels) { return std::max(channels * 4, blocks(channels)); };
  std::int64_t in_room = pixel(c.x[1]), out_room = pixel(c.out[1]);
  auto weight_room = bounded_product({c.group, blocks(c.w[1]), blocks(c.w[0] / c.group), 4}, kMostOneDnn);
  for (std::size_t d = c.x.size() - 2; d-- > 0;) {  // the innermost first
    const std::int64_t in_size = c.x[d + 2] + c.pads_begin[d] + c.pads_end[d];
    const auto in = bounded_product({in_room, in_size}, kMostOneDnn);
    const auto out = bounded_product({out_room, c.out[d + 2]}, kMostOneDnn);
    if (!in || !out || !bounded_product({in_room, std::max(c.strides[d], c.dilations[d])}, kMostOneDnn)) return why;
    if (weight_room) weight_room = bounded_product({*weight_room, c.w[d + 2]}, kMostOneDnn);
    in_room = *in;
    out_room = *out;
  }
  if (!weight_room || !bounded_product({c.x[0], in_room / 4}, kMostOneDnn) ||
      !bounded_product({c.x[0], out_room / 4}, kMostOneDnn))
    return why;
  return "";
}

}  // namespace norn::kernels
