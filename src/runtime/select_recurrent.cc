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

// The shapes that the inputs have to have; the reference kernel says what is wrong with others.
bool shapes_fit(const Selector& s, const RecurrentConfig& c, std::int64_t gates) {
  const std::int64_t d = c.directions, rows = gates * c.hidden;
  const Shape state = c.batch_first ? Shape{c.batch, d, c.hidden} : Shape{d, c.batch, c.hidden};
  const auto is = [&](std::size_t i, const Shape& dims) { return !s.has(i) || s.dims(i) == dims; };
  return is(1, {d, rows, c.features}) && is(2, {d, rows, c.hidden}) && is(3, {d, 2 * rows}) && is(4, {c.batch}) &&
         is(5, state) && is(6, state) && is(7, {d, 3 * c.hidden});
}

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
  if (s.dims(0).size() != 3 || s.dims(2).size() != 3) {
    s.refuse(std::string(kName), "operands that are not of rank 3");
    return false;
  }
  config.directions = p.directions;
  config.reverse = p.reverse;
  config.batch_first = p.batch_first;
  config.steps = s.dims(0)[p.batch_first ? 1 : 0];
  config.batch = s.dims(0)[p.batch_first ? 0 : 1];
  config.features = s.dims(0)[2];
  config.hidden = p.hidden_size.value_or(s.dims(2)[2]);
  config.linear_before_reset = p.linear_before_reset;
  config.input_forget = p.input_forget;
  if (p.clip) config.clip = static_cast<float>(*p.clip);
  for (const ops::RecurrentActivation& a : p.activations)
    config.activations.push_back(
        {static_cast<kernels::RecurrentFunction>(a.function), static_cast<float>(a.alpha), static_cast<float>(a.beta)});
  config.w = s.contents(1);
  config.r = s.contents(2);
  const std::int64_t gates = ops::gates_of(layer).gates;
  if (config.hidden > kernels::kMostHidden || !shapes_fit(s, config, gates)) {
    s.refuse(std::string(kName), "shapes that do not fit together");
    return false;
  }
  std::vector<Operand> inputs, outputs;
  for (std::size_t i = 0; i < 8; ++i) inputs.push_back({s.node().input(i)});
  for (std::size_t i = 0; i < 3; ++i)
    outputs.push_back({i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone});
  return s.choose_outputs(kernels::recurrent_candidates(), config, inputs, outputs);
}

}  // namespace norn::runtime
