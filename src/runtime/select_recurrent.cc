// LSTM, GRU and RNN.
#include "kernels/cpu/recurrent.h"
#include "ops/rnn/recurrent/recurrent.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::RecurrentConfig;

// Both list them in one order.
static_assert(static_cast<int>(ops::RecurrentFunction::Softplus) ==
              static_cast<int>(kernels::RecurrentFunction::Softplus));

}  // namespace

bool select_recurrent(Selector& s) {
  constexpr std::string_view kName = "recurrent";
  if (s.dtype(0) != DataType::Float) {
    s.refuse(std::string(kName), "computes float, not " + std::string(data_type_name(s.dtype(0))));
    return false;
  }
  const auto layer = s.node().op == &ops::LSTM  ? ops::RecurrentLayer::Lstm
                     : s.node().op == &ops::GRU ? ops::RecurrentLayer::Gru
                                                : ops::RecurrentLayer::Rnn;
  const ops::RecurrentParams p = ops::resolve_recurrent(SelectedNode(s), layer);
  RecurrentConfig config;
  config.layer = layer == ops::RecurrentLayer::Lstm  ? kernels::RecurrentLayer::Lstm
                 : layer == ops::RecurrentLayer::Gru ? kernels::RecurrentLayer::Gru
                                                     : kernels::RecurrentLayer::Rnn;
  const ops::RecurrentSizes sizes = ops::resolve_recurrent_sizes(SelectedNode(s), layer, p);
  config.directions = p.directions;
  config.reverse = p.reverse;
  config.batch_first = p.batch_first;
  config.steps = sizes.steps->constant();
  config.batch = sizes.batch->constant();
  config.features = s.dims(0)[2];
  config.hidden = sizes.hidden->constant();
  config.linear_before_reset = p.linear_before_reset;
  config.input_forget = p.input_forget;
  if (p.clip) config.clip = static_cast<float>(*p.clip);
  for (const ops::RecurrentActivation& a : p.activations)
    config.activations.push_back(
        {static_cast<kernels::RecurrentFunction>(a.function), static_cast<float>(a.alpha), static_cast<float>(a.beta)});
  config.w = s.contents(1);
  config.r = s.contents(2);
  if (config.hidden > kernels::kMostHidden) {
    s.refuse(std::string(kName), "a hidden size above " + std::to_string(kernels::kMostHidden));
    return false;
  }
  std::vector<Operand> inputs, outputs;
  for (std::size_t i = 0; i < 8; ++i) inputs.push_back({s.node().input(i)});
  for (std::size_t i = 0; i < 3; ++i)
    outputs.push_back({i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone});
  return s.choose_outputs(kernels::recurrent_candidates(), config, inputs, outputs);
}

}  // namespace norn::runtime
