// LSTM, GRU and RNN, and LSTM by quantized products.
#include "kernels/cpu/recurrent.h"
#include "ops/microsoft/quantized_recurrent/quantized_recurrent.h"
#include "ops/rnn/recurrent/recurrent.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::RecurrentConfig;

// Both list them in one order.
static_assert(static_cast<int>(ops::RecurrentFunction::Softplus) ==
              static_cast<int>(kernels::RecurrentFunction::Softplus));

// What the configurations have in common.
RecurrentConfig config_of(const Selector& s, kernels::RecurrentLayer layer, const ops::RecurrentParams& p,
                          const ops::RecurrentSizes& sizes) {
  RecurrentConfig config;
  config.layer = layer;
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
  return config;
}

bool has_countable_units(Selector& s, const RecurrentConfig& config) {
  if (config.hidden <= kernels::kMostHidden) return true;
  s.refuse("recurrent", "a hidden size above " + std::to_string(kernels::kMostHidden));
  return false;
}

template <class Config>
bool choose(Selector& s, std::span<const kernels::Candidate<Config>> candidates, const Config& config,
            std::size_t input_count) {
  std::vector<Operand> inputs, outputs;
  for (std::size_t i = 0; i < input_count; ++i) inputs.push_back({s.node().input(i)});
  for (std::size_t i = 0; i < 3; ++i)
    outputs.push_back({i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone});
  return s.choose_outputs(candidates, config, inputs, outputs);
}

}  // namespace

bool select_recurrent(Selector& s) {
  if (s.dtype(0) != DataType::Float) {
    s.refuse("recurrent", "computes float, not " + std::string(data_type_name(s.dtype(0))));
    return false;
  }
  const auto layer = s.node().op == &ops::LSTM  ? ops::RecurrentLayer::Lstm
                     : s.node().op == &ops::GRU ? ops::RecurrentLayer::Gru
                                                : ops::RecurrentLayer::Rnn;
  const ops::RecurrentParams p = ops::resolve_recurrent(SelectedNode(s), layer);
  const RecurrentConfig config = config_of(s,
                                           layer == ops::RecurrentLayer::Lstm  ? kernels::RecurrentLayer::Lstm
                                           : layer == ops::RecurrentLayer::Gru ? kernels::RecurrentLayer::Gru
                                                                               : kernels::RecurrentLayer::Rnn,
                                           p, ops::resolve_recurrent_sizes(SelectedNode(s), layer, p));
  return has_countable_units(s, config) && choose(s, kernels::recurrent_candidates(), config, 8);
}

bool select_quantized_recurrent(Selector& s) {
  using Input = ops::microsoft::QuantizedRecurrentInput;
  const auto [p, sizes] = ops::microsoft::resolve_quantized_recurrent(SelectedNode(s));
  kernels::QuantizedRecurrentConfig config;
  config.layer = config_of(s, kernels::RecurrentLayer::Lstm, p, sizes);
  if (!has_countable_units(s, config.layer)) return false;
  config.type = s.dtype(1);
  const auto count = [&](Input::Index i) {
    const Shape& dims = s.dims(static_cast<std::size_t>(i));
    return dims.size() == 1 ? 1 : dims[1];
  };
  config.w_scales = count(Input::WScale);
  config.w_zeros = count(Input::WZero);
  config.r_scales = count(Input::RScale);
  config.r_zeros = count(Input::RZero);
  config.w_zero = s.contents(Input::WZero);
  config.r_zero = s.contents(Input::RZero);
  return choose(s, kernels::quantized_recurrent_candidates(), config, Input::kCount);
}

}  // namespace norn::runtime
