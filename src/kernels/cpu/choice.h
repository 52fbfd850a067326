// Comparison and logic, element by element, into bools; and the choice between two tensors by a condition. Everything
// is dense and broadcasts to the output.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class PairOp : std::uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual, And, Or, Xor };

// Operands: a, b, then the output, of bools.
struct PairConfig {
  PairOp op = PairOp::Equal;
  DataType type = DataType::Float;  // of a and b; Bool for logic
  Shape a, b, out;
};
std::span<const Candidate<PairConfig>> pair_candidates();
// The loop for n elements of dense memory; null where there is none for the type.
using PairLoop = void (*)(const void* a, const void* b, std::uint8_t* out, std::int64_t n);
PairLoop pair_loop(PairOp op, DataType type);

// Operands: condition (bools), x, y, then the output: ONNX Where.
struct WhereConfig {
  Shape condition, x, y, out;
  std::size_t element_bytes = 4;
};
std::span<const Candidate<WhereConfig>> where_candidates();

}  // namespace norn::kernels
