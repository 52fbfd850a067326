// One node computed by kernels as runs choose them, for passes that fold large constants.
#pragma once
#include <vector>

#include "norn/value.h"
#include "program/program.h"

namespace norn::runtime {

// The outputs of a node of `graph` without subgraphs and parts whose inputs are constants and whose outputs have static
// types; undefined where an output is omitted. Throws norn::Error, whose place counts from a graph of this node alone.
std::vector<Value> compute_node(const program::Graph& graph, const program::Node& node, bool flush_subnormals);

}  // namespace norn::runtime
