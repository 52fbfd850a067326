#include "runtime/compute_node.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "norn/session.h"
#include "runtime/executor.h"
#include "runtime/kernel_store.h"
#include "runtime/pack_store.h"

namespace norn::runtime {
namespace {

// Kernels are chosen by the contents of small constants, as those of shapes; large ones would be packed for one run.
constexpr std::int64_t kMostKnown = 1024;

}  // namespace

std::vector<Value> compute_node(const program::Graph& graph, const program::Node& node, bool flush_subnormals) {
  program::Graph alone;
  std::unordered_map<program::ValueId, program::ValueId> ids;
  std::vector<Value> fed;
  const auto add = [&](program::ValueId id) {
    const auto [at, is_new] = ids.try_emplace(id, program::kNone);
    if (!is_new) return at->second;
    program::Value value = graph.value(id);
    if (!value.is_constant()) {
      value.known = {};
      return at->second = alone.add_value(std::move(value));
    }
    const bool known = value.constant.size() <= kMostKnown;
    if (!known) {
      fed.emplace_back(value.constant);
      value.origin = program::Origin::Feed;
      value.constant = {};
      value.known = {};
    }
    at->second = alone.add_value(std::move(value));
    if (!known) alone.inputs.push_back(at->second);
    return at->second;
  };
  program::Node copy = node;
  for (program::ValueId& id : copy.inputs)
    if (id != program::kNone) id = add(id);
  for (program::ValueId& id : copy.outputs)
    if (id != program::kNone) alone.outputs.push_back(id = add(id));
  alone.nodes.push_back(std::move(copy));

  PlanCache plans(SessionOptions{}.max_plan_bytes);
  const auto arenas = std::make_shared<ArenaPool>();
  PackStore packed;
  KernelStore kernels;
  PlanOptions options;
  options.flush_subnormals = flush_subnormals;
  options.precision = Precision::Float32;
  options.packed = &packed;
  options.kernels = &kernels;
  const Executor executor(alone, {}, options, {plans, *arenas});
  std::vector<Value> made = executor.run(std::move(fed));
  std::vector<Value> outputs;
  std::size_t next = 0;
  for (const program::ValueId id : node.outputs)
    outputs.push_back(id == program::kNone ? Value() : std::move(made.at(next++)));
  return outputs;
}

}  // namespace norn::runtime
