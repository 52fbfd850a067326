// Rules about a graph's own fields: name, inputs, outputs, value_info.
//
// Only the main graph's inputs and outputs must be typed and have a rank. A graph's outputs must be its own values: one
// of an enclosing graph has to go through a node. Field numbers 3, 4 and 6 to 9 were those of the draft before IR 1.
#include <string>

#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/model_faults.h"
#include "infer/name_faults.h"

namespace norn::checks {
namespace {

// A sparse tensor's missing shape breaks a rule of its own wherever it stands.
bool lacks_shape(const ir::Type& type) { return type.tensor_type && !type.tensor_type->shape; }

void check_main_value(Context& ctx, const Place& at, const ir::ValueInfo& info, bool is_input) {
  const Rule typed = is_input ? Rule("graph.inputs.typed") : Rule("graph.outputs.typed");
  if (info.name.get().empty()) ctx.report(typed, at, "it has no name");
  if (!info.type) {
    infer::FaultText fault{"the graph output has no type", "declare its element type and shape"};
    if (is_input) fault = infer::untyped_input(info);
    ctx.report(typed, at, std::move(fault));
  } else if (lacks_shape(*info.type)) {
    ctx.report("graph.io.shape", at, "its type has no shape, so not even its rank is known",
               "state the rank; dimensions may stay open");
  }
}

}  // namespace

void check_graph_fields(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role, const ir::Node*) {
  if (graph.name.get().empty()) ctx.report("graph.name", place, "the graph has no name", "set name");
  if (!graph.unknown.empty() && (has_field(graph.unknown, 3, 4) || has_field(graph.unknown, 6, 9))) {
    ctx.report("graph.reserved-fields", place,
               "the graph uses fields of the draft before IR 1 (numbers 3, 4, 6 to 9), which have no meaning any more");
  }
  check_doc_string(ctx, place, graph.doc_string.get());
  const bool main = role == GraphRole::Main;
  if (main && graph.doc_string.get().empty()) {
    ctx.report("graph.doc-string", place, "the graph has no documentation", "set doc_string");
  }
  if (main || role == GraphRole::Part) {
    if (!main) return;
    for (std::size_t i = 0; i < graph.input.size(); ++i) {
      check_main_value(ctx, place.value("input", i, graph.input[i]), graph.input[i], true);
    }
    for (std::size_t i = 0; i < graph.output.size(); ++i) {
      check_main_value(ctx, place.value("output", i, graph.output[i]), graph.output[i], false);
    }
    return;
  }
  for (std::size_t i = 0; i < graph.input.size(); ++i) {
    if (!graph.input[i].name.get().empty()) continue;
    ctx.report("graph.subgraph.io-names", place.value("input", i, graph.input[i]), "it has no name");
  }
  for (std::size_t i = 0; i < graph.output.size(); ++i) {
    if (!graph.output[i].name.get().empty()) continue;
    ctx.report("graph.subgraph.io-names", place.value("output", i, graph.output[i]), "it has no name");
  }
}

void check_graph_values(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role) {
  Scopes& scopes = ctx.scopes();
  for (std::size_t i = 0; i < graph.output.size(); ++i) {
    const std::string& name = graph.output[i].name.get();
    if (name.empty() || scopes.defined_here(name)) continue;
    const bool outer = scopes.find(name).as != Defined::Nowhere;
    if (outer && role == GraphRole::Algorithm) continue;
    if (role == GraphRole::Main && defined_by_algorithm(ctx, name)) {
      ctx.report("train.step.main-not-algo", place.value("output", i, graph.output[i]),
                 "the main graph gives a value that a training algorithm defines",
                 "the main graph runs without training: make it an output of the algorithm");
      continue;
    }
    const Place at = place.value("output", i, graph.output[i]);
    if (outer)
      ctx.report("graph.output.defined", at, "it is a value of an enclosing graph, not of this one",
                 "pass it through an Identity node");
    else
      ctx.report("graph.output.defined", at, infer::undefined_output(name, false, did_you_mean(ctx, name)));
  }
  if (graph.value_info.empty()) return;
  const std::uint32_t outputs = scopes.new_round(), seen = scopes.new_round();
  for (const auto& output : graph.output) scopes.mark(scopes.intern(output.name.get()), outputs);
  for (std::size_t i = 0; i < graph.value_info.size(); ++i) {
    const std::string& text = graph.value_info[i].name.get();
    if (text.empty()) continue;
    const Scopes::Name name = scopes.intern(text);
    const auto at = [&] { return place.value("value_info", i, graph.value_info[i]); };
    if (!scopes.mark(name, seen)) {
      ctx.report("graph.value-info.unique", at(), "value_info lists " + quoted(text) + " twice");
      continue;
    }
    const Definition found = scopes.find(name);
    if (found.as == Defined::Nowhere || found.frame != scopes.frame()) {
      ctx.report("graph.value-info.known", at(), "the graph has no value of this name");
    } else if (found.as == Defined::Input || scopes.marked(name, outputs)) {
      ctx.report("graph.value-info.not-io", at(),
                 "it describes an input or output of the graph, which states its type itself");
    }
  }
}

}  // namespace norn::checks
