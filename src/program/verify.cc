#include "program/verify.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "infer/inferrer.h"
#include "norn/error.h"
#include "opset/type_check.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

using opset::DimExpr;
using opset::ValueType;

// No contradiction but for sizes inside of sequences.
bool agree(const ValueType& a, const ValueType& b) {
  if (!a.known() || !b.known()) return true;
  if (!opset::same_type(a, b)) return false;
  if (!a.is_tensor() || !a.shape || !b.shape) return true;
  return std::equal(a.shape->begin(), a.shape->end(), b.shape->begin(), b.shape->end(),
                    [](const DimExpr& x, const DimExpr& y) { return !DimExpr::differ(x, y); });
}

// A node's graphs are lowered, so that their values say what they give.
class LoweredGraphs final : public infer::Surroundings {
 public:
  explicit LoweredGraphs(const Node& node) : node_(node) {}
  bool take_equality(const DimExpr&, const DimExpr&, std::string_view) override { return true; }
  std::vector<opset::Fact> infer_subgraph(std::string_view attribute, std::span<const opset::Fact> given) override {
    const auto sub = std::find_if(node_.subgraphs.begin(), node_.subgraphs.end(),
                                  [&](const Subgraph& s) { return s.attribute == attribute; });
    if (sub == node_.subgraphs.end())
      throw Error(ErrorCode::Internal, "the node has no graph " + base::quoted(attribute));
    const Graph& graph = *sub->graph;
    if (graph.inputs.size() != given.size())
      throw Error(ErrorCode::Internal, "the graph " + base::quoted(attribute) + " has " +
                                           std::to_string(graph.inputs.size()) + " inputs, and the node gives " +
                                           std::to_string(given.size()));
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Value& formal = graph.value(graph.inputs[i]);
      // Sizes may change from one iteration to the next.
      if (!opset::same_type(formal.type, given[i].type))
        throw Error(ErrorCode::Internal, "the graph's input " + base::quoted(formal.name) + " is " +
                                             formal.type.to_string() + ", and the node gives " +
                                             given[i].type.to_string());
    }
    std::vector<opset::Fact> facts;
    for (ValueId id : graph.outputs) facts.push_back({graph.value(id).type, graph.value(id).known});
    return facts;
  }

 private:
  const Node& node_;
};

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  void run() {
    std::set<std::string> names;
    for (const State& state : program_.states) {
      if (!names.insert(state.name).second) fail("two states are named " + base::quoted(state.name));
      if (state.initial.defined()) expect_contents(state.initial, state.type, "the state " + base::quoted(state.name));
    }
    if (program_.declared_outputs.size() != program_.main.outputs.size())
      fail("the main graph has " + std::to_string(program_.main.outputs.size()) + " outputs, and the document " +
           std::to_string(program_.declared_outputs.size()));
    verify_graph(program_.main, nullptr);
    names.clear();
    for (ValueId id : program_.main.inputs)
      if (!names.insert(program_.main.value(id).name).second)
        fail("two inputs are named " + base::quoted(program_.main.value(id).name));
    for (const auto& [name, beside] : program_.graphs) {
      verify_graph(beside.graph, nullptr);
      verify_updates(beside);
    }
  }

 private:
  [[noreturn]] void fail(std::string what) const {
    throw Error(ErrorCode::Internal, "the Program is not sound: " + std::move(what), where_);
  }
  static std::string named(const Graph& graph, ValueId id) {
    return "the value " + std::to_string(id) + " " + base::quoted(graph.value(id).name);
  }
  void expect_contents(const norn::Tensor& contents, const ValueType& type, const std::string& what) const {
    const ValueType own =
        ValueType::tensor(contents.dtype(), opset::Dims(contents.dims().begin(), contents.dims().end()));
    if (!agree(own, type)) fail(what + " is " + type.to_string() + ", and its contents " + own.to_string());
  }
  void expect_id(const Graph& graph, ValueId id) const {
    if (id >= graph.values.size()) fail("there is no value " + std::to_string(id));
  }

  void verify_graph(const Graph& graph, const Graph* around);
  void verify_values(const Graph& graph, const Graph* around);
  void verify_node(const Graph& graph, const Node& node, bool runs);
  void verify_operation(const Graph& graph, const Node& node, bool runs);
  void verify_parts(const Graph& graph, const Node& node);
  void verify_updates(const NamedGraph& beside);
  void read(const Graph& graph, ValueId id);
  void make(const Graph& graph, ValueId id);

  const Program& program_;
  std::string where_;
  // Of the graph that is being looked at:
  std::vector<bool> made_;
  std::vector<std::uint32_t> reads_;
};

