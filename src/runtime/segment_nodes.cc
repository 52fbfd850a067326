// Trap: a fused node is several operations. Each of them is inferred, for contents that one of them makes known are not
// the node's, and values between them may differ in size and element type.
#include "runtime/segment_nodes.h"

#include <algorithm>

#include "infer/inferrer.h"
#include "norn/error.h"
#include "opset/reference.h"
#include "opset/schema.h"
#include "program/inlined.h"
#include "runtime/run_errors.h"

namespace norn::runtime {
namespace {

using program::kNone;
using program::Node;
using program::ValueId;

bool is_static_tensor(const opset::ValueType& type) { return type.is_tensor() && type.is_static(); }

// Sizes are known here, so equalities were checked when they were asked for, or concern late sizes that the kernels
// check.
class PlanSurroundings final : public infer::Surroundings {
 public:
  bool take_equality(const opset::DimExpr&, const opset::DimExpr&, std::string_view) override { return true; }
  std::vector<opset::Fact> infer_subgraph(std::string_view, std::span<const opset::Fact>) override { return {}; }
};

class Inference final : private infer::Facts {
 public:
  explicit Inference(PlanState& state)
      : state_(state), inferrer_(*this, symbols_, opset::evaluate, infer::Mode::Static) {}

  SegmentNodes run() {
    // A run goes from segment to segment until no node waits.
    if (state_.ready.empty() && state_.waiting > 0)
      throw Error(ErrorCode::Internal, std::to_string(state_.waiting) + " nodes wait for values that nothing makes");
    while (!state_.ready.empty()) {
      const std::uint32_t index = state_.ready.top();
      state_.ready.pop();
      --state_.waiting;
      visit(index);
    }
    state_.check_given();
    find_needed();
    return std::move(found_);
  }

 private:
  void visit(std::uint32_t index);
  void visit_control_flow(const Node& node, std::uint32_t index);
  void visit_fused(const Node& node, std::uint32_t index);
  bool infer(const Node& node);
  void settle(const std::vector<ValueId>& outputs);
  void find_needed();
  [[noreturn]] void fail(Error& e, const Node& node) const;

  opset::InferContext::Input get(ValueId id) const override {
    return {&state_.values[id].type, &state_.values[id].known};
  }
  void set(ValueId id, opset::InferContext::Output&& found) override { outputs_.emplace_back(id, std::move(found)); }
  bool stable() const noexcept override { return true; }
  std::string name(ValueId id) const override { return state_.graph.value(id).name; }

