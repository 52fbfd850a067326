// Operators that run graphs: what they do with their subgraphs' executors.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "norn/value.h"
#include "program/program.h"

namespace norn::runtime {

// Runs subgraph `index` of the node on the given formal inputs; its captures are filled in already.
using RunSubgraph = std::function<std::vector<Value>(std::size_t index, std::span<const Value> formals)>;

// The node's outputs. `inputs` parallel the node's. Throws norn::Error (NotImplemented) for an operator that is none of
// control flow.
std::vector<Value> run_control_flow(const program::Node& node, std::span<const Value* const> inputs,
                                    const RunSubgraph& run);

}  // namespace norn::runtime
