// Depthwise convolutions with the products over channels that are fused with them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/separable.h"
#include "norn/session.h"
#include "ops/nn/conv/conv.h"
#include "program/node_parameters.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;
using kernels::SeparableConfig;
using program::Node;

namespace {

bool all(const Shape& values, std::int64_t expected) {
  for (std::int64_t v : values)
    if (v != expected) return false;
  return true;
}

}  // namespace

bool select_separable(Selector& s) {
  const auto operation = [&](std::size_t i) -> const Node& { return i == 0 ? s.node() : s.parts()[i - 1]; };
  SeparableConfig config;
  std::vector<Operand> uses(7);
  uses[0] = {s.node().inputs[0], Layout::ChannelsLast};
  config.x = s.dims(0);
  std::size_t last = 0;  // of the convolutions
  const auto refuse = [&](std::string reason) {
    s.refuse("separable", std::move(reason));
    return false;
  };
  bool deep = false;
  for (std::size_t i = 0; i <= s.parts().size(); ++i) {
    const Node& node = operation(i);
    if (node.op != &ops::Conv) continue;
    const Shape &x = s.dims_of(node.inputs[0]), &w = s.dims_of(node.inputs[1]);
    if (s.dtype_of(node.outputs[0]) != DataType::Float || x.size() != 4 || w.size() != 4)
      return refuse("computes images of float");
    const ops::ConvParams params = ops::resolve_conv(program::NodeParameters(node), x, w);
    const bool depthwise = params.group > 1;
    auto stage = SeparableConfig::Depthwise;
    if (!depthwise) stage = deep ? SeparableConfig::Project : SeparableConfig::Expand;
    if (config.weights[stage].known() || (depthwise && (w[1] != 1 || w[0] != params.group)))
      return refuse("not one depthwise convolution and the products around it");
    if (!depthwise && (w[2] != 1 || w[3] != 1 || !all(params.window.strides, 1) || !all(params.window.pads_begin, 0) ||
                       !all(params.window.pads_end, 0)))
      return refuse("not a product over channels");
    config.weights[stage] = s.contents_of(node.inputs[1]);
    if (!config.weights[stage].known()) return refuse("the weights are not constant");
    config.has_bias[stage] = node.input(2) != program::kNone;
    uses[1 + 2 * stage] = {node.inputs[1]};
    uses[2 + 2 * stage] = {node.input(2)};
    config.out = s.dims_of(node.outputs[0]);
    if (depthwise) {
      deep = true;
      config.middle = w[0];
      config.window = params.window.kernel;
      config.strides = params.window.strides;
      config.dilations = params.window.dilations;
      config.pads_begin = params.window.pads_begin;
    }
    last = i;
  }
  if (!deep || last == 0) return false;
  std::vector<kernels::ElementStep>* steps = &config.post_expand;
  for (std::size_t i = 0; i < last; ++i) {
    const Node& node = operation(i);
    if (node.op == &ops::Conv) {
      if (ops::resolve_conv(program::NodeParameters(node), s.dims_of(node.inputs[0]), s.dims_of(node.inputs[1])).group >
          1)
        steps = &config.post_depthwise;
      continue;
    }
    std::vector<kernels::ExtraOperand> extra;
    std::vector<Operand> operands;
    if (!s.element_steps(node, 0, *steps, extra, operands, Layout::ChannelsLast) || !extra.empty())
      return refuse("there is no step of its own for " + std::string(node.op->name));
  }
  const program::ValueId made = s.take_parts(config.post, config.extra, uses, Layout::ChannelsLast, last);
  config.rounds = s.precision() == Precision::BFloat16 && kernels::separable_rounding_pays();
  if (s.choose(kernels::separable_candidates(), config, uses, {made, Layout::ChannelsLast})) return true;
  if (!config.rounds) return false;
  config.rounds = false;
  return s.choose(kernels::separable_candidates(), config, uses, {made, Layout::ChannelsLast});
}

}  // namespace norn::runtime
