// Layer normalisation of rows of double. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

// A row of n elements, as LayerNormConfig has it; scale and bias may be null. The output may lie where x does.
using DoubleNormLoop = void (*)(const double* x, const double* scale, const double* bias, double* out, std::int64_t n,
                                double epsilon);
DoubleNormLoop double_norm_loop(bool root_mean_square, bool rounds_to_float);

}  // namespace norn::kernels
