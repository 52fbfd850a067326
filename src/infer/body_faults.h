// What is wrong with a graph that a node runs (a branch of If, the body of Loop, Scan or SequenceMap) by the numbers of
// its inputs and outputs, as inference, lowering and the checker say it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "infer/fault_text.h"
#include "ir/model.h"
#include "opset/schema.h"

namespace norn::infer {

struct BodyFault {
  enum class Of : std::uint8_t {
    Inputs,
    Condition,  // a Loop's body has to give one, and all carried values
    Outputs,
    Unread,  // the body gives more than the node names, which can be run all the same
  };
  Of of;
  FaultText text;
};

// How many inputs of its graph a node of so many inputs feeds; -1 for an operator that runs none, or is not known.
std::int64_t fed_inputs(const opset::Operator* op, std::int64_t version, std::size_t inputs);

// `attributes` are those of a node of so many inputs and outputs, and `body` is the graph in one of them.
std::vector<BodyFault> body_faults(const opset::Operator& op, std::int64_t version, std::size_t inputs,
                                   std::size_t outputs, std::span<const ir::Attribute> attributes,
                                   const ir::Graph& body);

// The same of its outputs alone, of which it has `given`.
std::optional<BodyFault> output_fault(const opset::Operator& op, std::int64_t version, std::size_t inputs,
                                      std::size_t outputs, std::span<const ir::Attribute> attributes,
                                      std::size_t given);

// An input of a body that the node feeds by its place, behind one that is a constant.
FaultText input_behind_constant();

}  // namespace norn::infer
