#include "runtime/explain.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "opset/schema.h"
#include "runtime/control_flow.h"

namespace norn::runtime {
namespace {

using opset::DimExpr;
using opset::ValueType;
using program::Graph;
using program::Node;
using program::ValueId;

// Sizes of dimension variables: those of the graphs around, too.
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

ExplainedOperation operation(const Node& node) {
  return {opset::full_name(*node.op), node.paths.empty() ? std::vector{node.path()} : node.paths};
}

std::vector<ExplainedTensor> tensors(const std::vector<StaticType>& types) {
  std::vector<ExplainedTensor> list;
  for (const StaticType& t : types) list.push_back({t.dtype, t.dims});
  return list;
}

// A tensor without contents, if the type's sizes are known.
std::optional<Value> stand_in(const ValueType& type, const Sizes& sizes) {
  if (!type.is_tensor() || !type.has_rank() || type.elem == DataType::Undefined) return {};
  Shape dims;
  for (const DimExpr& d : *type.shape) {
    const auto size = d.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
      const auto at = sizes.find(name);
      return at == sizes.end() ? std::nullopt : std::optional(at->second);
    });
    if (!size) return {};
    dims.push_back(*size);
  }
  return Tensor::borrow(type.elem, std::move(dims), nullptr);
}

class Explainer {
 public:
  explicit Explainer(const program::Program& program) {
    for (const program::NearMiss& miss : program.near_misses) unreported_.emplace(miss.path, &miss);
  }

  ExplainedGraph graph(const Executor& executor, std::span<const Value> inputs, Sizes sizes,
                       std::span<const InputRoom> rooms = {}) {
    return graph(executor, *executor.plan(inputs, rooms), inputs, std::move(sizes));
  }

  // The same as `segment`; only late steps need the inputs.
  ExplainedGraph graph(const Executor& executor, const Segment& segment, std::span<const Value> inputs, Sizes sizes) {
    const Graph& graph = executor.graph();
    for (const BoundVariable& v : segment.bound) sizes.insert_or_assign(v.name, v.size);
    ExplainedGraph explained;
    explained.name = graph.name;
    explained.arena_bytes = segment.arena_bytes;
    explained.scratch_bytes = segment.scratch_bytes;
    for (std::size_t i = 0; i < segment.steps.size(); ++i) {
      const Step& step = segment.steps[i];
      explained.steps.push_back(this->step(graph, segment.info[i]));
      if (segment.info[i].donated != program::kNone)
        explained.steps.back().donated = graph.value(graph.inputs[segment.info[i].donated]).name;
      if (step.kernel) continue;
      if (!segment.info[i].bodies.empty()) nested(executor, segment.info[i], sizes, explained.steps.back());
      if (step.nested) continue;
      ExplainedStep& late = explained.steps.back();
      late.late = true;
      if (segment.info[i].bodies.empty()) late.graphs = bodies(executor, segment.late[step.late], inputs, sizes);
    }
    for (const SparedNode& spared : segment.spared)
      (spared.why == SparedNode::Why::View ? explained.views : explained.known_from_shapes)
          .push_back(operation(operation_of(graph, spared)));
    if (!segment.last()) explained.waiting = waiting(graph, segment);
    return explained;
  }

  // Near misses of nodes without a step, such as one that was folded away.
  bool is_unreported(const program::NearMiss& miss) const { return unreported_.contains(miss.path); }

 private:
  ExplainedStep step(const Graph& graph, const StepInfo& info) {
    ExplainedStep explained;
    for (std::uint32_t k = 0; k < info.operations; ++k) {
      const Node& node = operation_of(graph, info, k);
      explained.operations.push_back(operation(node));
      for (const std::string& path : node.paths) {
        const auto [first, last] = unreported_.equal_range(path);
        for (auto miss = first; miss != last; ++miss)
          explained.missed_passes.push_back({miss->second->path, miss->second->pass, miss->second->reason});
        unreported_.erase(first, last);
      }
    }
    explained.kernel = info.kernel;
    for (const Refusal& r : info.refusals) explained.refused.push_back({r.kernel, r.reason});
    explained.inputs = tensors(info.inputs);
    explained.outputs = tensors(info.outputs);
    return explained;
  }

