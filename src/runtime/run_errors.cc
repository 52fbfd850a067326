#include "runtime/run_errors.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/input_refused.h"
#include "base/text.h"
#include "opset/type_check.h"
#include "program/inlined.h"
#include "runtime/failed_round.h"

namespace norn::runtime {

using program::Graph;
using program::kNone;
using program::Node;
using program::ValueId;

std::string fed_inputs(const Graph& graph, std::span<const ValueId> values) {
  std::vector<std::uint32_t> maker(graph.values.size(), kNone);
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
    for (const ValueId id : graph.nodes[n].results())
      if (id != kNone) maker[id] = n;
  std::vector<bool> seen(graph.values.size(), false);
  std::vector<ValueId> todo;
  const auto add = [&](ValueId id) {
    if (!seen[id]) todo.push_back(id);
    seen[id] = true;
  };
  for (const ValueId id : values)
    if (id != kNone) add(id);
  while (!todo.empty()) {
    const ValueId id = todo.back();
    todo.pop_back();
    if (maker[id] != kNone) program::for_each_use(graph.nodes[maker[id]], add);
  }
  constexpr std::size_t kMost = 8;
  std::string names;
  std::size_t count = 0;
  for (const ValueId id : graph.inputs)
    if (seen[id] && ++count <= kMost) names += (names.empty() ? "" : ", ") + base::quoted(graph.value(id).name);
  return count > kMost ? names + ", ..." : names;
}

namespace {

// Whether the input takes integers only: an index, a length, a count.
bool chooses(const Node& node, std::size_t input) {
  const std::span<const opset::Param> params = node.schema->inputs;
  if (input >= params.size()) return false;
  const opset::TypeConstraint* type = opset::find_type(*node.schema, params[input].type);
  const auto is_choice = [](DataType t) { return t == DataType::Int64 || t == DataType::Int32; };
  if (!type) {
    const opset::ValueType literal = opset::type_from_string(params[input].type);
    return literal.is_tensor() && is_choice(literal.elem);
  }
  for (const DataType other : {DataType::Float, DataType::String, DataType::Bool})
    if (opset::allows(type->set, opset::ValueType::tensor(other))) return false;
  for (const DataType own : {DataType::Int64, DataType::Int32})
    if (opset::allows(type->set, opset::ValueType::tensor(own))) return true;
  return false;
}

// The help against what contents led to: which inputs of the graph the node's inputs follow from. `named` is the one
// that is refused; where none is named, of a node's `own` error its indices, lengths and counts are, where it reads
// any.
void help_with_feeds(Error& error, const Graph& graph, const Node& node, std::optional<std::size_t> named, bool own) {
  if (error.code() != ErrorCode::RuntimeError && error.code() != ErrorCode::LimitExceeded) return;
  std::vector<ValueId> blamed;
  if (named && node.input(*named) != kNone) blamed.push_back(node.input(*named));
  std::optional<std::size_t> constant;  // the first input that chooses and follows from no feed
  if (blamed.empty() && own && error.code() == ErrorCode::RuntimeError)
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone || !chooses(node, i)) continue;
      if (!graph.value(node.inputs[i]).is_constant())
        blamed.push_back(node.inputs[i]);
      else if (!constant)
        constant = i;
    }
  if (blamed.empty() && constant) {
    error.help(base::quoted(graph.value(node.inputs[*constant]).name) + ", which the node takes as " +
               std::string(node.schema->inputs[*constant].name) +
               ", is a constant of the model: correct it, or feed sizes that fit");
    return;
  }
  std::string fed = fed_inputs(graph, blamed);
  std::vector<ValueId> all;
  program::for_each_use(node, [&](ValueId id) { all.push_back(id); });
  if (fed.empty()) {
    fed = fed_inputs(graph, all);
  } else if (!named) {  // data counts by its sizes
    std::erase_if(all, [&](ValueId id) { return std::find(blamed.begin(), blamed.end(), id) != blamed.end(); });
    const std::string beside = fed_inputs(graph, all);
    if (!beside.empty() && beside != fed) fed += ", beside the sizes of " + beside;
  }
  if (!fed.empty())
    error.help("what the node reads follows from what is fed as " + fed + ": correct that, or the model");
}

}  // namespace

