// Sums of exponentials of integers, whose distances from the largest one are integers as well. Internal to the kernels.
#pragma once
#include <array>
#include <cstdint>

#include "norn/types.h"

namespace norn::kernels {

// exp(-63), 2^31 times, is not seen beside 1.
constexpr std::size_t kDistances = 64;
using Exponentials = std::array<double, kDistances>;  // by distance

// The sum of exp(x - most) over n elements; `most` has the bits of the largest one, and none lies further from it than
// the type's unsigned numbers reach.
using ExponentialSum = double (*)(const void* x, std::int64_t n, std::uint64_t most, const Exponentials& table);
// Of int32, int64, uint32 and uint64; null where registers do not hold the table.
ExponentialSum exponential_sum(DataType type);

// sums[i] = the sum of exp(x[k * stride + i] - most[i]) over k < n, for whole vectors of 8 columns; where registers do
// not hold the table, too.
using ExponentialColumns = void (*)(const void* x, std::int64_t stride, std::int64_t n, const void* most,
                                    std::int64_t columns, const Exponentials& table, double* sums);
ExponentialColumns exponential_columns(DataType type);

}  // namespace norn::kernels
