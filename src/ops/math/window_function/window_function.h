// Windows for spectral analysis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BlackmanWindow, HammingWindow, HannWindow;

}  // namespace norn::ops
