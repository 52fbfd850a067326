// The recurrent layers.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LSTM, GRU, RNN;

}  // namespace norn::ops
