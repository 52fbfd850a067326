#include "runtime/control_flow.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/input_refused.h"
#include "norn/error.h"
#include "ops/controlflow/if/if.h"

namespace norn::runtime {

const Tensor& scan_output(const Value& given, std::size_t output, DataType type, const Shape& dims) {
  if (!given.is_tensor())
    throw Error(ErrorCode::RuntimeError,
                "scan output " + std::to_string(output) + " is " + given.describe() + "; only tensors can be stacked");
  const Tensor& t = given.tensor();
  if (type == DataType::Undefined || (t.dtype() == type && t.dims() == dims)) return t;
  throw Error(ErrorCode::RuntimeError,
              "scan output " + std::to_string(output) + " is " + given.describe() + ", but was " +
                  std::string(data_type_name(type)) + to_string(dims) + " before",
              {}, "what a body gives each time is stacked and has to have one shape");
}

StaticType scan_output_unseen(std::span<const StaticType> planned, std::size_t index, const opset::ValueType& type) {
  if (index < planned.size() && planned[index].dtype != DataType::Undefined) return planned[index];
  StaticType unseen{type.elem == DataType::Undefined ? DataType::Float : type.elem, {}};
  if (type.shape)
    for (const opset::DimExpr& d : *type.shape) unseen.dims.push_back(d.is_constant() ? d.constant() : 0);
  return unseen;
}

std::vector<Value> run_if(const program::Node& node, std::span<const Value* const> inputs, const RunSubgraph& run) {
  const Tensor& condition = inputs[0]->tensor();
  if (condition.size() != 1)
    throw base::InputRefused(
        "the condition of If has " + std::to_string(condition.size()) + " elements; it must have one", 0,
        inputs[0]->describe());
  const bool taken = *condition.as<std::uint8_t>() != 0;
  const std::string_view branch = taken ? ops::kThenBranch : ops::kElseBranch;
  for (std::size_t i = 0; i < node.subgraphs.size(); ++i)
    if (node.subgraphs[i].attribute == branch) return run(i, {});
  throw Error(ErrorCode::InvalidGraph, "If has no " + std::string(branch));
}

std::vector<Value> run_sequence_map(const program::Node& node, std::span<const Value* const> inputs,
                                    const RunSubgraph& run) {
  const std::size_t length = inputs[0]->sequence().items.size();
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (!inputs[i]->is_sequence() || inputs[i]->sequence().items.size() == length) continue;
    throw Error(ErrorCode::RuntimeError,
                "input " + std::to_string(i) + " has " + std::to_string(inputs[i]->sequence().items.size()) +
                    " items, but input 0 has " + std::to_string(length),
                {}, "the sequences that SequenceMap goes through have equal lengths");
  }
  std::vector<Sequence> found(node.outputs.size());
  std::vector<Value> formals(inputs.size());
  for (std::size_t k = 0; k < length; ++k) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      formals[i] = inputs[i]->is_sequence() ? inputs[i]->sequence().items[k] : *inputs[i];
    std::vector<Value> made;
    try {
      made = run(0, formals);
    } catch (Error& e) {
      throw e.within("item " + std::to_string(k));
    }
    for (std::size_t o = 0; o < found.size() && o < made.size(); ++o) found[o].items.push_back(std::move(made[o]));
  }
  std::vector<Value> outputs;
  for (Sequence& sequence : found) outputs.emplace_back(std::move(sequence));
  return outputs;
}

std::vector<Value> run_control_flow(const program::Node& node, std::span<Value* const> inputs, const RunSubgraph& run,
                                    const PlanSubgraph& plan) {
  switch (node.op->control_flow) {
    case opset::ControlFlow::If: return run_if(node, inputs, run);
    case opset::ControlFlow::Loop: return run_loop(node, inputs, run, plan);
    case opset::ControlFlow::Scan: return run_scan(node, inputs, run, plan);
    case opset::ControlFlow::SequenceMap: return run_sequence_map(node, inputs, run);
    case opset::ControlFlow::None: break;
  }
  throw Error(ErrorCode::NotImplemented, "there is no way to run " + opset::full_name(*node.op));
}

}  // namespace norn::runtime
