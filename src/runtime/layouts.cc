#include "runtime/layouts.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/cpu/contraction.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/physical.h"
#include "ops/math/clip/clip.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/object_detection/roi_align/roi_align.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/resize/resize.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/split/split.h"
#include "ops/tensor/transpose/transpose.h"
#include "program/node_parameters.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;
using program::kNone;
using program::Node;
using program::ValueId;

// A flow network whose minimum cut is found by blocking flows (Dinic).
class Network {
 public:
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;

  std::uint32_t add_vertex() {
    edges_of_.emplace_back();
    return static_cast<std::uint32_t>(edges_of_.size() - 1);
  }
  void add_edge(std::uint32_t from, std::uint32_t to, std::int64_t there, std::int64_t back) {
    edges_of_[from].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({to, there});
    edges_of_[to].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({from, back});
  }
  // By vertex: whether edges lead from there to `vertex`, whichever way they go.
  std::vector<bool> connected(std::uint32_t vertex) const {
    std::vector<bool> found(edges_of_.size(), false);
    std::vector<std::uint32_t> queue{vertex};
    found[vertex] = true;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::uint32_t e : edges_of_[queue[i]])
        if (!found[edges_[e].to]) {
          found[edges_[e].to] = true;
          queue.push_back(edges_[e].to);
        }
    return found;
  }
  // By vertex: whether it is on the source's side of the cut that has the fewest vertices there.
  std::vector<bool> cut(std::uint32_t source, std::uint32_t sink) {
    while (find_levels(source, sink)) {
      next_.assign(edges_of_.size(), 0);
      while (push(source, sink)) {
      }
    }
    std::vector<bool> side(edges_of_.size());
    for (std::size_t v = 0; v < side.size(); ++v) side[v] = level_[v] >= 0;
    return side;
  }

 private:
  struct Edge {
    std::uint32_t to;
    std::int64_t room;
  };

  bool find_levels(std::uint32_t source, std::uint32_t sink) {
    level_.assign(edges_of_.size(), -1);
    level_[source] = 0;
    std::vector<std::uint32_t> queue{source};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::uint32_t e : edges_of_[queue[i]])
        if (edges_[e].room > 0 && level_[edges_[e].to] < 0) {
          level_[edges_[e].to] = level_[queue[i]] + 1;
          queue.push_back(edges_[e].to);
        }
    return level_[sink] >= 0;
  }
  // Sends flow along one path, without recursion: graphs may be deep.
  bool push(std::uint32_t source, std::uint32_t sink) {
    std::vector<std::uint32_t> path;
    std::uint32_t at = source;
    while (at != sink) {
      std::size_t& next = next_[at];
      const std::vector<std::uint32_t>& edges = edges_of_[at];
      while (next < edges.size() && (edges_[edges[next]].room == 0 || level_[edges_[edges[next]].to] != level_[at] + 1))
        ++next;
      if (next < edges.size()) {
        path.push_back(edges[next]);
        at = edges_[edges[next]].to;
        continue;
      }
      if (path.empty()) return false;
      at = edges_[path.back() ^ 1].to;
      path.pop_back();
      ++next_[at];
    }
    std::int64_t flow = kUnbounded;
    for (const std::uint32_t e : path) flow = std::min(flow, edges_[e].room);
    for (const std::uint32_t e : path) {
      edges_[e].room -= flow;
      edges_[e ^ 1].room += flow;
    }
    return true;
  }

  std::vector<Edge> edges_;  // each beside its reverse
  std::vector<std::vector<std::uint32_t>> edges_of_;
  std::vector<std::int32_t> level_;
  std::vector<std::size_t> next_;
};

enum class Role {
  Dense,         // reads and writes dense values
  ChannelsLast,  // reads and writes pixels of channels
  Reader,        // reads pixels of channels, and writes dense values
  Either,        // all of its full-size operands in one layout
  View,          // has its input's memory, whatever layout that has
  Part,          // has its input's memory or a part of it, in that layout
  Maker,         // reads either layout, and writes what its readers want
};

constexpr std::int64_t kManyChannels = 8;  // from which on pools want channels last