// Feeds, captures, constants and states: each is where it is listed.
void Verifier::verify_values(const Graph& graph, const Graph* around) {
  std::vector<Origin> listed(graph.values.size(), Origin::Computed);
  const auto list = [&](ValueId id, Origin origin) {
    expect_id(graph, id);
    if (graph.value(id).origin != origin || listed[id] != Origin::Computed)
      fail(named(graph, id) + " is listed twice, or as what it is not");
    listed[id] = origin;
  };
  for (ValueId id : graph.inputs) list(id, Origin::Feed);
  if (!around && !graph.captures.empty()) fail("a graph in no other has captures");
  for (const Graph::Capture& c : graph.captures) {
    list(c.inner, Origin::Capture);
    expect_id(*around, c.outer);
    const ValueType &outer = around->value(c.outer).type, &inner = graph.value(c.inner).type;
    if (!opset::same_type(outer, inner))
      fail("the captured value " + base::quoted(graph.value(c.inner).name) + " is " + inner.to_string() +
           ", and around the node " + outer.to_string());
  }
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.value(id);
    made_[id] = value.origin != Origin::Computed;
    switch (value.origin) {
      case Origin::Feed:
      case Origin::Capture:
        if (listed[id] != value.origin) fail(named(graph, id) + " is not listed among the graph's inputs or captures");
        break;
      case Origin::Constant: break;
      case Origin::State:
        if (around) fail(named(graph, id) + " is a state in a graph that is in another");
        if (value.state >= program_.states.size()) fail(named(graph, id) + " is a state that is not there");
        if (!agree(value.type, program_.states[value.state].type))
          fail(named(graph, id) + " is " + value.type.to_string() + ", and the state " +
               program_.states[value.state].type.to_string());
        break;
      case Origin::Computed: break;
    }
    if (value.constant.defined()) {
      if (value.origin != Origin::Constant && value.origin != Origin::Feed)
        fail(named(graph, id) + " has contents, and is not a constant");
      expect_contents(value.constant, value.type, named(graph, id));
    }
    if (value.known.constant.defined()) expect_contents(value.known.constant, value.type, named(graph, id));
  }
}

void Verifier::read(const Graph& graph, ValueId id) {
  if (id == kNone) return;
  expect_id(graph, id);
  if (!made_[id]) fail(named(graph, id) + " is read and not made before");
  if (graph.value(id).is_constant() && !graph.value(id).constant.defined())
    fail(named(graph, id) + " is a constant without contents, and is read");
  ++reads_[id];
}

void Verifier::make(const Graph& graph, ValueId id) {
  if (id == kNone) return;
  expect_id(graph, id);
  if (made_[id]) fail(named(graph, id) + " is made a second time");
  made_[id] = true;
}

void Verifier::verify_operation(const Graph& graph, const Node& node, bool runs) {
  if (!node.op || !node.schema) fail("the node has no operator");
  const auto& history = node.op->history;
  if (node.schema < history.data() || node.schema >= history.data() + history.size())
    fail("the version is not one of the operator's");
  for (const ir::Attribute& attr : node.attrs) {
    if (attr.name->starts_with("__")) continue;
    const opset::Attr* declared = opset::find_attr(*node.schema, attr.name.get());
    if (!declared) fail("the operator has no attribute " + base::quoted(attr.name.get()));
    if (attr.type != static_cast<std::int32_t>(declared->type))
      fail("the attribute " + base::quoted(attr.name.get()) + " has another type than the operator's");
  }
  for (ValueId id : node.inputs) read(graph, id);
  for (ValueId id : node.outputs) make(graph, id);

  const auto infer = [&](bool sizes) {
    infer::FactList facts;
    std::vector<infer::ValueId> inputs, outputs;
    for (ValueId id : node.inputs) {
      if (id == kNone) {
        inputs.push_back(infer::kNoValue);
        continue;
      }
      const Value& value = graph.value(id);
      inputs.push_back(sizes ? facts.add({value.type, value.known})
                             : facts.add({opset::without_shape(value.type), {}}));
    }
    for (ValueId id : node.outputs) outputs.push_back(id == kNone ? infer::kNoValue : facts.add());
    infer::Symbols symbols({}, "?verified");
    LoweredGraphs graphs(node);
    infer::Inferrer(facts, symbols, nullptr, infer::Mode::Check)
        .node({node.op, node.attributes(), inputs, outputs, infer::kNowhere}, &graphs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == infer::kNoValue) continue;
      const Value& value = graph.value(node.outputs[i]);
      const ValueType& type = facts[outputs[i]].type;
      if (sizes && runs ? agree(value.type, type) : opset::same_type(value.type, type)) continue;
      fail(named(graph, node.outputs[i]) + " is " + value.type.to_string() + ", and its node gives " +
           type.to_string());
    }
  };
  try {
    try {
      infer(true);
    } catch (const Error& e) {
      if (runs || e.code() == ErrorCode::Internal) throw;
      infer(false);
    }
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Internal && e.where() == where_) throw;
    fail(e.message());
  }
}

