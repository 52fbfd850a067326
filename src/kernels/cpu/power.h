// Powers whose base and exponent are of different types. Those of one type are a typed operation (typed.h) or a step of
// a chain.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: bases, exponents, then the output, of the bases' type. Floating bases are raised in double and rounded
// once. Integers to integers wrap around; to fractions they go through double, and what does not fit throws
// RuntimeError, as does 0 to a negative integer.
struct PowerConfig {
  DataType base = DataType::Float, exponent = DataType::Int64;
  Shape bases, exponents, out;  // the first two broadcast to out
};
std::span<const Candidate<PowerConfig>> power_candidates();

}  // namespace norn::kernels
