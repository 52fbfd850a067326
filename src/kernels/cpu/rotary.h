// Positions as rotations of pairs of elements, of f32 or, computed in f32, of a half type.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "kernels/kernel.h"
#include "norn/types.h"

namespace norn::kernels {

// Operands: x, cosines, sines, positions (int64 [batch, tokens], or null), then y. A head of `size` contiguous elements
// lies at strides [batch, token, head]; its first `rotated` elements are turned, pairs being neighbours (`interleaved`)
// or halves apart. Caches have `cache_rows` rows of rotated / 2; without positions a token's row is at row_strides
// [batch, token].
struct RotaryConfig {
  DataType type = DataType::Float;  // of x, the caches and y: Float, Float16 or BFloat16
  std::int64_t batch = 1, tokens = 1, heads = 1, size = 1, rotated = 1;
  std::array<std::int64_t, 3> x{}, y{};
  bool interleaved = false, by_position = false;
  std::int64_t cache_rows = 1;
  std::array<std::int64_t, 2> row_strides{};
};
std::span<const Candidate<RotaryConfig>> rotary_candidates();

// Turns n pairs; out may be x.
using Rotation = void (*)(const void* x, const void* cosines, const void* sines, void* out, std::int64_t n);
Rotation rotation(DataType type, bool interleaved);

}  // namespace norn::kernels