bool has_layouts(DataType type) { return type == DataType::Float || type == DataType::Uint8 || type == DataType::Int8; }

// Whether the layouts of such a value differ.
bool has_layouts(const PlanState::ValueState& value) {
  if (!has_layouts(value.type.elem) || value.dims.size() < 3 || value.dims[1] <= 1) return false;
  return element_count(value.dims) > value.dims[0] * value.dims[1];
}

// Some convolutions are nearly as fast with channels first, if that spares others a reorder: what they take longer,
// counted as elements that are reordered.
std::optional<std::int64_t> cost_of_channels_first(const Node& node, const PlanState& state, Precision precision) {
  for (const Node& part : node.parts)
    if (part.op == &ops::Conv) return {};
  const Shape &x = state.values[node.inputs[0]].dims, &w = state.values[node.inputs[1]].dims,
              &out = state.values[node.outputs[0]].dims;
  const ops::ConvParams params = ops::resolve_conv(program::NodeParameters(node), x, w);
  auto cost = kernels::cost_of_channels_first({x, w, out, params.window.strides, params.window.dilations, params.group,
                                               state.graph.value(node.inputs[1]).is_constant(),
                                               precision == Precision::BFloat16});
  // Other steps than a bound take a pass of their own.
  const bool is_bound = node.parts.size() == 1 && (node.parts[0].op == &ops::Relu || node.parts[0].op == &ops::Clip);
  if (cost.value_or(0) > 0 && !node.parts.empty() && !is_bound) *cost += element_count(out);
  return cost;
}

// Some transposed convolutions want channels last even if their input has to be reordered.
bool gains_by_rows(const Node& node, const PlanState& state) {
  const Shape &x = state.values[node.inputs[0]].dims, &w = state.values[node.inputs[1]].dims;
  const program::Value& weights = state.graph.value(node.inputs[1]);
  if (!weights.is_constant()) return false;
  const ops::ConvTransposeParams p = ops::resolve_conv_transpose(program::NodeParameters(node), x, w);
  kernels::DeconvConfig config;
  config.type = state.values[node.outputs[0]].type.elem;
  config.x = x;
  config.w = w;
  config.out = state.values[node.outputs[0]].dims;
  config.group = p.group;
  config.strides = p.window.strides;
  config.dilations = p.window.dilations;
  config.pads_begin = p.window.pads_begin;
  config.weights.data = weights.constant.bytes_in_place();
  return kernels::deconv_rows_gain(config);
}

// Sums over all pixels of a channel, or over all channels of a pixel, are taken in whatever layout the input has.
bool is_read_in_any_layout(const Node& node, const PlanState& state) {
  if (!folds_any_layout(node.op)) return false;
  const Shape& x = state.values[node.inputs[0]].dims;
  if (x.size() < 3 || x[1] == 0) return false;
  const std::int64_t kept = element_count(state.values[node.outputs[0]].dims);
  return kept == x[0] * x[1] || kept == element_count(x) / x[1];
}

// `cost_of_first`: what channels first cost a node that may have them, counted as elements that are reordered.
Role role_of(const Node& node, const PlanState& state, Precision precision, std::int64_t& cost_of_first) {
  cost_of_first = 0;
  if (node.outputs.empty() || node.outputs[0] == kNone) return Role::Dense;
  const auto* const op = node.op;
  if (op == &ops::QLinearConv) return Role::ChannelsLast;
  const bool has_scale = op == &ops::QuantizeLinear || op == &ops::DequantizeLinear;
  if (has_scale && node.parts.empty() && element_count(state.values[node.inputs[1]].dims) == 1)
    return op == &ops::QuantizeLinear ? Role::Maker : Role::View;
  if (!has_layouts(state.values[node.outputs[0]].type.elem)) return Role::Dense;
  if (op == &ops::Conv) {
    const auto cost = cost_of_channels_first(node, state, precision);
    cost_of_first = cost.value_or(0);
    return cost ? Role::Either : Role::ChannelsLast;
  }
  if (op == &ops::RoiAlign) return Role::Reader;
  if (op == &ops::ConvTranspose) return gains_by_rows(node, state) ? Role::ChannelsLast : Role::Dense;
  if (op == &ops::MaxPool || op == &ops::AveragePool) {
    const Shape& x = state.values[node.inputs[0]].dims;
    return x.size() >= 3 && x[1] >= kManyChannels ? Role::ChannelsLast : Role::Either;
  }
  if (op == &ops::Concat || op == &ops::LRN || op == &ops::Resize || op == &ops::Pad || is_elementwise(op))
    return Role::Either;
  if (op == &ops::Softmax || op == &ops::LogSoftmax) return node.schema->since >= 13 ? Role::Either : Role::Dense;
  if (op == &ops::Transpose) return Role::View;
  if (op == &ops::InstanceNormalization || (op == &ops::Reshape && !node.parts.empty())) return Role::Either;
  if (op == &ops::Reshape) {
    const PlanState::ValueState& x = state.values[node.inputs[0]];
    const auto lies = kernels::layout_strides(x.dims, Layout::ChannelsLast);
    const bool stays = has_layouts(x) && reshaped_strides(x.dims, lies, state.values[node.outputs[0]].dims);
    return stays ? Role::Part : Role::Dense;
  }
  if (op == &ops::Split || op == &ops::Slice) return Role::Part;
  return Role::Dense;
}

