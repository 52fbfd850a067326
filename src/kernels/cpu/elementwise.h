// Chains of element-wise steps: a tile of the output at a time goes through all steps while it lies in the first cache.
//
// f32 functions are polynomial; their largest errors stand in math-inl.h. NaN goes through every step
// except where ONNX says otherwise; Max and Min give NaN if either side is NaN.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: inputs..., then the output. The running value starts as input 0 broadcast to `out`.
// The output may lie where an input of its dims and layout lies.
struct ChainConfig {
  Shape out;
  Layout layout = Layout::Dense;     // of the output
  std::vector<ExtraOperand> inputs;  // each broadcasts to out
  std::vector<ElementStep> steps;    // their operand is an index into inputs; no steps at all is a broadcast copy
  // Float: every step. Double: Identity, Abs, Neg, Relu, Sqrt, Add, Sub, Mul, Div, Max, Min. Int32, Int64: Identity,
  // Abs, Neg, Relu, Add, Sub, Mul, Max, Min (wrapping).
  DataType type = DataType::Float;
};
std::span<const Candidate<ChainConfig>> chain_candidates();

}  // namespace norn::kernels
