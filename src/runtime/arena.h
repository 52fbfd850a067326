// Memory of a segment's intermediate values: places by lifetime.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "norn/types.h"

namespace norn::runtime {

// Bytes of a tensor; nothing if 63 bits cannot count them.
std::optional<std::int64_t> tensor_bytes(DataType type, const Shape& dims);

inline constexpr std::size_t kArenaAlign = 64;
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// Memory that the steps `first` to `last` need.
struct Block {
  std::size_t bytes = 0;
  std::int64_t first = 0, last = 0;  // kForever: to the end of the run
  bool in_place =
      false;           // may lie where a block of its size lies that step `first` is the last to read, and that yields
  bool yields = true;  // its last reader reads each element just before it writes the one at that place
  std::size_t offset = 0;  // what lay_out() finds
};

// Gives each block a place, so that no two that are needed at the same time overlap. Returns the bytes needed in all.
std::size_t lay_out(std::span<Block> blocks, std::size_t steps);

}  // namespace norn::runtime
