// Errors of a run, told with their place and with what is fed that leads to them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "norn/error.h"
#include "norn/value.h"
#include "program/inlined.h"
#include "runtime/plan.h"

namespace norn::runtime {

// The inputs of the graph that these values follow from, as a list of names.
std::string fed_inputs(const program::Graph& graph, std::span<const program::ValueId> values);

// `inputs ("x" float[2], none)`
std::string inputs_text(const program::Graph& graph, const program::Node& node, std::span<const Value* const> inputs);

// There is no memory: what planning says of the machine, where all else that it says is of the model and its sizes.
class NoMemory final : public Error {
 public:
  explicit NoMemory(std::string message) : Error(ErrorCode::LimitExceeded, std::move(message)) {}
  explicit NoMemory(Error told) : Error(std::move(told)) {}
};
// Throws `told`, as NoMemory if `met` is that.
[[noreturn]] void throw_as(const Error& met, const Error& told);
// Whether an error of planning ends the run, although what was planned might never run.
bool ends_run(const Error& met);

// An error that a node met, at the place that it has unless it has one already, and with help. Of rounds of the node
// the number stands behind its place; a node in the body of an operator is told as the operator. `size_of`: the sizes
// of variables in the operator's inputs. `in_body`: of a graph in a node, whose inputs nobody feeds.
Error told(const Error& error, const program::Graph& graph, const program::Node& node, const std::string& place,
           const program::TypeOfInput& type_of, bool in_body);
// The same of a step of the segment.
Error told(const Error& error, const Segment& segment, const program::Graph& graph, std::size_t step, bool in_body);
// There is no memory for what a step makes: told of the first that makes a tensor like it.
Error told_of_memory(const Error& error, const Segment& segment, const program::Graph& graph, const StaticType& type,
                     bool in_body);

}  // namespace norn::runtime
