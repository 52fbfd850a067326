// The vectorised parts of Winograd's convolution F(4x4, 3x3), chosen once for the machine. Internal to the kernels.
//
// Lavin, Gray: Fast Algorithms for Convolutional Neural Networks (2015). A tile of 4 x 4 outputs follows from 6 x 6
// inputs: both are transformed to 36 points, where 36 products stand for 144.
#pragma once
#include <cstdint>

namespace norn::kernels {

inline constexpr std::int64_t kWinogradTile = 4;     // outputs of a tile in each direction
inline constexpr std::int64_t kWinogradPatch = 6;    // inputs
inline constexpr std::int64_t kWinogradPoints = 36;  // what both are transformed to

// Polynomials are evaluated at 0, +-a, +-b and infinity. Of pairs whose powers are exact these gave the smallest
// errors: a fifth of those of the usual 1 and 2.
inline constexpr float kWinogradA = 0.75f, kWinogradB = 1.5f;

inline constexpr std::int64_t kWinogradWidest = 64;  // panel of weights

// Each output of a tile is off by a share of the largest that goes into the tile, read by it or not: by some 3e-6 of
// the product of both factors' norms, those of a pixel over its channels and of a filter's tap. The sum of products
// that it stands for is as large as the norms of its window, times the root of its elements. So outputs have to be
// computed directly if a window's sum of squares is less than that of the largest pixel divided by this and the
// channels: they would be off by more than 4e-6 of the product of the norms of window and filter, which is about the
// sum of absolute products where elements are alike. Sums of a few small products among many zeros are less precise.
inline constexpr float kWinogradOutlier = 8;

// Filters that read a few elements of their windows only, such as the identity, sum up less than that. They are
// computed directly: those whose largest tap's norm, times the root of the channels, is more than this share of the sum
// of their absolute weights (a seventh where all weights are alike), and those with one tap that leaves less than this
// share of the sum of squares to the other eight.
inline constexpr double kWinogradNarrow = 1.3, kWinogradOneTap = 0.01;

inline constexpr std::int64_t kWinogradDeepest = 8;  // planes that an output reads

// What an element of a product is the sum of: of `parts` parts of `terms` terms each, which lie `part` apart in a row
// of the left factor and behind each other in the right one. Rows of the left factor lie `row` apart.
struct WinogradTerms {
  std::int64_t terms, parts, part, row;
};

struct WinogradTable {
  std::int64_t lanes;  // floats of a vector
  std::int64_t width;  // of a panel of weights: a multiple of lanes
  // The points of one patch: element (i, j, c) of it at x[i * row + j * column + c]; point p of channel c goes to
  // points[p * point_step + c], zeros up to a multiple of lanes. Bit 4 i + j of again[k], k < depth: output (i, j) has
  // to be computed directly if it reads the patch with taps that weigh channel c by shares[k * channels + c].
  void (*input)(const float* x, std::int64_t row, std::int64_t column, std::int64_t channels, const float* shares,
                std::int64_t depth, float* points, std::int64_t point_step, std::uint16_t* again);
  // c[m, n] = sum over terms k of a[m, k] b[k, n]. `b` has panels of `width` columns, the last as wide as its columns
  // need, in multiples of lanes; c is written to such multiples.
  void (*multiply)(std::int64_t m, std::int64_t n, const WinogradTerms& terms, const float* a, const float* b, float* c,
                   std::int64_t c_row);
  // The tile that the points give, and the bias (or null): output (i, j, c) for i < rows and j < columns goes to
  // out[i * row + j * column + c]. False if one of them is not finite.
  bool (*output)(const float* points, std::int64_t point_step, const float* bias, std::int64_t channels,
                 std::int64_t rows, std::int64_t columns, float* out, std::int64_t row, std::int64_t column);
};
const WinogradTable& winograd_table();

}  // namespace norn::kernels
