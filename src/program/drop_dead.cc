// Nodes whose outputs nobody needs are removed, and constants that nobody reads give up their memory.
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {

void drop_dead(Program& program, Graph& graph) {
  Rewriter rewriter(program, graph);
  rewriter.each_backward([&](NodeId n) {
    for (ValueId id : rewriter.node(n).results())
      if (id != kNone && rewriter.reads(id) > 0) return;
    rewriter.drop(n);
  });
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (is_const(graph, id) && rewriter.reads(id) == 0) release(graph.value(id));
  rewriter.commit();
}

}  // namespace norn::program
