// Layer normalisation of rows of a half type, computed in f32. Internal to the kernels.
#pragma once
#include <cstdint>

#include "norn/types.h"

namespace norn::kernels {

// Scale and bias may be null, and the output where x is.
using HalfNormLoop = void (*)(const std::uint16_t* x, const std::uint16_t* scale, const std::uint16_t* bias,
                              std::uint16_t* out, std::int64_t n, float epsilon);
HalfNormLoop half_norm_loop(DataType type, bool root_mean_square);

}  // namespace norn::kernels
