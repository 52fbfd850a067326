#include "infer/body_faults.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/text.h"

namespace norn::infer {
namespace {

using base::counted;
using opset::ControlFlow;

// Inputs that are constants need not be fed; in files up to IR 3 constants had to be inputs.
bool takes(const ir::Graph& body, std::size_t fed) {
  if (body.input.size() <= fed) return body.input.size() == fed;
  std::unordered_set<std::string_view> constants;
  for (const ir::Tensor& tensor : body.initializer) constants.insert(tensor.name.get());
  for (const ir::SparseTensor& sparse : body.sparse_initializer)
    if (sparse.values) constants.insert(sparse.values->name.get());
  const auto among_inputs = std::count_if(body.input.begin(), body.input.end(), [&](const ir::ValueInfo& input) {
    return constants.contains(input.name.get());
  });
  return body.input.size() - fed <= static_cast<std::size_t>(among_inputs);
}

// What begins as inputs of the node and comes out of each round.
std::size_t carried_values(const opset::Operator& op, std::size_t fed, std::span<const ir::Attribute> attributes) {
  if (op.control_flow == ControlFlow::Loop) return fed - 2;
  if (op.control_flow != ControlFlow::Scan) return 0;
  const auto scanned = std::find_if(attributes.begin(), attributes.end(), [](const ir::Attribute& attribute) {
    return attribute.name.get() == "num_scan_inputs";
  });
  if (scanned == attributes.end() || scanned->i.get() < 0 || static_cast<std::size_t>(scanned->i.get()) > fed) return 0;
  return fed - static_cast<std::size_t>(scanned->i.get());
}

FaultText wrong_inputs(const opset::Operator& op, std::size_t inputs, std::size_t fed, const ir::Graph& body) {
  if (op.control_flow == ControlFlow::If)
    return {"the branch has " + counted(body.input.size(), "input") + ", but an If feeds its branches none",
            "let the branch read values of the graph around by their names"};
  return {"the body has " + counted(body.input.size(), "input") + ", but the " + std::string(op.name) + " with its " +
              counted(inputs, "input") + " feeds it " + std::to_string(fed),
          op.control_flow == ControlFlow::Loop
              ? "a Loop's body takes the iteration's number, the condition and the carried values"
              : "give the body one input for each that the node feeds it; other values of the graph around it reads "
                "by their names"};
}

}  // namespace

std::int64_t fed_inputs(const opset::Operator* op, std::int64_t version, std::size_t inputs) {
  const auto given = static_cast<std::int64_t>(inputs);
  switch (op ? op->control_flow : ControlFlow::None) {
    case ControlFlow::If: return 0;
    case ControlFlow::Loop: return std::max<std::int64_t>(given, 2);
    case ControlFlow::Scan: return version >= 9 ? given : given - 1;
    case ControlFlow::SequenceMap: return given;
    case ControlFlow::None: break;
  }
  return -1;
}

std::optional<BodyFault> output_fault(const opset::Operator& op, std::int64_t version, std::size_t inputs,
                                      std::size_t outputs, std::span<const ir::Attribute> attributes,
                                      std::size_t given) {
  using Of = BodyFault::Of;
  const std::int64_t feeds = fed_inputs(&op, version, inputs);
  if (feeds < 0) return {};
  if (op.control_flow == ControlFlow::If) {
    if (given == outputs) return {};
    return BodyFault{Of::Outputs,
                     {"the branch has " + counted(given, "output") + ", but the If has " + std::to_string(outputs),
                      "let both branches give as many values as the node has outputs"}};
  }
  const bool loop = op.control_flow == ControlFlow::Loop;
  const std::size_t carried = carried_values(op, static_cast<std::size_t>(feeds), attributes);
  const std::size_t condition = loop ? 1 : 0, wanted = outputs + condition;
  if (given < carried + condition)
    return BodyFault{loop ? Of::Condition : Of::Outputs,
                     {"the body has " + counted(given, "output") + ", but it has to give " +
                          (loop ? "the condition and " : "") + counted(carried, loop ? "carried value" : "state"),
                      loop ? "give the condition as the first output, even where it is ignored, and then what is "
                             "carried to the next iteration"
                           : "give the states first, and then what each round makes"}};
  if (given == wanted) return {};
  return BodyFault{given < wanted ? Of::Outputs : Of::Unread,
                   {"the body has " + counted(given, "output") + ", but the " + std::string(op.name) + "'s " +
                        counted(outputs, "output") + (outputs == 1 ? " needs " : " need ") + std::to_string(wanted),
                    loop ? "a Loop's body gives the condition first, then one value for each output of the node"
                         : "let the body give one value for each output of the node"}};
}

std::vector<BodyFault> body_faults(const opset::Operator& op, std::int64_t version, std::size_t inputs,
                                   std::size_t outputs, std::span<const ir::Attribute> attributes,
                                   const ir::Graph& body) {
  std::vector<BodyFault> faults;
  const std::int64_t feeds = fed_inputs(&op, version, inputs);
  if (feeds >= 0 && !takes(body, static_cast<std::size_t>(feeds)))
    faults.push_back({BodyFault::Of::Inputs, wrong_inputs(op, inputs, static_cast<std::size_t>(feeds), body)});
  if (auto fault = output_fault(op, version, inputs, outputs, attributes, body.output.size()))
    faults.push_back(*std::move(fault));
  return faults;
}

FaultText input_behind_constant() {
  return {"it comes after an input that is a constant", "list constants after the inputs that the operator feeds"};
}

}  // namespace norn::infer
