// Convolution of 8-bit integers into 32 bits.
#pragma once
#include "opset/infer_context.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConvInteger;

// Requires that an input, a scale or zero point, is one number or has one for each filter of input `w`.
void infer_per_filter(opset::InferContext& ctx, int input, int w);

}  // namespace norn::ops
