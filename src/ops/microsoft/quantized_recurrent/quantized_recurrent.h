// Recurrent layers whose weights are 8-bit integers.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator DynamicQuantizeLSTM;

}  // namespace norn::ops::microsoft
