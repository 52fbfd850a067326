// Positions as rotations of pairs of elements, f32.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, cosines, sines, positions (int64 [batch, tokens], or null), then y. A head of `size` contiguous elements
// lies at strides [batch, token, head]; its first `rotated` elements are turned, pairs being neighbours (`interleaved`)
// or halves apart. Caches have `cache_rows` rows of rotated / 2; without positions a token's row is at row_strides
// [batch, token].
struct RotaryConfig {
  std::int64_t batch = 1, tokens = 1, heads = 1, size = 1, rotated = 1;
  std::array<std::int64_t, 3> x{}, y{};
  bool interleaved = false, by_position = false;
  std::int64_t cache_rows = 1;
  std::array<std::int64_t, 2> row_strides{};
};
std::span<const Candidate<RotaryConfig>> rotary_candidates();

// Turns n pairs; out may be x.
struct RotaryTable {
  void (*halves)(const float* x, const float* cosines, const float* sines, float* out, std::int64_t n);
  void (*neighbours)(const float* x, const float* cosines, const float* sines, float* out, std::int64_t n);
};
const RotaryTable& rotary_table();

}  // namespace norn::kernels