  // Bodies that are planned with the step that runs them; a branch that a known condition does not take is left out.
  void nested(const Executor& executor, const StepInfo& info, const Sizes& sizes, ExplainedStep& explained) {
    const Node& node = executor.graph().nodes[info.node];
    for (std::size_t k = 0; k < node.subgraphs.size(); ++k) {
      if (!info.bodies[k]) continue;
      explained.graphs.push_back(graph(executor.subgraph(info.node, k), *info.bodies[k], {}, sizes));
      explained.graphs.back().attribute = node.subgraphs[k].attribute;
    }
  }

  std::vector<ExplainedGraph> bodies(const Executor& executor, const LateStep& late, std::span<const Value> inputs,
                                     const Sizes& sizes) {
    std::vector<ExplainedGraph> explained;
    const Node& node = executor.graph().nodes[late.node];
    for (std::size_t k = 0; k < node.subgraphs.size(); ++k) {
      const Graph& body = *node.subgraphs[k].graph;
      std::vector<Value> given;
      std::string unknown;  // the first value whose sizes are not known
      const auto give = [&](ValueId id, std::optional<Value> value) {
        if (!value && unknown.empty()) unknown = body.value(id).name;
        given.push_back(value ? std::move(*value) : Value());
      };
      for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        const ValueType& type = body.value(body.inputs[i]).type;
        if (const auto shape = shape_of_own_formal(node, k, i))
          give(body.inputs[i], Tensor::borrow(type.elem, *shape, nullptr));
        else
          give(body.inputs[i], stand_in(type, sizes));
      }
      for (std::size_t c = 0; c < body.captures.size(); ++c) {
        const LateStep::Input& in = late.captures[k][c];
        using Kind = LateStep::Input::Kind;
        std::optional<Value> value;
        const bool tensor = in.kind == Kind::Tensor || in.kind == Kind::Pointer;
        if (tensor && in.dtype != DataType::Undefined)
          value = Tensor::borrow(in.dtype, in.dims, nullptr);
        else if (in.kind == Kind::Run && in.index < inputs.size())
          value = inputs[in.index];
        give(body.captures[c].inner, std::move(value));
      }
      if (unknown.empty())
        explained.push_back(planned(executor.subgraph(late.node, k), given, sizes));
      else
        explained.push_back(not_planned(body, "the sizes of \"" + unknown + "\" are known then"));
      explained.back().attribute = node.subgraphs[k].attribute;
    }
    return explained;
  }

  // A body that need not run may contradict the sizes at hand.
  ExplainedGraph planned(const Executor& body, std::span<const Value> inputs, const Sizes& sizes) {
    try {
      return graph(body, inputs, sizes);
    } catch (const Error& e) {
      return not_planned(body.graph(), e.message());
    }
  }

  static ExplainedGraph not_planned(const Graph& graph, std::string why) {
    ExplainedGraph explained;
    explained.name = graph.name;
    explained.planned = false;
    explained.why_not = std::move(why);
    return explained;
  }

  // The nodes that need a late value, or what such a node makes.
  static std::vector<ExplainedStep> waiting(const Graph& graph, const Segment& segment) {
    std::vector<bool> late(graph.values.size(), false);
    for (const Segment::LateValue& value : segment.late_values) late[value.value] = true;
    std::vector<ExplainedStep> explained;
    for (const Node& node : graph.nodes) {
      bool waits = false;
      program::for_each_use(node, [&](ValueId id) { waits = waits || late[id]; });
      if (!waits) continue;
      for (ValueId id : node.results())
        if (id != program::kNone) late[id] = true;
      ExplainedStep& step = explained.emplace_back();
      step.late = true;
      step.operations.push_back(operation(node));
      for (const Node& part : node.parts) step.operations.push_back(operation(part));
      for (const program::Subgraph& sub : node.subgraphs) {
        step.graphs.push_back(not_planned(*sub.graph, "the node waits for sizes that are only known when it runs"));
        step.graphs.back().attribute = sub.attribute;
      }
    }
    return explained;
  }

  std::unordered_multimap<std::string_view, const program::NearMiss*> unreported_;  // by path
};

}  // namespace

Explanation explain(const program::Program& program, const Executor& main, std::span<const Value> inputs,
                    std::span<const InputRoom> rooms) {
  Explainer explainer(program);
  Explanation explained;
  explained.graph = explainer.graph(main, inputs, {}, rooms);
  for (const program::NearMiss& miss : program.near_misses)
    if (explainer.is_unreported(miss)) explained.missed_passes.push_back({miss.path, miss.pass, miss.reason});
  explained.more_missed_passes = program.more_near_misses;
  return explained;
}

}  // namespace norn::runtime
