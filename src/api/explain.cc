// The notations of an explanation, and the list of nodes that cannot be run.
#include "norn/explain.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/unrunnable.h"
#include "base/text.h"
#include "ir/model.h"
#include "program/binding.h"

namespace norn {
namespace {

using Json = nlohmann::ordered_json;

std::string shapes_text(const ExplainedStep& step) {
  const auto text = [](const std::vector<ExplainedTensor>& tensors) {
    std::string list;
    for (const ExplainedTensor& t : tensors)
      list += (list.empty() ? "" : ", ") + std::string(data_type_name(t.type)) + to_string(t.dims);
    return list;
  };
  const std::string inputs = text(step.inputs);
  return inputs + (inputs.empty() ? "-> " : " -> ") + (step.late ? "?" : text(step.outputs));
}

std::string names_of(const ExplainedStep& step) {
  std::string names;
  for (const ExplainedOperation& o : step.operations) names += (names.empty() ? "" : "+") + o.op_type;
  return names;
}

// The page of a graph; those in its nodes stand further in.
class Page {
 public:
  std::string text;

  void graph(const ExplainedGraph& graph) {
    for (std::size_t i = 0; i < graph.steps.size(); ++i) step(i, graph.steps[i]);
    for (const ExplainedOperation& o : graph.views) line("-  " + o.path() + ": a view of its input");
    for (const ExplainedOperation& o : graph.known_from_shapes) line("-  " + o.path() + ": known from the shapes");
    if (!graph.waiting.empty())
      line("...  " + std::to_string(graph.waiting.size()) + " more nodes wait for sizes that earlier nodes compute");
    for (const ExplainedStep& waiting : graph.waiting)
      if (!waiting.graphs.empty())
        line("     " + waiting.operations.front().path() + ": its graphs are planned when it runs");
    line("memory: " + std::to_string(graph.arena_bytes) + " bytes for intermediates, " +
         std::to_string(graph.scratch_bytes) + " for scratch");
  }

  void line(const std::string& words) { ((text += indent_) += words) += '\n'; }

 private:
  void step(std::size_t number, const ExplainedStep& step) {
    const bool reference = step.late && step.graphs.empty();
    line(std::to_string(number) + "  " + names_of(step) + "  " + step.kernel +
         (reference ? ", sizes known when it has run" : "") + "  " + shapes_text(step));
    indent_ += "     ";
    line(step.operations.front().path());
    if (!step.donated.empty()) line("in memory of the input " + base::quoted(step.donated) + " where that is donated");
    for (const RefusedKernel& r : step.refused) line("not " + r.kernel + ": " + r.reason);
    for (const MissedPass& miss : step.missed_passes) line("not " + miss.pass + ": " + miss.reason);
    for (const ExplainedGraph& body : step.graphs) {
      line(body.attribute + (body.planned ? ":" : ": planned when it runs: " + body.why_not));
      if (!body.planned) continue;
      indent_ += "  ";
      graph(body);
      indent_.resize(indent_.size() - 2);
    }
    indent_.resize(indent_.size() - 5);
  }

