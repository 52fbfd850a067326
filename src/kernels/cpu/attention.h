// Scaled dot-product attention, in f32 or double: softmax(scale Q K^T + bias) V for each head.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/kernel.h"

namespace norn::kernels {

// Distances, in elements, of batches, heads, rows and columns; 0 where an operand broadcasts.
using HeadStrides = std::array<std::int64_t, 4>;

// Flags put -infinity in the place of scores that are not to be seen, which may be NaN; a Choice puts another number
// there. Summands are added.
enum class AttentionMask : std::uint8_t { None, Flags, Summands, Choice };

// Operands: q, k, v, mask, past_key, past_value, lengths, bias, then the outputs y, present_key, present_value, scores.
//
// Heads of q share those of k and v in groups of heads / kv_heads. The keys are those of past_key, dense
// [batch, kv_heads, past, size], and k behind them; values alike. A key is hidden from a query
//   - whose flag is false, or for which the mask, of `mask_keys` columns, has none;
//   - that it follows (`causal`), or is further before or behind than a window says: query i is at past + i, or, with
//     `lengths`, at lengths[batch] - rows + i;
//   - at lengths[batch] or beyond.
// A query from which all keys are hidden gives zeros, or NaN with `blind_is_nan`; with `nan_is_zero` so does one whose
// probabilities are NaN. Unless the scores are given out, values of keys that no query of a block sees by its place
// are not read.
//
// `bias` is a second summand, of all keys: it comes before the mask, or, with `bias_behind`, after it.
struct AttentionConfig {
  DataType type = DataType::Float;
  std::int64_t batch = 1, heads = 1, kv_heads = 1, rows = 1, keys = 1, past = 0, size = 1, v_size = 1;
  HeadStrides q{}, k{}, v{};
  bool y_by_rows = false;  // y is [batch, rows, heads, v_size], else [batch, heads, rows, v_size]
  AttentionMask mask = AttentionMask::None;
  HeadStrides mask_strides{};
  std::int64_t mask_keys = 0;
  float hidden = 0;         // Choice: the value of a score that is not chosen
  bool flags_hide = false;  // Choice: a flag that is set hides
  bool bias = false, bias_behind = false;
  HeadStrides bias_strides{};
  bool causal = false, lengths = false;
  std::int64_t left_window = -1, right_window = -1;  // below 0: none
  double scale = 1, softcap = 0;                     // no cap if 0
  bool blind_is_nan = false, nan_is_zero = false;
  bool gives_present = false;  // past and new keys and values as one, dense
  int scores_stage = -1;  // which scores are given: 0 scaled products, 1 capped, 2 with bias, 3 probabilities; -1 none

  std::int64_t total() const noexcept { return past + keys; }
  bool by_place() const noexcept { return causal || lengths || left_window >= 0 || right_window >= 0; }
  bool biased() const noexcept { return by_place() || mask != AttentionMask::None || bias; }
};
std::span<const Candidate<AttentionConfig>> attention_candidates();
// Internal to the kernels: what attention.cc has no candidate for.
std::string product_attention_refuses(const AttentionConfig& c);
std::unique_ptr<Kernel> make_product_attention(const AttentionConfig& c, PackedConstants&);

// The loops for each instruction set, on blocks of scores that are stored key by key, kAttentionRows queries each, of
// which the first `rows` matter.
inline constexpr std::int64_t kAttentionRows = 64;
struct AttentionTable {
  // to[d][r] = factor * from[r][d * column] for `size` columns of `rows` rows, and zeros behind them.
  void (*pack)(const float* const* from, std::int64_t column, std::int64_t rows, std::int64_t size, float factor,
               float* to);
  // scores[j][r] = the sum over d < size of k[j * k_row + d * k_column] * queries[d][r].
  void (*multiply)(std::int64_t keys, std::int64_t size, const float* k, std::int64_t k_row, std::int64_t k_column,
                   const float* queries, float* scores, std::int64_t rows);
  // Hides key `first` + j from query r unless low[r] <= first + j < high[r].
  void (*hide)(float* scores, std::int64_t keys, std::int64_t first, const std::int32_t* low, const std::int32_t* high,
               std::int64_t rows);
  // Puts `hidden` in the place of scores[j][r] where flags[j][r], stored as scores are, is 0, or not 0 if `set_hides`.
  void (*choose)(float* scores, std::int64_t keys, const std::uint8_t* flags, bool set_hides, float hidden,
                 std::int64_t rows);
  // scores[j][r] += mask[j * stride], or mask[r][j], for every r.
  void (*add_column)(float* scores, std::int64_t keys, const float* mask, std::int64_t stride, std::int64_t rows);
  void (*add_rows)(float* scores, std::int64_t keys, const float* const* mask, std::int64_t rows);
  // Turns scores into exp(score - top), where `top` has taken their maximum in, and adds them to `sum`, which goes by
  // `factor` before, as all that was computed with the `top` before has to. If `biased`, a top of -infinity counts as
  // 0.
  void (*softmax)(float* scores, std::int64_t keys, float* top, float* sum, float* factor, bool biased,
                  std::int64_t rows);
  // y[r][at + d] = by[r], if given, times the sum over j < keys of scores[j][r] * v[j * v_row + d], for d < n.
  void (*weigh)(std::int64_t rows, std::int64_t keys, std::int64_t n, const float* scores, const float* v,
                std::int64_t v_row, float* const* y, std::int64_t at, const float* by);
  // y[r] = y[r] * factor[r] + part[r], rows of n elements.
  void (*combine)(float* y, const float* part, const float* factor, std::int64_t rows, std::int64_t n);
};
const AttentionTable& attention_table();

}  // namespace norn::kernels
