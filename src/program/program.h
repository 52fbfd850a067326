// The Program: a model lowered to what runs. Functions are inlined, every node is at the newest version its slice can
// lift it to, values are numbered (SSA), typed, and have symbolic shapes.
//
// It stays portable: nothing here depends on a machine, and to_model() writes it back as a document. Each node keeps
// the document paths it came from and its device configurations; each value says whether it is fed, constant, state
// (what training changes: passes leave it alone) or computed.
//
// verify.h says what holds of every Program, and rewriter.h changes one.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/model.h"
#include "norn/value.h"
#include "opset/attrs.h"
#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::program {

using ValueId = std::uint32_t;
inline constexpr ValueId kNone = 0xffffffffu;  // an omitted optional

enum class Origin : std::uint8_t {
  Feed,      // a graph input
  Constant,  // contents in `constant`
  State,     // `state` in the Program's table
  Capture,   // in a subgraph: a value of the enclosing graph
  Computed,
};

struct Value {
  std::string name;
  Origin origin = Origin::Computed;
  std::uint32_t state = 0;
  opset::ValueType type;
  opset::KnownValue known;  // what inference knows of the contents
  norn::Tensor constant;    // of a Constant; the default of a Feed that has one
  bool is_constant() const noexcept { return origin == Origin::Constant; }
};

struct Graph;
struct Subgraph {
  std::string attribute;  // "then_branch"
  std::unique_ptr<Graph> graph;

  // Copies are deep.
  Subgraph();
  Subgraph(const Subgraph&);
  Subgraph(Subgraph&&) noexcept;
  Subgraph& operator=(Subgraph&&) noexcept;
  ~Subgraph();
};

// A fused node has `parts`: the operations that it stands for behind its own, in order. Each has one output, and reads
// the output of the operation before it; it may read that of the operation before that as well. Nothing else reads
// these, and whatever else a part reads is made outside of the node. They may differ in shape and element type.
struct Node {
  const opset::Operator* op = nullptr;
  const opset::Schema* schema = nullptr;
  std::string name;
  std::vector<ir::Attribute> attrs;      // as the node gives them, graphs excepted; defaults are the schema's
  std::vector<ValueId> inputs, outputs;  // of the node's own operation
  std::vector<Node> parts;
  std::vector<Subgraph> subgraphs;
  std::vector<std::string> paths;  // document places this operation came from, the one that names it first
  std::vector<ir::NodeDeviceConfiguration> device_configurations;
  ir::Metadata metadata;

  opset::Attrs attributes() const { return {*schema, attrs}; }
  ValueId input(std::size_t i) const noexcept { return i < inputs.size() ? inputs[i] : kNone; }
  // What the rest of the graph may read.
  const std::vector<ValueId>& results() const noexcept { return parts.empty() ? outputs : parts.back().outputs; }
  const std::string& path() const;
};

// "Conv+Add+Relu"
std::string describe_operations(const Node& node);

// An operator that runs as its function body: what messages about the body's nodes begin with (inlined.h).
struct Inlined {
  std::string path, operation;  // of the document's node; "GroupNormalization"
  struct Input {
    std::string name;  // "" if it is omitted
    opset::ValueType type;
  };
  std::vector<Input> inputs;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  // producers before consumers
  std::vector<ValueId> inputs, outputs;
  struct Capture {
    ValueId outer, inner;  // ids in the enclosing graph and in this one
  };
  std::vector<Capture> captures;
  std::vector<Inlined> inlined;
  // The Program has a Reshape, which takes a 0 in the shape for a copied size: sizes inferred from it need not hold for
  // empty tensors.
  bool may_copy_sizes = true;
  // The owner of the Program lowers the document again for the sizes of a run if a Reshape copies some (SizesCopied).
  bool lowers_again = false;

  ValueId add_value(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
  const Value& value(ValueId id) const { return values[id]; }
  Value& value(ValueId id) { return values[id]; }
};

// What training changes: an initializer of the document that some binding names.
struct State {
  std::string name;
  opset::ValueType type;
  norn::Tensor initial;  // where it starts
};

// A graph beside the main one. When it has run, states take the values of some of its outputs.
struct NamedGraph {
  Graph graph;
  struct Update {
    std::uint32_t state, output;  // in Program::states, and in graph.outputs
  };
  std::vector<Update> updates;
};

// A candidate for a rewrite that a pass left as it is, and why.
struct NearMiss {
  std::string path;    // of the node
  std::string pass;    // "fuse_elementwise"
  std::string reason;  // "Add could join Conv "c1", but the value "x" has 2 readers"
};

struct Program {
  Graph main;
  std::map<std::string, NamedGraph, std::less<>> graphs;         // beside `main`, by name
  std::vector<State> states;                                     // of all graphs, which refer to them by index
  std::vector<ir::ValueInfo> declared_inputs, declared_outputs;  // of the document's main graph
  std::vector<ir::DeviceConfiguration> configurations;
  std::int64_t ir_version = 0;
  std::string producer;
  // Some nodes cannot be run yet: their function bodies depend on types that the document leaves open.
  bool waits = false;
  std::uint64_t fresh_dims = 0;  // the next number for a dimension variable "?0" that no other value has

  // Near misses of passes, up to a number.
  static constexpr std::size_t kMostNearMisses = 1000;
  std::vector<NearMiss> near_misses;
  std::uint64_t more_near_misses = 0;

  Program() = default;
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;

 private:
  Program(const Program&) = default;
  friend Program clone(const Program&);
};

// A copy that shares nothing but the immutable contents of tensors.
Program clone(const Program& program);

// The graph that gives states their first values, by its name in Program::graphs.
inline constexpr std::string_view kInitialize = "initialize";

// Makes the value a constant of these contents; small ones are known to inference as well.
void make_constant(Value& value, norn::Tensor contents);

// Bytes that the contents take, those of strings included.
std::uint64_t memory_of(const norn::Tensor& contents);

// Calls f(id) for every value that the node reads from outside: inputs, those of its parts, captures of its subgraphs.
// f may take a reference and write to it.
template <class N, class F>
void for_each_use(N& node, F&& f) {
  for (auto& id : node.inputs)
    if (id != kNone) f(id);
  ValueId running = node.outputs.empty() ? kNone : node.outputs.front(), before = kNone;
  for (auto& part : node.parts) {
    for (auto& id : part.inputs)
      if (id != kNone && id != running && id != before) f(id);
    before = std::exchange(running, part.outputs.front());
  }
  for (auto& sub : node.subgraphs)
    for (auto& capture : sub.graph->captures) f(capture.outer);
}

// Calls f(graph) for the graph and every graph in it, inner ones first.
template <class G, class F>
void for_each_graph(G& graph, F&& f) {
  for (auto& node : graph.nodes)
    for (auto& sub : node.subgraphs) for_each_graph(static_cast<G&>(*sub.graph), f);
  f(graph);
}
// The same for all graphs of a Program.
template <class F>
void for_each_graph(Program& program, F&& f) {
  for_each_graph(program.main, f);
  for (auto& [name, beside] : program.graphs) for_each_graph(beside.graph, f);
}

}  // namespace norn::program