// Whether its layout is to be chosen. A convolution may read many channels and write one.
bool is_free(Role role, const Node& node, ValueId out, const PlanState& state) {
  if (role != Role::Either && role != Role::Maker) return false;
  return has_layouts(state.values[out]) || (node.op == &ops::Conv && has_layouts(state.values[node.inputs[0]]));
}

// Where values lie that are views of dense ones: tokens become channels last where a Transpose and a Reshape make an
// image of them.
class TokenViews {
 public:
  explicit TokenViews(const PlanState& state) : state_(state) {}

  // `of_dense`: the node's input is dense, as far as is known.
  void add(const Node& node, bool of_dense) {
    if (node.outputs.empty() || node.outputs[0] == kNone || !node.parts.empty()) return;
    const Shape& x = state_.values[node.inputs[0]].dims;
    if (node.op == &ops::Transpose && of_dense) {
      const auto perm =
          ops::resolve_transpose(program::NodeParameters(node), static_cast<std::int64_t>(x.size())).value();
      const std::vector<std::int64_t> lies = kernels::layout_strides(x, Layout::Dense);
      std::vector<std::int64_t>& strides = strides_[node.outputs[0]];
      for (const std::int64_t p : perm) strides.push_back(lies[static_cast<std::size_t>(p)]);
    } else if (node.op == &ops::Reshape) {
      const auto from = strides_.find(node.inputs[0]);
      if (from == strides_.end()) return;
      if (auto strides = reshaped_strides(x, from->second, state_.values[node.outputs[0]].dims))
        strides_[node.outputs[0]] = *std::move(strides);
    }
  }
  bool is_channels_last(ValueId id) const {
    const auto found = strides_.find(id);
    if (found == strides_.end()) return false;
    const Shape& dims = state_.values[id].dims;
    const std::vector<std::int64_t> last = kernels::layout_strides(dims, Layout::ChannelsLast);
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d] != 1 && found->second[d] != last[d]) return false;
    return true;
  }

 private:
  const PlanState& state_;
  std::unordered_map<ValueId, std::vector<std::int64_t>> strides_;
};

}  // namespace

