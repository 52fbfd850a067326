#include "runtime/body_inputs.h"

#include "base/text.h"
#include "ops/controlflow/scan/scan.h"
#include "runtime/run_errors.h"

namespace norn::runtime {

using program::kNone;
using program::ValueId;

BodyInputs::Source BodyInputs::source(std::size_t formal) const {
  switch (node_.op->control_flow) {
    case opset::ControlFlow::Loop:
      if (formal < 2) return {};
      return {node_.input(formal), true, {}};
    case opset::ControlFlow::SequenceMap: return {node_.input(formal), false, {}};
    case opset::ControlFlow::Scan: {
      const ops::ScanParameters p =
          ops::resolve_scan(node_.attributes(), static_cast<std::int64_t>(node_.inputs.size()), std::nullopt);
      // Of version 8: behind sequence_lens, and an item of a batch.
      if (p.batched) return {node_.input(formal + 1), false, formal < p.states ? std::nullopt : std::optional(0U), 1};
      if (formal < p.states) return {node_.input(formal), true, {}};
      const ValueId value = node_.input(formal);
      if (value == kNone || formal - p.states >= p.input_axes.size()) return {};
      std::int64_t axis = p.input_axes[formal - p.states];
      if (axis < 0) axis += static_cast<std::int64_t>(around_().values[value].dims.size());
      return {value, false, static_cast<std::uint32_t>(axis)};
    }
    default: return {};
  }
}

bool BodyInputs::changed(std::size_t input) const {
  if (input >= formals_.size() || !formals_[input].is_tensor()) return false;
  const Source from = source(input);
  if (from.value == kNone || !from.carried) return false;
  const PlanState::ValueState& began = around_().values[from.value];
  return began.type.is_tensor() && began.type.is_static() && began.dims != formals_[input].tensor().dims();
}

std::string BodyInputs::dimension(std::size_t input, std::uint32_t dim) const {
  const PlanState& around = around_();
  const program::Graph& body = *node_.subgraphs[subgraph_].graph;
  const auto of_value = [&](ValueId id, std::uint32_t d) {
    std::string text = around.source_of(id, d);
    if (!text.empty()) return text;
    const std::string fed = around.given_from ? std::string() : fed_inputs(around.graph, {&id, 1});
    return fed.empty() ? fed : "from what is fed as " + fed;
  };
  if (input >= formals_.size()) {
    const std::size_t capture = input - formals_.size();
    return capture < body.captures.size() ? of_value(body.captures[capture].outer, dim) : std::string();
  }
  const Source from = source(input);
  if (from.value == kNone) return {};
  const std::string name = base::quoted(around.graph.value(from.value).name);
  if (changed(input))
    return "which begins as " + name + " " + around.values[from.value].type.to_string() + " and is " +
           formals_[input].describe() + " here: the body changes its shape";
  if (around.values[from.value].type.kind == opset::ValueType::Kind::Sequence) {
    const std::string fed = of_value(from.value, dim);
    return "an item of " + name + (fed.empty() ? "" : ", ") + fed;
  }
  return of_value(from.value, from.batch + (from.axis && dim >= *from.axis ? dim + 1 : dim));
}

}  // namespace norn::runtime
