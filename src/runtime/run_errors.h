// Errors of a run, with their place and the fed inputs that lead to them.
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

// There is not enough memory. The only error of planning that depends on the machine; all others depend on the model
// and its sizes.
class NoMemory final : public Error {
 public:
  explicit NoMemory(std::string message) : Error(ErrorCode::LimitExceeded, std::move(message)) {}
  explicit NoMemory(Error error) : Error(std::move(error)) {}
};
// Throws `reported`, as NoMemory if `met` is that.
[[noreturn]] void throw_as(const Error& met, const Error& reported);
// Whether an error of planning ends the run, although what was planned might never run.
bool ends_run(const Error& met);

// The error with the node's place, unless it has one already, and with a hint. In an iteration of the node, its number
// follows the place. An error in the function body of an operator is reported as the operator's. `type_of` gives types
// of the operator's inputs. `in_body`: the graph is in a node, so that its inputs are not fed.
Error node_error(const Error& error, const program::Graph& graph, const program::Node& node, const std::string& place,
                 const program::TypeOfInput& type_of, bool in_body);
// The same for a step of the segment.
Error step_error(const Error& error, const Segment& segment, const program::Graph& graph, std::size_t step,
                 bool in_body);
// There is no memory for a tensor of this type: reported at the first step that makes one.
Error memory_error(const Error& error, const Segment& segment, const program::Graph& graph, const StaticType& type,
                   bool in_body);

}  // namespace norn::runtime