  std::string indent_;
};

template <class T, class F>
Json list(const std::vector<T>& items, F&& of) {
  Json all = Json::array();
  for (const T& item : items) all.push_back(of(item));
  return all;
}

Json json_of(const ExplainedTensor& t) { return {{"type", data_type_name(t.type)}, {"shape", t.dims}}; }
Json json_of(const RefusedKernel& r) { return {{"kernel", r.kernel}, {"reason", r.reason}}; }
Json json_of(const MissedPass& m) { return {{"path", m.path}, {"pass", m.pass}, {"reason", m.reason}}; }
Json json_of(const ExplainedOperation& o) { return {{"op_type", o.op_type}, {"paths", o.paths}}; }
Json json_of(const UnrunnableNode& n) {
  return {{"where", n.where},   {"op_type", n.op_type}, {"domain", n.domain}, {"version", n.version},
          {"reason", n.reason}, {"message", n.message}, {"hint", n.hint}};
}
Json json_of(const ExplainedGraph& graph);
Json json_of(const ExplainedStep& step);

template <class T>
Json json_of(const std::vector<T>& items) {
  return list(items, [](const T& item) { return json_of(item); });
}

Json json_of(const ExplainedStep& s) {
  Json json = {{"operations", json_of(s.operations)},
               {"kernel", s.kernel},
               {"refused", json_of(s.refused)},
               {"inputs", json_of(s.inputs)},
               {"outputs", json_of(s.outputs)},
               {"late", s.late},
               {"missed_passes", json_of(s.missed_passes)}};
  if (!s.graphs.empty()) json["graphs"] = json_of(s.graphs);
  if (!s.donated.empty()) json["donated"] = s.donated;
  return json;
}

Json json_of(const ExplainedGraph& g) {
  Json json = {{"name", g.name}};
  if (!g.attribute.empty()) json["attribute"] = g.attribute;
  json["planned"] = g.planned;
  if (!g.planned) {
    json["why_not"] = g.why_not;
    return json;
  }
  json["steps"] = json_of(g.steps);
  json["views"] = json_of(g.views);
  json["known_from_shapes"] = json_of(g.known_from_shapes);
  json["waiting"] = list(g.waiting, [](const ExplainedStep& s) {
    Json node = {{"operations", json_of(s.operations)}};
    if (!s.graphs.empty()) node["graphs"] = json_of(s.graphs);
    return node;
  });
  json["arena_bytes"] = g.arena_bytes;
  json["scratch_bytes"] = g.scratch_bytes;
  return json;
}

std::string_view name_of(program::Obstacle obstacle) {
  using enum program::Obstacle;
  switch (obstacle) {
    case UnknownOperator: return "unknown_operator";
    case NoKernel: return "no_kernel";
    case Deprecated: return "deprecated";
    case NotInVersion: return "not_in_version";
    case NotImported: break;
  }
  return "not_imported";
}

}  // namespace

std::string Explanation::to_string() const {
  Page page;
  if (!runnable()) {
    for (const UnrunnableNode& n : unrunnable) {
      page.line(n.where);
      page.line("     cannot run: " + n.message);
      if (!n.hint.empty()) page.line("     help: " + n.hint);
    }
    page.line(base::counted(unrunnable.size(), "node") + " cannot be run");
    return std::move(page.text);
  }
  page.graph(graph);
  for (const MissedPass& m : missed_passes) page.line("-  " + m.path + ": not " + m.pass + ": " + m.reason);
  if (more_missed_passes > 0)
    page.line("...  " + std::to_string(more_missed_passes) + " more rewrites that nearly fitted");
  return std::move(page.text);
}

std::string Explanation::to_json() const {
  Json json = {{"runnable", runnable()}};
  if (runnable()) {
    json.update(json_of(graph));  // the main graph's; those in nodes are objects of the same form
    json["missed_passes"] = json_of(missed_passes);
    json["more_missed_passes"] = more_missed_passes;
  } else {
    json["unrunnable"] = json_of(unrunnable);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

void for_each_unrunnable(const Model& model, const std::vector<OperatorSet>& operator_sets, const Limits& limits,
                         const std::function<void(UnrunnableNode&&)>& f) {
  std::vector<const ir::OperatorSet*> sets;
  for (const OperatorSet& set : operator_sets) sets.push_back(&set.document());
  program::for_each_unrunnable(model.document(), sets, limits, [&](const program::Unrunnable& found) {
    f({.where = found.where,
       .op_type = found.node.op_type.get(),
       .domain = std::string(ir::canonical_domain(found.node.domain.get())),
       .version = found.version,
       .reason = name_of(found.why.obstacle),
       .message = found.why.error.message(),
       .hint = found.why.error.hint()});
  });
}

std::vector<UnrunnableNode> unrunnable_nodes(const Model& model, const std::vector<OperatorSet>& operator_sets,
                                             const Limits& limits) {
  std::vector<UnrunnableNode> nodes;
  for_each_unrunnable(model, operator_sets, limits, [&](UnrunnableNode&& node) { nodes.push_back(std::move(node)); });
  return nodes;
}

}  // namespace norn
