// The gated linear unit of transformers: swish of the gate, times the value.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SwiGLU;

}  // namespace norn::ops