void throw_as(const Error& met, const Error& reported) {
  if (dynamic_cast<const NoMemory*>(&met)) throw NoMemory(reported);
  throw reported;
}

bool ends_run(const Error& met) {
  return met.code() == ErrorCode::Cancelled || dynamic_cast<const NoMemory*>(&met) != nullptr;
}

std::string inputs_text(const Graph& graph, const Node& node, std::span<const Value* const> inputs) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += (i ? ", " : "") + (inputs[i] && i < node.inputs.size() && node.inputs[i] != kNone
                                   ? base::quoted(graph.value(node.inputs[i]).name) + " " + inputs[i]->describe()
                                   : std::string("none"));
  return "inputs (" + text + ")";
}

Error node_error(const Error& error, const Graph& graph, const Node& node, const std::string& place,
                 const program::TypeOfInput& type_of, bool in_body) {
  const std::string& path = node.path();
  const program::Inlined* inlined = program::inlined_around(graph, path);
  std::string where = error.where();
  if (inlined && where.find(inlined->path + " / inputs (") != std::string::npos) {
    Error e = error;
    if (!in_body) help_with_feeds(e, graph, node, {}, false);
    return e;
  }
  const std::size_t at = where.find(path);
  const bool own = at == std::string::npos;
  // "iteration 1 / PATH / attribute ..." of a round of the node
  if (!own && at > 0) where = path + " / " + where.substr(0, at - 3) + where.substr(at + path.size());
  // A hint for a node in the body of an operator is not one for the operator.
  Error e(error.code(), error.message(), std::move(where), own && inlined ? std::string() : error.hint());
  const auto* round = dynamic_cast<const FailedRound*>(&error);
  if (!own && e.code() == ErrorCode::RuntimeError && round && round->round() > 0)
    e.help(
        "the iterations before this one did not fail: correct what the body carries on or counts, or how often it "
        "runs");
  const auto* refused = dynamic_cast<const base::InputRefused*>(&error);
  if (!in_body) help_with_feeds(e, graph, node, refused ? std::optional(refused->input()) : std::nullopt, own);
  if (own) e.within(place);
  if (!inlined) return e;
  const std::string asked = own ? program::asked_for(error, graph, node) : std::string();
  return of_operator(*inlined, e, program::describe_inputs(*inlined, type_of), e.hint(), asked);
}

Error step_error(const Error& error, const Segment& segment, const Graph& graph, std::size_t step, bool in_body) {
  const StepInfo& info = segment.info[step];
  const Node& node = operation_of(graph, info);
  const auto size_of = [&](std::string_view name) -> std::optional<std::int64_t> {
    for (const BoundVariable& b : segment.bound)
      if (b.name == name) return b.size;
    return {};
  };
  const bool sized = segment.steps[step].kernel || (segment.steps[step].nested && node.subgraphs.empty());
  return node_error(
      error, graph, node, sized ? node.path() + " / " + shapes_text(graph, info) : node.path(),
      [&](const program::Inlined::Input& input) { return program::sized(input.type, size_of); }, in_body);
}

Error memory_error(const Error& error, const Segment& segment, const Graph& graph, const StaticType& type,
                   bool in_body) {
  for (std::size_t step = 0; step < segment.info.size(); ++step) {
    const std::vector<StaticType>& outputs = segment.info[step].outputs;
    if (std::find(outputs.begin(), outputs.end(), type) == outputs.end()) continue;
    const Node& node = operation_of(graph, segment.info[step]);
    const std::string fed = in_body ? std::string() : fed_inputs(graph, node.inputs);
    return step_error(Error(error.code(), error.message(), error.where(),
                            "its sizes follow from the model" + (fed.empty() ? "" : " and from what is fed as " + fed) +
                                ": correct them, or run it where there is more memory"),
                      segment, graph, step, in_body);
  }
  return error;
}

}  // namespace norn::runtime
