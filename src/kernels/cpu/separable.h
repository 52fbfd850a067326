// A depthwise convolution and the products over channels (convolutions of 1 x 1) before and behind it, f32, channels
// last: what one gives the next reads in the cache.
#pragma once
#include <array>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, the weights and the bias (null without one) of each of the three, extras..., then the output.
struct SeparableConfig {
  enum Stage : std::uint8_t { Expand, Depthwise, Project };
  Shape x;                  // N, C, H, W
  Shape out;                // N, M, rows, columns
  std::int64_t middle = 1;  // channels of the depthwise convolution
  // Of Expand [middle, C, 1, 1] and Project [M, middle, 1, 1], both of which may be missing, and Depthwise
  // [middle, 1, window...].
  std::array<Contents, 3> weights;
  std::array<bool, 3> has_bias{};
  Shape window, strides, dilations,
      pads_begin;  // of the depthwise convolution; pads at the end follow from the output's sizes
  std::vector<ElementStep> post_expand, post_depthwise;  // unary; those of the last convolution are in `post`
  std::vector<ElementStep> post;
  std::vector<ExtraOperand> extra;  // for post; one of full size has its channels last
  bool rounds = false;              // the products' factors, to bfloat16; sums are f32

  bool expands() const noexcept { return weights[Expand].known(); }
  bool projects() const noexcept { return weights[Project].known(); }
};
std::span<const Candidate<SeparableConfig>> separable_candidates();
// Whether products of rounded factors take less time: not on CPUs with tiles (AMX), whose dot products of bfloat16 take
// 1.4 times as long as those of float.
bool separable_rounding_pays();

// Internal to the kernels. Memory that is expected behind the second cache, and may be fetched meanwhile.
struct Upcoming {
  const void* at = nullptr;  // what will be read next; null for nothing
  std::int64_t bytes = 0;
  bool panels = false;  // those of `b`
  bool rows = false;    // of `c` and `added`
};

// Whether so many floats are likely to have left a second cache of 1 MiB between two uses.
constexpr bool is_far(std::int64_t floats) { return floats > (std::int64_t{1} << 17); }

// Internal to the kernels: loops for a target's instruction set.
struct SeparableTable {
  std::int64_t lanes, width;  // floats of a vector, and of a panel of weights
  // c[m, n] = the sum over k of a[m, k] b[k, n], the bias and `added`, which lies as c does (or null), within bounds.
  // `b` has panels of `width` columns, the last as wide as its columns need, in multiples of lanes; `next` is what will
  // be read after them.
  void (*multiply)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                   Upcoming next, const float* bias, const float* added, float low, float high, float* c,
                   std::int64_t c_row);
  // The same for one panel, of up to `width` columns, whose rows are `b_row` apart and hold whole vectors. `added` may
  // be c itself.
  void (*multiply_panel)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                         const float* b, std::int64_t b_row, Upcoming next, const float* bias, const float* added,
                         float low, float high, float* c, std::int64_t c_row);
  // out[p * out_step + c] = the bias and, for each of `rows` rows r and `taps` taps t, the sum of
  // x[r][p * pixel_step + t * tap_step + c] w[r][t * w_step + c], within bounds.
  void (*depthwise)(std::int64_t pixels, std::int64_t channels, std::int64_t rows, const float* const* x,
                    std::int64_t pixel_step, std::int64_t taps, std::int64_t tap_step, const float* const* w,
                    std::int64_t w_step, const float* bias, float low, float high, float* out, std::int64_t out_step);
};
const SeparableTable& separable_table();
// Weights [n, k] as multiply() reads them.
std::shared_ptr<const void> pack_for_separable(const Contents& weights, std::int64_t n, std::int64_t k,
                                               std::int64_t width, PackedConstants& packed);

}  // namespace norn::kernels
