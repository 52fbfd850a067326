// Sizes rounded up: of buffers to cache lines, of counts to whole vectors, tiles or panels. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>

namespace norn::kernels {

inline std::size_t align64(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// To a multiple of `to`.
inline std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

}  // namespace norn::kernels
