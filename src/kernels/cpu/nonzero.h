// Where elements are that are not zero: ONNX NonZero. NaN is not zero, minus zero is.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then a LateOutput of int64 [rank of x, elements that are not zero]. Places ascend.
struct NonZeroConfig {
  DataType type = DataType::Bool;
  Shape x;
};
std::span<const Candidate<NonZeroConfig>> nonzero_candidates();

// For n elements of 1, 2, 4 or 8 bytes, which are zero if they are so but for the bits outside of `mask`.
struct NonZeroLoops {
  // How many are not zero.
  std::int64_t (*count)(const void* x, std::int64_t n, std::uint64_t mask) = nullptr;
  // Writes the places of these `count`, counted from `first`.
  void (*places)(const void* x, std::int64_t n, std::uint64_t mask, std::int64_t first, std::int64_t* places,
                 std::int64_t count) = nullptr;
};
NonZeroLoops nonzero_loops(std::size_t element_bytes);

}  // namespace norn::kernels
