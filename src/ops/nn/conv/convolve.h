// The loop of every convolution's reference kernel.
#pragma once
#include <vector>

#include "norn/types.h"
#include "ops/nn/conv/conv.h"

namespace norn::ops {

// The shape of the output for x and w of these shapes.
norn::Shape convolved_shape(const ConvParams& params, const norn::Shape& x, const norn::Shape& w);

// For batch n, filter m of group g and output position o
//
//   y[n, m, o] = bias[m] + sum over c, k of w[m, c, k] * x[n, g * C/group + c, o * stride + k * dilation - pad]
//
// where k goes over the kernel's positions that lie inside the input. Summed in double, in that order: exact for
// integers of 8 bits.
std::vector<double> convolve(const ConvParams& params, const norn::Shape& x_dims, const norn::Shape& w_dims,
                             const std::vector<double>& x, const std::vector<double>& w,
                             const std::vector<double>& bias);

}  // namespace norn::ops
