// Operators that run graphs: what they do with their subgraphs' executors.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "norn/value.h"
#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

// Runs subgraph `index` of the node on the given formal inputs; its captures are filled in already. Sequences are taken
// out of `formals`, so that the graph may be the only one that holds them; tensors stay there.
using RunSubgraph = std::function<std::vector<Value>(std::size_t index, std::span<Value> formals)>;
// The types of what subgraph `index` would give, as far as its plan knows for formals of these types and sizes, whose
// contents are not read: Undefined for unknown ones, and nothing at all where it cannot be planned.
using PlanSubgraph = std::function<std::vector<StaticType>(std::size_t index, std::span<const Value> formals)>;

// The node's outputs, each owning its memory or sharing that of an input. `inputs` parallel the node's; null where
// omitted. Sequences that become formal inputs are taken out of them. Throws norn::Error (NotImplemented) for an
// operator that is none of control flow.
std::vector<Value> run_control_flow(const program::Node& node, std::span<Value* const> inputs, const RunSubgraph& run,
                                    const PlanSubgraph& plan);

// The shape of a formal input that is not one of the node's inputs or a part of one: the iteration number and the
// condition of Loop. Nothing for others.
std::optional<Shape> shape_of_own_formal(const program::Node& node, std::size_t index, std::size_t formal);

// What a body gives for a scan output: a tensor, and where there was one before it (`type` is not Undefined), of its
// type and shape. Throws norn::Error (RuntimeError).
const Tensor& scan_output(const Value& given, std::size_t output, DataType type, const Shape& dims);
// What a body that did not run would have given as output `index`: by its plan, else by its declared type; unknown
// sizes are 0.
StaticType scan_output_unseen(std::span<const StaticType> planned, std::size_t index, const opset::ValueType& type);

// One for each operator; run_control_flow() picks.
std::vector<Value> run_if(const program::Node& node, std::span<const Value* const> inputs, const RunSubgraph& run);
std::vector<Value> run_loop(const program::Node& node, std::span<Value* const> inputs, const RunSubgraph& run,
                            const PlanSubgraph& plan);
std::vector<Value> run_scan(const program::Node& node, std::span<const Value* const> inputs, const RunSubgraph& run,
                            const PlanSubgraph& plan);
std::vector<Value> run_sequence_map(const program::Node& node, std::span<const Value* const> inputs,
                                    const RunSubgraph& run);

}  // namespace norn::runtime
