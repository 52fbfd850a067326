// The Program: a model lowered to what runs. Functions are inlined, every node is at the newest version its slice can
// lift it to, values are numbered (SSA), typed, and have symbolic shapes.
//
// It stays portable: nothing here depends on a machine, and to_model() writes it back as a document. Each node keeps
// the document paths it came from and its device configurations; each value says whether it is fed, constant, state
// (an initializer that training changes: passes leave it alone) or computed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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
  State,     // an initializer that training updates; contents in `constant` are where it starts
  Capture,   // in a subgraph: a value of the enclosing graph
  Computed,
};

struct Value {
  std::string name;
  Origin origin = Origin::Computed;
  opset::ValueType type;
  opset::KnownValue known;  // what inference knows of the contents
  norn::Tensor constant;    // Constant and State; the default of a Feed that has one
  bool is_constant() const noexcept { return origin == Origin::Constant; }
};

// An element-wise operation fused behind a node: it takes the running value as inputs[running] (which is kNone there).
struct PostOp {
  const opset::Operator* op = nullptr;
  const opset::Schema* schema = nullptr;
  std::vector<ir::Attribute> attrs;
  std::vector<ValueId> inputs;
  int running = 0;
  ValueId carried = kNone;  // the running value: what the part before made, and nothing else reads
  std::string path;
};

struct Graph;
struct Subgraph {
  std::string attribute;  // "then_branch"
  std::unique_ptr<Graph> graph;
};

struct Node {
  const opset::Operator* op = nullptr;  // null marks a node that a pass removed
  const opset::Schema* schema = nullptr;
  std::string name;
  std::vector<ir::Attribute> attrs;  // as the node gives them, graphs excepted; defaults are the schema's
  std::vector<ValueId> inputs, outputs;
  std::vector<PostOp> post;  // applied to output 0, in order
  std::vector<Subgraph> subgraphs;
  std::vector<std::string> paths;  // document places this node came from, this node's own first
  std::vector<ir::NodeDeviceConfiguration> device_configurations;
  ir::Metadata metadata;

  opset::Attrs attributes() const { return {*schema, attrs}; }
  ValueId input(std::size_t i) const noexcept { return i < inputs.size() ? inputs[i] : kNone; }
  const std::string& path() const;
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

  ValueId add_value(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
  const Value& value(ValueId id) const { return values[id]; }
  Value& value(ValueId id) { return values[id]; }
};

struct Program {
  Graph main;
  std::vector<ir::ValueInfo> declared_inputs, declared_outputs;  // of the document's main graph
  std::vector<ir::DeviceConfiguration> configurations;
  std::int64_t ir_version = 0;
  std::string producer;
};

// Makes the value a constant of these contents; small ones are known to inference as well.
void make_constant(Value& value, norn::Tensor contents);

// Bytes that the contents take, those of strings included.
std::uint64_t memory_of(const norn::Tensor& contents);

// Calls f for every value that the node reads: inputs, operands of fused operations, captures of subgraphs.
void for_each_use(const Node& node, const std::function<void(ValueId)>& f);
// Replaces what the node reads.
void replace_uses(Node& node, const std::function<ValueId(ValueId)>& f);

// The nodes that a node with fused operations stands for: the operation alone, then one node for each fused one.
std::vector<Node> unfuse(const Node& node);

}  // namespace norn::program
