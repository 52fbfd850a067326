// Products of a convolution with channels first: filters times panels of patches, whose columns are pixels of the
// output. Internal to the kernels.
#pragma once
#include <cstdint>

#include "kernels/cpu/bounds.h"

namespace norn::kernels {

// Elements of a channel that lie `apart` from each other, to be neighbours in a row of a panel from `to` on.
struct PatchRun {
  std::int64_t from;
  std::int32_t n, to;
};
// What a tap of the window gives to a panel: some runs, `count` elements in all.
struct PatchTap {
  std::int32_t runs, count;
};

// Neighbouring pixels of the output, no more than a vector has: where the element lies that offsets count from, and the
// first filter's pixels.
struct PixelVector {
  const float* from;
  float* out;
  std::int64_t n;
};

struct ChannelsFirstTable {
  std::int64_t lanes;      // of a vector; a panel has two
  std::int64_t most_rows;  // filters of a tile

  // The rows of a panel, one for each tap of each channel: elements of the tap's runs, zeros around them. The runs of
  // all taps lie one after the other; channels of x are `plane` apart. Reads the runs' elements alone.
  void (*pack)(const PatchTap* taps, std::int64_t tap_count, const PatchRun* runs, std::int64_t apart, const float* x,
               std::int64_t channels, std::int64_t plane, float* to);
  // to[i] = from[i * apart], i < n.
  void (*take)(const float* from, std::int64_t apart, std::int64_t n, float* to);

  // For each of one or two vectors, f <= most_rows and p < n: out[f * out_row + p] = clamp(start + sum over d of
  // w[f, d] * from[offsets[d] + p], bounds); NaN stays. It starts from out if `onto`, else from bias[f]. w[f, d]
  // lies at weights[d * filters + f] if `weights_row` is 0, else at weights[f * weights_row + d]. Whole vectors are
  // read.
  void (*multiply)(std::int64_t filters, std::int64_t depth, const float* weights, std::int64_t weights_row,
                   const std::int64_t* offsets, const PixelVector* vectors, std::int64_t count, std::int64_t out_row,
                   const float* bias, bool onto, const Bounds& bounds);
};
const ChannelsFirstTable& channels_first_table();

}  // namespace norn::kernels
