// The greatest or least elements along an axis, in order, with their positions; of equal ones the first come first. NaN
// is the greatest, and both zeros are equal.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, of outer * n * inner elements, then the outputs of outer * k * inner: the elements, or null, and their
// positions (int64), or null.
struct TopKConfig {
  DataType type = DataType::Float;
  bool largest = true;
  std::int64_t k = 1, outer = 1, n = 1, inner = 1;
};
std::span<const Candidate<TopKConfig>> topk_candidates();

// For a target's instruction set. Keys are integers, of 64 bits for elements of 64 bits and of 32 for others, that
// ascend as the elements do, or descend if `reversed`.
struct TopKLoops {
  // The keys of n elements.
  void (*keys)(const void* x, std::int64_t n, bool reversed, void* keys) = nullptr;
  // maxima[l]: the greatest of keys l, l + lanes, l + 2 lanes, ...; n >= lanes, a multiple of 64.
  void (*maxima)(const void* keys, std::int64_t n, void* maxima, std::int64_t lanes) = nullptr;
  // The positions, ascending, of keys above *bound, and of the first k that are the bound, if not of more of them;
  // returns how many.
  std::int64_t (*not_below)(const void* keys, std::int64_t n, const void* bound, std::int64_t k,
                            std::uint32_t* at) = nullptr;
  // Of n rows, `stride` elements apart, the k greatest keys of each of `columns`, a multiple of 16, in order, and their
  // rows: of column c the j-th is at [c / 16][j][c % 16], both in the keys' type. k is at most n.
  void (*best)(const void* x, std::int64_t n, std::int64_t stride, std::int64_t columns, bool reversed, std::int64_t k,
               void* keys, void* rows) = nullptr;
};
TopKLoops topk_loops(DataType type);

}  // namespace norn::kernels
