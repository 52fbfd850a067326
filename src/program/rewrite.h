// What passes share: who makes and who reads each value of a graph, and removal of nodes.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "program/program.h"

namespace norn::program {

// Producers and use counts, as of its construction; passes keep it up to date themselves where they need to.
class UseIndex {
 public:
  explicit UseIndex(const Graph& graph);
  // Index of the node that makes the value; -1 for feeds, constants and captures.
  int producer(ValueId id) const { return producer_[id]; }
  // How many reads there are, graph outputs and captures of subgraphs included.
  int uses(ValueId id) const { return uses_[id]; }
  // Index of the single reader if there is exactly one read and it is a node; else -1.
  int only_reader(ValueId id) const { return uses_[id] == 1 ? reader_[id] : -1; }

 private:
  std::vector<int> producer_, uses_, reader_;
};

// What the graph's outputs need. With `known`, a node whose outputs' contents inference knows is not needed.
struct Needs {
  std::vector<bool> nodes, values;
};
Needs find_needs(const Graph& graph, bool known = false);

// Calls f for the graph and every graph in it, inner ones first.
void for_each_graph(Graph& graph, const std::function<void(Graph&)>& f);

// Erases the nodes whose op is null.
void compact(Graph& graph);
// Every reader of value v (graph outputs included) reads to[v] instead; chains of redirections are followed.
void redirect_all(Graph& graph, const std::vector<ValueId>& to);

// True if the value is a constant (not state).
inline bool is_const(const Graph& graph, ValueId id) { return id != kNone && graph.value(id).is_constant(); }

// A constant that nobody reads gives up its memory.
inline void release(Value& constant) {
  constant.constant = {};
  constant.known = {};
}

// Passes, one file each:
void fold_constants(Program&);
void drop_identities(Graph&);
void fuse_conv_bn(Graph&);
void fuse_elementwise(Graph&);
void drop_dead(Graph&);

}  // namespace norn::program
