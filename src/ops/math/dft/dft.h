// The discrete Fourier transform along an axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DFT;

}  // namespace norn::ops
