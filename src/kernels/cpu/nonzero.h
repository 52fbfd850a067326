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

// For elements of 1, 2, 4 or 8 bytes: writes the places of those of n that are not zero but for the bits outside of
// `mask`, counted from `first`, and returns how many these are. There is room for n places.
using NonZeroLoop = std::int64_t (*)(const void* x, std::int64_t n, std::uint64_t mask, std::int64_t first,
                                     std::int64_t* places);
NonZeroLoop nonzero_loop(std::size_t element_bytes);

}  // namespace norn::kernels