LayoutPlan::LayoutPlan(PlanState& state, const SegmentNodes& nodes, Precision precision) {
  constexpr std::size_t kMostNodes = 4096;  // a cut may take time that grows with their square
  std::size_t free = 0, fixed = 0;
  std::vector<Role> roles;                                   // of each planned node
  std::vector<std::int64_t> costs(nodes.planned.size(), 0);  // of channels first
  roles.reserve(nodes.planned.size());
  for (const SegmentNodes::Planned& p : nodes.planned) {
    std::int64_t& cost = costs[roles.size()];
    const Role role = !p.needed || p.late || p.nested ? Role::Dense : role_of(*p.node, state, precision, cost);
    roles.push_back(role);
    if (role == Role::Dense) continue;
    free += is_free(role, *p.node, p.results()[0], state);
    fixed += role == Role::ChannelsLast || (role == Role::Either && cost > 0);
  }
  if (free == 0 || fixed == 0 || free > kMostNodes) return;

  Network network;
  const std::uint32_t dense = network.add_vertex(), last = network.add_vertex();
  struct Value {
    std::uint32_t made = kNone;  // the vertex of what makes it
    std::vector<std::uint32_t> read;
  };
  std::unordered_map<ValueId, Value> values;
  TokenViews token_views(state);
  std::vector<std::pair<const Node*, std::uint32_t>> choices;
  for (std::size_t n = 0; n < roles.size(); ++n) {
    const SegmentNodes::Planned& p = nodes.planned[n];
    if (!p.needed) continue;
    const Role role = roles[n];
    const ValueId out = p.results().empty() ? kNone : p.results()[0];
    std::uint32_t vertex = role == Role::ChannelsLast || role == Role::Reader ? last : dense;
    if (out != kNone && is_free(role, *p.node, out, state)) {
      vertex = network.add_vertex();
      choices.emplace_back(p.node, vertex);
      if (costs[n] > 0) network.add_edge(vertex, last, costs[n], 0);
    }
    const bool reads_any = is_read_in_any_layout(*p.node, state);
    const bool by_dims = is_elementwise(p.node->op);  // other operands are read dense
    p.for_each_use([&](ValueId id) {
      if (role == Role::View || role == Role::Part || role == Role::Maker || reads_any ||
          !has_layouts(state.values[id]))
        return;
      const bool has_weights =
          p.node->op == &ops::Conv || p.node->op == &ops::ConvTranspose || p.node->op == &ops::QLinearConv;
      if (has_weights &&
          (state.graph.value(id).is_constant() || id == p.node->inputs[p.node->op == &ops::QLinearConv ? 3 : 1]))
        return;
      if (vertex != dense && by_dims && !lies_alike(state.values[id].dims, state.values[out].dims)) return;
      values[id].read.push_back(vertex);
    });
    if (p.late) continue;
    if (role == Role::Reader) vertex = dense;
    if (role == Role::Part || role == Role::View) {
      const ValueId of = p.node->inputs[0];
      const bool here = state.graph.value(of).origin == program::Origin::Computed;
      const std::uint32_t made = !here ? dense : values.contains(of) ? values[of].made : dense;
      token_views.add(*p.node, made == dense);
      vertex = made;
      if (role == Role::View) vertex = kNone;  // which is free for some readers
      if (token_views.is_channels_last(out)) vertex = last;
    }
    for (const ValueId id : p.results())
      if (id != kNone && has_layouts(state.values[id])) values[id].made = vertex;
  }
  for (auto& [id, value] : values) {
    const program::Value& of = state.graph.value(id);
    const bool here = of.origin == program::Origin::Computed;
    if (!here) value.made = dense;
    if (value.made == kNone) continue;
    if (state.uses.is_output(id) || (here && state.has_waiting_reader(id))) value.read.push_back(dense);
    std::sort(value.read.begin(), value.read.end());
    value.read.erase(std::unique(value.read.begin(), value.read.end()), value.read.end());
    std::erase(value.read, value.made);
    if (value.read.empty()) continue;
    const std::int64_t cost = element_count(state.values[id].dims);
    if (value.read.size() == 1) {
      network.add_edge(value.made, value.read[0], cost, cost);
      continue;
    }
    // Once for all readers of a layout.
    const std::uint32_t any_last = network.add_vertex(), any_dense = network.add_vertex();
    network.add_edge(value.made, any_last, cost, 0);
    network.add_edge(any_dense, value.made, cost, 0);
    for (const std::uint32_t reader : value.read) {
      network.add_edge(any_last, reader, Network::kUnbounded, 0);
      network.add_edge(reader, any_dense, Network::kUnbounded, 0);
    }
  }
  const std::vector<bool> matters = network.connected(last), is_dense = network.cut(dense, last);
  for (const auto& [node, vertex] : choices)
    if (matters[vertex]) advised_.emplace(node, is_dense[vertex] ? Layout::Dense : Layout::ChannelsLast);
}

}  // namespace norn::runtime
