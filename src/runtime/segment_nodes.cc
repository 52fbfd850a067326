#include "runtime/segment_nodes.h"

#include "infer/infer_node.h"
#include "norn/error.h"
#include "opset/reference.h"

namespace norn::runtime {
namespace {

using program::Graph;
using program::kNone;
using program::Node;
using program::ValueId;

bool is_static_tensor(const opset::ValueType& type) { return type.is_tensor() && type.is_static(); }

Shape static_dims(const opset::ValueType& type) {
  Shape dims;
  for (const opset::DimExpr& d : *type.shape) dims.push_back(d.constant());
  return dims;
}

class PlanEngine final : public opset::InferContext::Engine {
 public:
  opset::DimExpr fresh_dim() override { return opset::DimExpr::variable("?" + std::to_string(next_++)); }
  // Sizes are known here, so equalities were checked when they were asked for, or concern late sizes that the
  // kernels check.
  void equal(const opset::DimExpr&, const opset::DimExpr&) override {}
  std::vector<opset::ValueType> infer_subgraph(std::string_view, const std::vector<opset::ValueType>&) override {
    return {};
  }

 private:
  std::uint64_t next_ = 0;
};

class Inference {
 public:
  Inference(const Graph& graph, PlanState& state) : graph_(graph), state_(state) {}

  SegmentNodes run() {
    infer();
    find_needed();
    return std::move(found_);
  }

 private:
  bool infer_one(const Node& node);
  void infer();
  void find_needed();

  const Graph& graph_;
  PlanState& state_;
  SegmentNodes found_;
  PlanEngine engine_;
};

// Gives the node's outputs types with known sizes; false if they depend on what only running tells.
bool Inference::infer_one(const Node& node) {
  if (!node.subgraphs.empty()) return false;
  std::vector<opset::InferContext::Input> in(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNone) in[i] = {&state_.types[node.inputs[i]], &state_.known[node.inputs[i]]};
  std::vector<opset::InferContext::Output> out(node.outputs.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].wanted = node.outputs[i] != kNone;
  try {
    infer::infer_node(*node.op, node.attributes(), in, out, engine_, opset::evaluate);
  } catch (Error& e) {
    throw e.within(node.path());
  }
  // Sequences and the like are values, not memory: what reads or makes them runs as a late step.
  bool known = true;
  for (ValueId id : node.inputs) known = known && (id == kNone || is_static_tensor(state_.types[id]));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].wanted) known = known && is_static_tensor(out[i].type);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].wanted) continue;
    const ValueId id = node.outputs[i];
    state_.types[id] = std::move(out[i].type);
    state_.known[id] = std::move(out[i].value);
    if (!state_.known[id].constant.defined()) state_.known[id].ints.reset();
    if (known) found_.dims[id] = static_dims(state_.types[id]);
  }
  return known;
}

void Inference::infer() {
  found_.dims.resize(state_.types.size());
  for (ValueId id = 0; id < state_.types.size(); ++id)
    if (state_.where[id].kind != Location::Kind::None && is_static_tensor(state_.types[id]))
      found_.dims[id] = static_dims(state_.types[id]);
  // Values that this segment makes late, or that wait themselves.
  std::vector<bool> waiting(state_.types.size(), false);
  for (std::uint32_t index : state_.remaining) {
    const Node& node = graph_.nodes[index];
    bool ready = true;
    program::for_each_use(node, [&](ValueId id) { ready = ready && !waiting[id]; });
    // Fused operations keep the type and shape of the operation they follow.
    const bool known = ready && infer_one(node);
    if (ready)
      found_.planned.push_back({index, !known, true});
    else
      found_.deferred.push_back(index);
    if (known) continue;
    for (ValueId id : node.outputs)
      if (id != kNone) waiting[id] = true;
  }
}

void Inference::find_needed() {
  std::vector<bool> needed(state_.types.size(), false);
  for (ValueId id : graph_.outputs) needed[id] = true;
  for (std::uint32_t index : found_.deferred)
    program::for_each_use(graph_.nodes[index], [&](ValueId id) { needed[id] = true; });
  for (std::size_t k = found_.planned.size(); k-- > 0;) {
    const Node& node = graph_.nodes[found_.planned[k].node];
    bool read = false, wanted = false;
    for (ValueId id : node.outputs) {
      if (id == kNone || !needed[id]) continue;
      read = true;
      wanted = wanted || !state_.known[id].constant.defined();
    }
    found_.planned[k].needed = wanted;
    if (wanted)
      program::for_each_use(node, [&](ValueId id) { needed[id] = true; });
    else if (read)
      found_.notes.push_back(node.path() + ": known from the shapes");
  }
}

}  // namespace

SegmentNodes infer_segment(const Graph& graph, PlanState& state) { return Inference(graph, state).run(); }

}  // namespace norn::runtime
