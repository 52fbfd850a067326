// The Fourier transform of overlapping frames.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator STFT;

}  // namespace norn::ops
