// The end of every quantization: whole numbers, a zero point added, what the type cannot hold saturated.
#pragma once
#include <vector>

#include "norn/value.h"

namespace norn::ops {

// The quotient and the zero point as what `to` stores: for integer types the quotient is rounded, halves to even,
// before the zero point is added.
double with_zero_point(DataType to, double quotient, double zero_point);

// Fills `y`. Out of range gives the nearest value; without `saturate`, 8-bit floating formats take an infinity or NaN.
// The standard leaves NaN as an integer open: it is the lowest.
void store_quantized(Tensor& y, const std::vector<double>& values, bool saturate = true);

}  // namespace norn::ops
