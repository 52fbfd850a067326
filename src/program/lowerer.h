// The walk that lowering is. Its files: lower.cc (graphs), lower_node.cc (one node), lower_attributes.cc (a node's
// attributes), lower_call.cc (functions' bodies in place of calls), lower_equalities.cc (what nodes said of sizes, when
// all of them are there); scope.h has the names.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infer/unifier.h"
#include "opset/infer_context.h"
#include "program/lower.h"
#include "program/scope.h"
#include "transform/lift.h"

namespace norn::program {

// Opset versions in force, by canonical domain.
using Imports = std::map<std::string, std::int64_t, std::less<>>;

// A call being inlined: attribute values for the body's references.
struct Call {
  const Call* parent = nullptr;
  const ir::Function* function = nullptr;
  std::unordered_map<std::string, const ir::Attribute*> attributes;
  int depth = 1;
};

struct Place {
  std::string path;  // of the enclosing graph or call
  const Imports* imports = nullptr;
  const Call* call = nullptr;  // null outside of functions
};

// "ai.onnx" for the default domain.
std::string domain_name(std::string_view domain);

// Of an empty list IR 1 writes the attribute's name and nothing else: what has neither type nor value becomes one where
// the version declares a list, and is refused elsewhere.
void complete_untyped(std::vector<ir::Attribute>& attrs, const opset::Schema& schema);

// Throws norn::Error for an attribute that the version does not have, has with another type, or requires and lacks.
void check_attributes(const std::vector<ir::Attribute>& attrs, const opset::Operator& op, const opset::Schema& schema);

// Two sizes that a node needs to be equal.
struct Equality {
  opset::DimExpr left, right;
  std::string what;  // names the two in messages
  std::size_t node;  // its index in the graph
};

class NodeEngine;

class Lowerer {
 public:
  Lowerer(const ir::Model& model, const LowerOptions& options) : model_(model), options_(options) {}
  Program run();

 private:
  friend class NodeEngine;
  using Outputs = std::vector<opset::InferContext::Output>;

  // Puts the graph's values and nodes into the scope's and returns its outputs. `given` are the types that the node
  // around a subgraph knows for its inputs.
  std::vector<ValueId> lower_graph(const ir::Graph& source, Scope& scope, const Place& place,
                                   const std::vector<opset::ValueType>& given, bool main);
  void lower_inputs(const ir::Graph& source, Scope& scope, const Place& place,
                    const std::vector<opset::ValueType>& given, bool main);
  void lower_initializers(const ir::Graph& source, Scope& scope, const Place& place, bool main);
  void lower_initializer(const std::string& name, norn::Tensor contents, Scope& scope, bool main);
  ValueId define_constant(const std::string& name, norn::Tensor contents, Scope& scope);
  std::vector<ValueId> lower_outputs(const ir::Graph& source, Scope& scope, const Place& place);
  void lower_nodes(const std::vector<ir::Node>& nodes, Scope& scope, const Place& place);
  bool is_trained(const std::string& initializer) const;
  Imports imports_of(const std::vector<ir::OperatorSetId>& entries) const;

  void lower_node(const ir::Node& node, Scope& scope, const Place& place, const std::string& path);
  Outputs infer(const transform::BoundNode& bound, const std::vector<ValueId>& inputs, const Scope& scope,
                NodeEngine& engine) const;
  transform::Lifted lift(const transform::BoundNode& bound, const Outputs& outputs, Scope& scope);
  void append(transform::BoundNode bound, std::vector<ValueId> inputs, Outputs outputs, Scope& scope,
              const std::string& path, NodeEngine& engine);
  // What inference found out about an output, as far as it is worth keeping.
  opset::KnownValue kept(opset::KnownValue known);
  Subgraph lower_subgraph(const ir::Attribute& attr, const std::vector<opset::ValueType>& inputs, Scope& scope,
                          const Place& place, const std::string& path);
  // A branch in place of its If: its nodes land in the graph around. Returns its outputs.
  std::vector<ValueId> inline_branch(const ir::Attribute& attr, Scope& scope, const Place& place,
                                     const std::string& path);
  Place enter_graph(const ir::Attribute& attr, const Place& place, const std::string& path);
  // Solves what the graph's nodes said and writes it into the types of its values and of the graphs in it.
  // `branch`: the graph need not run.
  void solve(Graph& graph, bool branch);
  void resolve_values(Graph& graph) const;
  // The node's attributes with references replaced by what the call gives, and tensors brought in from their files.
  // What the call leaves out is left out: the operator's own default applies.
  std::vector<ir::Attribute> resolve_attributes(const ir::Node& node, const Call* call) const;
  norn::Tensor contents_of(const ir::Tensor& tensor) const;
  void count_node();
  [[noreturn]] void fail_too_many_nodes() const;

  static std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
    return std::string(domain) + '\0' + std::string(name) + '\0' + std::string(overload);
  }
  // The model's own function that the node calls, or null.
  const ir::Function* find_function(std::string_view domain, const ir::Node& node) const;
  // The body that a loaded operator set gives; null if none declares the operator. Throws if one does without a body.
  const ir::Function* find_in_sets(const std::string& domain, const ir::Node& node, const Place& place) const;
  // How many nodes the list becomes with bodies in place of calls, each call counted too; saturating. Every body is
  // counted once, so that functions which call each other twice at each of thirty steps are refused at once.
  std::uint64_t expanded_size(const std::vector<ir::Node>& nodes, int depth = 0);
  void inline_call(const ir::Node& node, const ir::Function& function, Scope& scope, const Place& place,
                   const std::string& path);

  opset::DimExpr fresh_dim() { return opset::DimExpr::variable("?" + std::to_string(fresh_dims_++)); }
  std::string fresh_suffix() { return std::to_string(fresh_names_++); }

  const ir::Model& model_;
  const LowerOptions& options_;
  std::unordered_map<std::string, const ir::Function*> functions_;
  std::unordered_map<const ir::Function*, std::uint64_t> expanded_sizes_;
  std::unordered_map<const Graph*, std::vector<Equality>> equalities_;
  std::vector<State> states_;
  infer::Unifier unifier_;                         // what holds in the graph being solved
  std::uint64_t own_bytes_ = 0, known_bytes_ = 0;  // of the model's constants; of what inference knows beside them
  std::uint64_t nodes_ = 0, fresh_dims_ = 0, fresh_names_ = 0;
  int depth_ = 0;
};

}  // namespace norn::program
