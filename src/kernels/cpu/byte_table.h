// Each byte becomes what a table of 256 has for it.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output, which may lie in the same place.
struct ByteTableConfig {
  std::array<std::uint8_t, 256> table = {};
  std::int64_t elements = 0;
};
std::span<const Candidate<ByteTableConfig>> byte_table_candidates();

}  // namespace norn::kernels
