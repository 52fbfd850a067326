// Element-wise steps in f32 on values that are quantized before, behind, or both: a tile of the integers becomes real,
// goes through all steps, and is quantized while it lies in the first cache.
#pragma once
#include <span>

#include "kernels/cpu/elementwise.h"

namespace norn::kernels {

// Operands: inputs..., then for each input its scale (f32) and zero point (of its type; null for 0), null both for one
// that is f32; then the output's scale and zero point, null for one that is f32; then the output.
struct QuantizedChainConfig {
  ChainConfig chain;             // of type Float
  std::vector<DataType> inputs;  // of each: Float, Uint8 or Int8, which has the output's dims and layout
  DataType out = DataType::Float;
};
std::span<const Candidate<QuantizedChainConfig>> quantized_chain_candidates();

}  // namespace norn::kernels
