// Recurrent layers whose weights are 8-bit integers.
#pragma once
#include "ops/rnn/recurrent/recurrent.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator DynamicQuantizeLSTM;

// The inputs behind those of LSTM.
struct QuantizedRecurrentInput {
  enum Index : int { WScale = 8, WZero, RScale, RZero, kCount };
};

struct QuantizedRecurrentParams {
  RecurrentParams layer;
  RecurrentSizes sizes;
};
// Throws if the inputs do not fit together.
QuantizedRecurrentParams resolve_quantized_recurrent(const opset::NodeView& node);

}  // namespace norn::ops::microsoft
