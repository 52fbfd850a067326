// What passes share: who makes and who reads each value of a graph, and removal of nodes.
#pragma once
#include <cstdint>
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

// Erases the nodes whose op is null.
void compact(Graph& graph);
// Every reader of value v (graph outputs included) reads to[v] instead; chains of redirections are followed.
void redirect_all(Graph& graph, const std::vector<ValueId>& to);

// True if the value is a constant (not state).
inline bool is_const(const Graph& graph, ValueId id) { return id != kNone && graph.value(id).is_constant(); }

// Passes, one file each:
void fold_constants(Graph&);
void drop_identities(Graph&);
void fuse_conv_bn(Graph&);
void fuse_elementwise(Graph&);
void drop_dead(Graph&);

}  // namespace norn::program
