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

// y[i] = table[x[i]]; y may be x. Internal to the kernels.
using ByteLookup = void (*)(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, std::int64_t n);
ByteLookup byte_lookup();
ByteLookup shuffled_lookup();  // of every machine

}  // namespace norn::kernels