  PlanState& state_;
  SegmentNodes found_;
  infer::Symbols symbols_;
  PlanSurroundings surroundings_;
  infer::Inferrer inferrer_;
  std::vector<std::pair<ValueId, opset::InferContext::Output>> outputs_;  // of the node at hand
};

// Gives the outputs of the node's own operation their types, with known sizes; false if those depend on contents that
// are not known before running.
bool Inference::infer(const Node& node) {
  auto& values = state_.values;
  const std::vector<ValueId>&inputs = node.inputs, &outputs = node.outputs;
  const auto unchanged = [&](ValueId id) { return id == kNone || !values[id].changed; };
  const auto was_static = [&](ValueId id) { return id == kNone || state_.was_static(id); };
  if (state_.plans > 0 && std::all_of(inputs.begin(), inputs.end(), unchanged) &&
      std::all_of(outputs.begin(), outputs.end(), was_static)) {
    for (ValueId id : outputs) {
      if (id == kNone) continue;
      state_.take_over(id);
      state_.settle(id);
    }
    return true;
  }
  // What lowering could not type was not checked there.
  const bool checked = std::all_of(inputs.begin(), inputs.end(),
                                   [&](ValueId id) { return id == kNone || state_.graph.value(id).type.known(); });
  outputs_.clear();
  inferrer_.node({node.op, node.attributes(), inputs, outputs, infer::kNowhere},
                 checked ? infer::Mode::Static : infer::Mode::Check, &surroundings_);
  // Sequences and the like are values, not memory: what reads or makes them runs as a late step.
  bool known = true;
  for (ValueId id : inputs) known = known && (id == kNone || is_static_tensor(values[id].type));
  for (const auto& [id, out] : outputs_) known = known && is_static_tensor(out.type);
  for (auto& [id, out] : outputs_) {
    PlanState::ValueState& value = values[id];
    opset::KnownValue contents = known ? std::move(out.value) : opset::KnownValue{};
    if (!contents.constant.defined()) contents.ints.clear(), contents.fractions.clear();
    value.changed = !known || !state_.was_same(id, out.type, contents);
    if (value.changed) {
      value.type = std::move(out.type);
      value.known = std::move(contents);
    } else {
      state_.take_over(id);
    }
    if (known) state_.settle(id);
  }
  return known;
}

void Inference::settle(const std::vector<ValueId>& outputs) {
  for (ValueId id : outputs) {
    if (id == kNone) continue;
    found_.settled.push_back(id);
    state_.make_available(id);
  }
}

void Inference::visit(std::uint32_t index) {
  const Node& node = state_.graph.nodes[index];
  if (!node.parts.empty()) return visit_fused(node, index);
  try {
    if (!node.subgraphs.empty()) return visit_control_flow(node, index);
    const bool known = infer(node);
    found_.planned.push_back({&node, {}, index, 0, !known, true, nullptr});
    if (known) settle(node.outputs);
  } catch (Error& e) {
    fail(e, node);
  }
}

// Throws the error with the node's place and the origin of the sizes that it does not accept.
void Inference::fail(Error& e, const Node& node) const {
  // A size that contradicts the model is reported rather than what it leads to, unless that breaks a rule of the node's
  // own. Rules of a node that replaces the document's do not count as such.
  if (e.code() != ErrorCode::InvalidGraph) state_.check_given();
  if (!node.path().ends_with("(" + opset::full_name(*node.op) + ")") &&
      program::inlined_around(state_.graph, node.path()) == nullptr) {
    try {
      state_.check_given();
    } catch (const Error& given) {
      const auto [source, cure] = state_.source_of(node, e);
      throw Error(given.code(), given.message(), node.path() + " / " + given.where(),
                  source.empty() ? given.hint() : source + ": " + cure);
    }
  }
  const std::string_view of = program::stepped_operator(state_.graph, node);
  if (!of.empty() && e.code() == ErrorCode::InvalidGraph && !program::inlined_around(state_.graph, node.path()))
    e = Error(e.code(), "a step of " + std::string(of) + " fails: " + e.message(), e.where(), e.hint());
  Error error = node_error(
      e, state_.graph, node, node.path(),
      [&](const program::Inlined::Input& input) { return state_.input_type(input); }, state_.given_from != nullptr);
  if (e.code() == ErrorCode::InvalidGraph) {
    const auto [source, cure] = state_.source_of(node, e);
    if (!source.empty())
      throw Error(error.code(), error.message(), error.where(),
                  source + ": " + (error.hint().empty() ? cure : error.hint()));
    error.help("correct the node or what it reads, or feed what fits");
  }
  throw_as(e, error);
}

void Inference::visit_control_flow(const Node& node, std::uint32_t index) {
  std::shared_ptr<const Nested> nested = nest(state_, node, index);
  const bool settled = nested && nested->settled;
  for (std::size_t o = 0; settled && o < node.outputs.size(); ++o) {
    const ValueId id = node.outputs[o];
    if (id == kNone) continue;
    PlanState::ValueState& value = state_.values[id];
    value.type = nested->outputs[o].type;
    value.known = nested->outputs[o].value;
    value.changed = true;
    state_.settle(id);
  }
  found_.planned.push_back({&node, {}, index, 0, !settled, true, std::move(nested)});
  if (settled) settle(node.outputs);
}

void Inference::visit_fused(const Node& node, std::uint32_t index) {
  const auto operation = [&](std::size_t i) -> const Node& { return i == 0 ? node : node.parts[i - 1]; };
  std::size_t first = 0;
  for (std::size_t i = 0; i <= node.parts.size(); ++i) {
    try {
      if (!infer(operation(i)))
        throw Error(ErrorCode::Internal, "the sizes of a fused operation are not known when it is planned");
    } catch (Error& e) {
      fail(e, operation(i));
    }
    if (i < node.parts.size() && !state_.values[operation(i).outputs[0]].known.constant.defined()) continue;
    // A piece gives what its last operation gives, and no more.
    if (i > 0 && i < node.parts.size()) {
      const auto& reads = operation(i + 1).inputs;
      if (std::find(reads.begin(), reads.end(), operation(i - 1).outputs[0]) != reads.end()) continue;
    }
    const std::span<const Node> parts(node.parts);
    found_.planned.push_back({&operation(first), parts.subspan(first, i - first), index,
                              static_cast<std::uint32_t>(first), false, true, nullptr});
    first = i + 1;
  }
  settle(node.results());
}

void Inference::find_needed() {
  for (std::size_t k = found_.planned.size(); k-- > 0;) {
    SegmentNodes::Planned& planned = found_.planned[k];
    bool read = false, wanted = false;
    for (ValueId id : planned.results()) {
      if (id == kNone) continue;
      if (!state_.slots(id).needed && !state_.uses.is_output(id) && !state_.has_waiting_reader(id)) continue;
      read = true;
      wanted = wanted || !state_.values[id].known.constant.defined();
    }
    planned.needed = wanted;
    if (wanted)
      planned.for_each_use([&](ValueId id) { state_.slots(id).needed = true; });
    else if (read)
      found_.known.push_back({SparedNode::Why::KnownFromShapes, planned.index, planned.first});
  }
}

}  // namespace

SegmentNodes infer_segment(PlanState& state) { return Inference(state).run(); }

}  // namespace norn::runtime
