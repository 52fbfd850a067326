// The walk that lowering is. Its files: lower.cc (graphs), lower_node.cc (one node), lower_call.cc (functions' bodies
// in place of calls), lower_equalities.cc (what nodes said of sizes, when all of them are there); scope.h has the
// names. Inference is infer::Inferrer's; here facts lie in the values of the graph being made.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infer/attributes.h"
#include "infer/inferrer.h"
#include "infer/loop_memory.h"
#include "infer/symbols.h"
#include "program/binding.h"
#include "program/lower.h"
#include "program/scope.h"
#include "transform/lift.h"

namespace norn::program {

using infer::Call;
using infer::Imports;

struct Place {
  std::string path;  // of the enclosing graph or call
  const Imports* imports = nullptr;
  const Call* call = nullptr;  // null outside of functions
  bool standard = false;       // in the body of one of ONNX's operators, where names mean ONNX's operators only
  bool may_not_run = false;    // in a branch, or in the body of a loop: what cannot be is refused when it runs
  bool in_operator = false;    // in the function body of an operator
};

// Two sizes that a node needs to be equal.
struct Equality {
  opset::DimExpr left, right;
  std::string what;  // names the two in messages
  std::size_t node;  // its index in the graph
};

class NodeGraphs;

class Lowerer {
 public:
  Lowerer(const ir::Model& model, const LowerOptions& options)
      : model_(model), options_(options), functions_(model.functions) {}
  Program run();

 private:
  friend class NodeGraphs;
  using Outputs = std::vector<opset::InferContext::Output>;

  // Puts the graph's values and nodes into the scope's and returns its outputs. `given` are the types that the node
  // around a subgraph knows for its inputs.
  std::vector<ValueId> lower_graph(const ir::Graph& source, Scope& scope, const Place& place,
                                   const std::vector<opset::ValueType>& given, bool main);
  void lower_inputs(const ir::Graph& source, Scope& scope, const Place& place,
                    const std::vector<opset::ValueType>& given, bool main);
  void lower_initializers(const ir::Graph& source, Scope& scope, const Place& place, bool main);
  void lower_initializer(const std::string& name, norn::Tensor contents, Scope& scope, bool main);
  ValueId define_constant(const std::string& name, norn::Tensor contents, Scope& scope,
                          infer::Definer by = infer::Definer::Node);
  std::vector<ValueId> lower_outputs(const ir::Graph& source, Scope& scope, const Place& place);
  void lower_nodes(const std::vector<ir::Node>& nodes, Scope& scope, const Place& place);
  bool is_trained(const std::string& initializer) const;

  void lower_node(const ir::Node& node, Scope& scope, const Place& place, const std::string& path);
  Outputs infer(const transform::BoundNode& bound, const std::vector<ValueId>& inputs, const Scope& scope,
                NodeGraphs& graphs);
  // The types alone, for a node that contradicts itself but need not run.
  Outputs infer_types(const transform::BoundNode& bound, const std::vector<ValueId>& inputs, const Scope& scope);
  transform::Lifted lift(const transform::BoundNode& bound, const Outputs& outputs, Scope& scope);
  void append(transform::BoundNode bound, std::vector<ValueId> inputs, Outputs outputs, Scope& scope,
              const std::string& path, NodeGraphs& graphs);
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
  // Drops what is kept beside a subgraph that is lowered again.
  void forget(const Graph& graph);
  void count_node();
  [[noreturn]] void fail_too_many_nodes() const;
  // Throws why, and how many of the model's nodes there are beside that one.
  [[noreturn]] void fail_unrunnable(const CannotRun& cannot) const;

  // How many nodes the list becomes with bodies in place of calls, each call counted too; saturating. Every body is
  // counted once, so that functions which call each other twice at each of thirty steps are refused at once.
  std::uint64_t expanded_size(const std::vector<ir::Node>& nodes, int depth = 0);
  // `standard`: the function is the body of one of ONNX's operators.
  void inline_call(const ir::Node& node, const ir::Function& function, Scope& scope, const Place& place,
                   const std::string& path, bool standard = false);
  // Puts the operator's function body in place of the node, if no kernel runs it and it has one.
  enum class Body { None, Inlined, Waits };
  Body inline_body(const transform::BoundNode& bound, const std::vector<ValueId>& inputs, Scope& scope,
                   const Place& place, const std::string& path);
  // Equalities that inference of the node found become those of the nodes that replace it, from `first_node` on.
  void say_of_body(const std::vector<Equality>& said, const ir::Node& node, std::size_t first_node, Scope& scope);
  // An input of unknown rank, where the operator takes one rank only, goes through a Transpose of that rank that moves
  // nothing: it has sizes then, which inference compares, and another rank is refused when the node runs.
  void rank_inputs(transform::BoundNode& bound, Scope& scope, const Place& place, const std::string& path);
  // The only rank of the input that the operator does not refuse; nothing if it takes several.
  std::optional<std::int64_t> only_rank(const transform::BoundNode& bound, const std::vector<ValueId>& inputs,
                                        std::size_t input, const Scope& scope);

  std::string fresh_suffix() { return std::to_string(fresh_names_++); }

  const ir::Model& model_;
  const LowerOptions& options_;
  bool waits_ = false;
  infer::FunctionTable functions_;
  std::unordered_map<const ir::Function*, std::uint64_t> expanded_sizes_;
  std::unordered_map<const Graph*, std::vector<Equality>> equalities_;
  std::vector<State> states_;
  infer::Symbols symbols_;                         // equations: what holds in the graph being solved
  std::uint64_t own_bytes_ = 0, known_bytes_ = 0;  // of the model's constants; of what inference knows beside them
  std::unordered_map<std::string, infer::LoopMemory> loops_;  // by path, within the outermost graph of a node
  std::uint64_t nodes_ = 0, fresh_names_ = 0;
  int depth_ = 0;
};

}  // namespace norn::program
