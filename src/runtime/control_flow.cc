#include "runtime/control_flow.h"

#include "ops/controlflow/if/if.h"

namespace norn::runtime {
namespace {

std::vector<Value> run_if(const program::Node& node, std::span<const Value* const> inputs, const RunSubgraph& run) {
  const Tensor& condition = inputs[0]->tensor();
  if (condition.size() != 1)
    throw Error(ErrorCode::RuntimeError,
                "the condition of If has " + std::to_string(condition.size()) + " elements; it must have one",
                "input 0 " + inputs[0]->describe());
  const bool taken = *condition.as<std::uint8_t>() != 0;
  const std::string_view branch = taken ? "then_branch" : "else_branch";
  for (std::size_t i = 0; i < node.subgraphs.size(); ++i)
    if (node.subgraphs[i].attribute == branch) return run(i, {});
  throw Error(ErrorCode::InvalidGraph, "If has no " + std::string(branch));
}

}  // namespace

std::vector<Value> run_control_flow(const program::Node& node, std::span<const Value* const> inputs,
                                    const RunSubgraph& run) {
  if (node.op == &ops::If) return run_if(node, inputs, run);
  throw Error(ErrorCode::NotImplemented, "there is no way to run " + opset::full_name(*node.op));
}

}  // namespace norn::runtime
