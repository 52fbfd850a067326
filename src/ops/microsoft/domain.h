// The operators that ONNX Runtime adds to ONNX's. Norn knows those that published models use, and runs them as function
// bodies of ONNX's operators.
#pragma once
#include "opset/domains.h"

namespace norn::ops::microsoft {

using opset::kMicrosoftDomain;
// The version of ONNX's operator set that the bodies are of.
inline constexpr int kBodyOpset = 28;

}  // namespace norn::ops::microsoft