void Verifier::verify_parts(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1 || node.outputs[0] == kNone || !node.subgraphs.empty())
    fail("the first operation of a fused node has graphs, or not one output");
  ValueId running = node.outputs[0];
  for (const Node& part : node.parts) {
    if (part.outputs.size() != 1 || part.outputs[0] == kNone || !part.subgraphs.empty() || !part.parts.empty())
      fail("a part of a fused node has graphs or parts, or not one output");
    if (std::find(part.inputs.begin(), part.inputs.end(), running) == part.inputs.end())
      fail("a part of a fused node does not read " + named(graph, running));
    running = part.outputs[0];
  }
}

void Verifier::verify_node(const Graph& graph, const Node& node, bool runs) {
  for (const Subgraph& sub : node.subgraphs) {
    if (!sub.graph) fail("there is no graph " + base::quoted(sub.attribute));
    for (const Graph::Capture& c : sub.graph->captures) read(graph, c.outer);
  }
  verify_operation(graph, node, runs);
  for (const Node& part : node.parts) {
    where_ = part.path();
    verify_operation(graph, part, runs);
  }
}

void Verifier::verify_graph(const Graph& graph, const Graph* around) {
  const std::string outside = where_;
  const std::string here = (outside.empty() ? "" : outside + " / ") + "graph " + base::quoted(graph.name);
  where_ = here;
  auto made = std::exchange(made_, std::vector<bool>(graph.values.size(), false));
  auto reads = std::exchange(reads_, std::vector<std::uint32_t>(graph.values.size(), 0));
  verify_values(graph, around);
  for (ValueId id : graph.outputs) expect_id(graph, id);
  for (const Node& node : graph.nodes) {
    where_ = node.path();
    const auto expect_outputs = [&](const Node& operation) {
      for (ValueId id : operation.outputs)
        if (id != kNone) expect_id(graph, id);
    };
    expect_outputs(node);
    for (const Node& part : node.parts) expect_outputs(part);
    if (!node.parts.empty()) verify_parts(graph, node);  // before its uses: those count on one output each
    for_each_use(node, [&](ValueId id) { expect_id(graph, id); });
  }
  // In the graphs of a node sizes may contradict: another branch may be the one that runs.
  std::vector<bool> runs(graph.nodes.size(), false);
  if (!around) runs = find_needs(graph, true).nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    where_ = graph.nodes[i].path();
    verify_node(graph, graph.nodes[i], runs[i]);
  }
  where_ = here;
  for (ValueId id : graph.outputs) read(graph, id);
  for (const Node& node : graph.nodes) {
    where_ = node.path();
    const ValueId* running = node.outputs.data();
    for (std::size_t k = 0; k < node.parts.size(); ++k) {
      std::ptrdiff_t reads = 0;
      for (const Node& part : std::span(node.parts).subspan(k, std::min<std::size_t>(2, node.parts.size() - k)))
        reads += std::count(part.inputs.begin(), part.inputs.end(), *running);
      if (reads_[*running] != static_cast<std::uint32_t>(reads))
        fail(named(graph, *running) + " is made inside of a fused node, and read elsewhere");
      running = node.parts[k].outputs.data();
    }
    for (const Subgraph& sub : node.subgraphs) verify_graph(*sub.graph, &graph);
  }
  made_ = std::move(made);
  reads_ = std::move(reads);
  where_ = outside;
}

void Verifier::verify_updates(const NamedGraph& beside) {
  std::set<std::uint32_t> updated;
  for (const NamedGraph::Update& update : beside.updates) {
    if (update.state >= program_.states.size() || update.output >= beside.graph.outputs.size())
      fail("an update names a state or an output that is not there");
    if (!updated.insert(update.state).second) fail("a state is updated twice");
    const State& state = program_.states[update.state];
    const ValueType& type = beside.graph.value(beside.graph.outputs[update.output]).type;
    if (!agree(state.type, type))
      fail("the state " + base::quoted(state.name) + " is " + state.type.to_string() + ", and its new value " +
           type.to_string());
  }
}

}  // namespace

void verify(const Program& program) { Verifier(program).run(); }

}  // namespace norn::program
