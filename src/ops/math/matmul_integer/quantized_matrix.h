// Operands of products of quantized matrices, as reference kernels read them.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/math/matmul_integer/matmul_integer.h"
#include "opset/reference.h"

namespace norn::ops {

// Input `input`, matrices of `rows` x `columns` for each index of `batch`, with the zero points of input `zero_point`
// (if there is one) subtracted: exact, as are sums of products of 8-bit integers in double.
std::vector<double> without_zero_point(const opset::ReferenceContext& ctx, int input, int zero_point, norn::Shape batch,
                                       std::int64_t rows, std::int64_t columns, By by);

}  // namespace norn::ops
