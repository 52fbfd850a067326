// The recurrent layers.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LSTM, GRU, RNN;

enum class RecurrentLayer : std::uint8_t { Rnn, Gru, Lstm };
// How many matrices are stacked in W and R, and how many activation functions a direction has.
struct RecurrentGates {
  std::int64_t gates, functions;
};
constexpr RecurrentGates gates_of(RecurrentLayer layer) {
  return layer == RecurrentLayer::Rnn   ? RecurrentGates{1, 1}
         : layer == RecurrentLayer::Gru ? RecurrentGates{3, 2}
                                        : RecurrentGates{4, 3};
}

enum class RecurrentFunction : std::uint8_t {
  Relu,
  Tanh,
  Sigmoid,
  Affine,
  LeakyRelu,
  ThresholdedRelu,
  ScaledTanh,
  HardSigmoid,
  Elu,
  Softsign,
  Softplus,
};

struct RecurrentActivation {
  RecurrentFunction function;
  double (*f)(double x, double alpha, double beta);
  double alpha, beta;
};

struct RecurrentParams {
  std::int64_t directions;
  bool reverse;      // the first direction begins at the end
  bool batch_first;  // layout = 1
  bool linear_before_reset, input_forget;
  std::optional<double> clip;
  std::optional<std::int64_t> hidden_size;
  std::vector<RecurrentActivation> activations;  // those of each direction in turn
};
RecurrentParams resolve_recurrent(const opset::NodeView& node, RecurrentLayer layer);
// What the inputs say of sizes; nothing where it is not known. Throws if they do not fit together.
struct RecurrentSizes {
  std::optional<opset::DimExpr> hidden, batch, steps;
};
// Columns: the matrices of W and R are the transposes of ONNX's, gate behind gate in their columns.
enum class RecurrentStack : std::uint8_t { Rows, Columns };
RecurrentSizes resolve_recurrent_sizes(const opset::NodeView& node, RecurrentLayer layer, const RecurrentParams& params,
                                       RecurrentStack stack = RecurrentStack::Rows);

}  // namespace norn::ops
