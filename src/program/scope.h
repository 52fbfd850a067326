// The names in sight while lowering: those of one graph or function body, and of the graphs around it.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/name_map.h"
#include "infer/name_faults.h"
#include "program/program.h"

namespace norn::program {

class Scope {
 public:
  // `outer` is what a subgraph also sees; null for the main graph and for function bodies, whose nodes land in the
  // caller's graph but see the formal parameters only. A branch in place of its If lands in the graph around as well,
  // and sees its names.
  enum class Of : std::uint8_t { Graph, Function };
  explicit Scope(Graph& graph, Scope* outer = nullptr, Of of = Of::Graph) : graph_(&graph), outer_(outer), of_(of) {}

  Graph& graph() const noexcept { return *graph_; }
  bool has(const std::string& name) const { return ids_.contains(name); }
  // kNone if this scope itself has no such name.
  ValueId find(const std::string& name) const;
  // Throws norn::Error if the name is taken.
  void define(const std::string& name, ValueId id, infer::Definer by = infer::Definer::Node);
  [[noreturn]] void fail_redefined(const std::string& name, infer::Definer by) const;
  // As find(), but a name of the graphs around becomes a value of this graph: a capture, or the constant itself.
  ValueId capture(const std::string& name);
  // A formal parameter that the call leaves out: wherever the body and the graphs in it read the name, the input is
  // omitted.
  void omit(const std::string& name) { omitted_.insert(name); }
  // Whether a name that capture() does not know stands for such a parameter.
  bool omits(const std::string& name) const;

  // The node that is lowered now: nodes[index]. The list outlives the scope's use.
  void enter_node(const std::vector<ir::Node>& nodes, std::size_t index) {
    nodes_ = &nodes;
    index_ = index;
  }
  // Reports why input `input` of the node, which no scope knows, is missing: nothing makes it, a later node does, here
  // or in a graph around, or the nodes form a cycle.
  [[noreturn]] void fail_undefined(std::size_t input) const;

  // `did you mean "x"?`, of the names that can be seen here; "" if none is near.
  std::string similar(const std::string& name) const;

 private:
  // False if the name is taken.
  bool add(const std::string& name, ValueId id, infer::Definer by);
  infer::Definer definer(const std::string& name) const;
  bool in_function() const;

  Graph* graph_;
  Scope* outer_;
  Of of_;
  const std::vector<ir::Node>* nodes_ = nullptr;
  std::size_t index_ = 0;
  std::deque<std::string> names_;         // those in `ids_`
  std::vector<infer::Definer> definers_;  // of each name
  base::NameMap ids_;
  std::unordered_set<std::string> omitted_;
};

}  // namespace norn::program
