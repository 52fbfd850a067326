// Cases through the runtime: whole models of one node, fed and constant, with static and open shapes, and every kernel
// that takes the node.
#include <algorithm>
#include <set>

#include "infer/function_body.h"
#include "norn/error.h"
#include "ops/common/case_driver.h"
#include "ops/common/case_matrix.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "program/binding.h"
#include "program/lower.h"
#include "program/passes.h"
#include "runtime/compiled_model.h"
#include "runtime/kernel_store.h"
#include "runtime/pack_store.h"
#include "runtime/select.h"

namespace norn::ops::cases {
namespace {

enum class Shapes { Static, Open, NoRank };
constexpr const char* kShapesText[] = {"static shapes", "open shapes", "unknown ranks"};

std::string name_of_input(std::size_t i) { return "in" + std::to_string(i); }

struct Model {
  ir::Model document;
  std::vector<Feed> feeds;
  std::vector<std::string> names;  // what the feeds' names point into
};

// `constant`: by input.
void build(const Trial& trial, const std::vector<bool>& constant, Shapes shapes, Model& m) {
  m.document.ir_version = std::int64_t{14};
  for (const std::string_view domain : {std::string_view(), trial.op->domain}) {
    if (domain.empty() && !m.document.opset_import.empty()) continue;
    ir::OperatorSetId id;
    id.domain = std::string(domain);
    id.version = domain == trial.op->domain ? trial.row->since : opset::newest_version("");
    m.document.opset_import.push_back(std::move(id));
  }
  ir::Graph graph;
  graph.name = "case";
  ir::Node node;
  node.op_type = std::string(trial.op->name);
  if (!trial.op->domain.empty()) node.domain = std::string(trial.op->domain);
  node.name = "node";
  node.attribute = trial.attrs;
  m.names.reserve(trial.inputs.size());
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const Given& g = trial.inputs[i];
    node.input.push_back(g.present ? name_of_input(i) : std::string());
    if (!g.present) continue;
    if (constant[i] && g.value->is_tensor()) {
      graph.initializer.push_back(ir::from_value(g.value->tensor(), name_of_input(i)));
      continue;
    }
    opset::ValueType type = g.value->is_tensor() ? type_of(*g.value) : g.type;
    if (type.has_rank() && shapes == Shapes::Open)
      for (std::size_t d = 0; d < type.shape->size(); ++d)
        (*type.shape)[d] = opset::DimExpr::variable("i" + std::to_string(i) + "d" + std::to_string(d));
    if (shapes == Shapes::NoRank) type.shape.reset();
    ir::ValueInfo info;
    info.name = name_of_input(i);
    if (type.known()) info.type = opset::to_ir(type);
    graph.input.push_back(std::move(info));
    m.names.push_back(name_of_input(i));
    m.feeds.push_back({m.names.back(), *g.value});
  }
  const auto outputs = static_cast<std::size_t>(output_count(trial));
  for (std::size_t o = 0; o < outputs; ++o) {
    const bool wanted = trial.outputs.empty() || trial.outputs[o].present;
    node.output.push_back(wanted ? "out" + std::to_string(o) : std::string());
    if (!wanted) continue;
    ir::ValueInfo info;
    info.name = node.output.back();
    graph.output.push_back(std::move(info));
  }
  graph.node.push_back(std::move(node));
  m.document.graph = std::move(graph);
}

// The results by output of the node.
std::vector<Value> by_output(const Trial& trial, std::vector<Value> results) {
  std::vector<Value> all;
  std::size_t at = 0;
  for (std::size_t o = 0; o < static_cast<std::size_t>(output_count(trial)); ++o)
    all.push_back(trial.outputs.empty() || trial.outputs[o].present ? std::move(results.at(at++)) : Value());
  return all;
}

struct Way {
  std::string name;
  std::vector<bool> constant;
};

// Which inputs are constants: none, sizes, all but the first, all.
std::vector<Way> ways(const Trial& trial) {
  std::vector<Way> all = {
      {"fed", {}}, {"constant sizes", {}}, {"constants but for the first input", {}}, {"constants", {}}};
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const bool tensor = trial.inputs[i].value && trial.inputs[i].value->is_tensor();
    all[0].constant.push_back(false);
    all[1].constant.push_back(tensor && is_shape_like(*trial.inputs[i].value));
    all[2].constant.push_back(tensor && i > 0);
    all[3].constant.push_back(tensor);
  }
  std::vector<Way> different;
  for (Way& w : all)
    if (std::none_of(different.begin(), different.end(), [&](const Way& d) { return d.constant == w.constant; }))
      different.push_back(std::move(w));
  return different;
}

// An operation that has fast kernels and runs its reference kernel: the plan says why.
void check_refusals(const program::Graph& graph, const runtime::StepInfo& step) {
  const opset::Operator* op = runtime::operation_of(graph, step).op;
  if (step.kernel != "reference" || !step.refusals.empty() || !runtime::find_select(op)) return;
  throw Error(ErrorCode::Internal, std::string(op->name) + " runs its reference kernel, and the plan does not say why");
}

// Runs the model with the kernel that comes behind the first `passed_over` that take the node. `kernels`: what ran.
std::vector<Value> run_candidate(const Model& m, std::uint32_t passed_over, std::string& kernels) {
  program::Program program = program::lower(m.document, {});
  program::run_passes(program, {.disabled = {"all"}, .compute = {}});
  runtime::PlanCache plans;
  const auto arenas = std::make_shared<runtime::ArenaPool>();
  runtime::PackStore packed;
  runtime::KernelStore store;
  runtime::PlanOptions options;
  options.packed = &packed;
  options.kernels = &store;
  options.passed_over = passed_over;
  options.chosen_from = 0;
  const runtime::Executor executor(program.main, program.states, options, {plans, *arenas});
  std::vector<Value> inputs;
  for (program::ValueId id : program.main.inputs) {
    const std::string& name = program.main.value(id).name;
    const auto feed = std::find_if(m.feeds.begin(), m.feeds.end(), [&](const Feed& f) { return f.name == name; });
    inputs.push_back(feed == m.feeds.end() ? Value() : feed->value);
  }
  for (const runtime::StepInfo& step : executor.plan(inputs)->info) {
    kernels += (kernels.empty() ? "" : ", ") + step.kernel;
    if (passed_over == 0) check_refusals(program.main, step);
  }
  return executor.run(inputs);
}

// The node as a call of its function body; false if it has none.
bool call_body(const Trial& trial, Model& m) {
  std::vector<opset::ValueType> types;
  for (const Given& g : trial.inputs) types.push_back(g.value && g.value->is_tensor() ? type_of(*g.value) : g.type);
  std::vector<const opset::ValueType*> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) inputs.push_back(trial.inputs[i].present ? &types[i] : nullptr);
  std::vector<bool> wanted(trial.outputs.empty() ? static_cast<std::size_t>(output_count(trial)) : 0, true);
  for (const Given& g : trial.outputs) wanted.push_back(g.present);
  const auto body = infer::function_body(*trial.op, {*trial.row, trial.attrs}, inputs, wanted);
  if (!body || body->opset_import.empty()) return false;
  build(trial, std::vector<bool>(trial.inputs.size(), false), Shapes::Static, m);
  ir::Function function = *body;
  function.domain = std::string("case");
  function.name = std::string("Body");
  m.document.functions.push_back(std::move(function));
  ir::OperatorSetId id;
  id.domain = std::string("case");
  id.version = std::int64_t{1};
  m.document.opset_import.push_back(std::move(id));
  ir::Graph graph = *m.document.graph;
  graph.node[0].domain = std::string("case");
  graph.node[0].op_type = std::string("Body");
  m.document.graph = std::move(graph);
  return true;
}

std::vector<Value> run_session(const Trial& trial) {
  Model m;
  build(trial, std::vector<bool>(trial.inputs.size(), false), Shapes::Static, m);
  const runtime::CompiledModel compiled(m.document, {}, {});
  auto results = by_output(trial, compiled.run(m.feeds, {}));
  note_run(trial, results, Means::Session);
  return results;
}

std::string sessions(const Trial& trial, const Truth& truth) {
  const Case& c = *trial.source;
  const bool by_body = !opset::find_reference(*trial.op, trial.op->history.back().since);
  const bool random = trial.row->determinism != opset::Determinism::Deterministic;
  const Bound bound{tolerance_of(c), c.with.fast};
  if (!random) {
    Model m;
    const auto wrong = in_mode("the function body", [&] {
      if (!call_body(trial, m)) return std::string();
      const runtime::CompiledModel compiled(m.document, {}, {});
      Bound by_steps = bound;
      by_steps.by_steps = true;
      return check_against(by_output(trial, compiled.run(m.feeds, {})), truth, by_steps);
    });
    if (!wrong.empty()) return wrong;
  }
  for (const Way& way : ways(trial)) {
    for (const Shapes shapes : {Shapes::Static, Shapes::Open, Shapes::NoRank}) {
      if (way.name == "constants" && shapes != Shapes::Static) continue;
      Model m;
      build(trial, way.constant, shapes, m);
      const auto wrong = in_mode("a session, inputs " + way.name + ", " + kShapesText[static_cast<int>(shapes)], [&] {
        try {
          const runtime::CompiledModel compiled(m.document, {}, {});
          return check_against(by_output(trial, compiled.run(m.feeds, {})), truth, bound);
        } catch (const Error& e) {  // a function body may depend on what is not known
          if (by_body && shapes != Shapes::Static && e.code() == ErrorCode::NotImplemented) return std::string();
          throw;
        }
      });
      if (!wrong.empty()) return wrong;
    }
    if (way.name == "constants" || random) continue;
    Model m;
    build(trial, way.constant, Shapes::Static, m);
    const bool fast = runtime::find_select(trial.op) != nullptr;
    for (std::uint32_t k = 0; k < (fast ? 16u : 1u); ++k) {
      std::string kernels;
      const auto wrong = in_mode("kernel " + std::to_string(k) + ", inputs " + way.name, [&] {
        auto got = run_candidate(m, k, kernels);
        return check_against(by_output(trial, std::move(got)), truth, bound);
      });
      if (!wrong.empty()) return wrong + "\n  kernels: " + kernels;
      // The reference kernel is the last; where there is no step at all, nothing has to be computed.
      if (kernels.find("reference") != std::string::npos || (k > 0 && kernels.empty())) break;
      // What is chosen when it runs has the same name whatever is passed over.
      if (kernels.find("chosen when run") != std::string::npos && k >= 3) break;
    }
  }
  note_run(trial, truth.outputs, Means::Session);
  return {};
}

// `message`: of an operator that runs as its body, which no reference kernel refuses.
std::string session_refusal(const Trial& trial, std::string_view message) {
  const bool by_body = !opset::find_reference(*trial.op, trial.op->history.back().since);
  for (const Way& way : ways(trial)) {
    for (const Shapes shapes : {Shapes::Static, Shapes::Open, Shapes::NoRank}) {
      if (shapes == Shapes::NoRank && !program::runs_as_body(*trial.op, *trial.row)) continue;
      Model m;
      build(trial, way.constant, shapes, m);
      try {
        const runtime::CompiledModel compiled(m.document, {}, {});
        const auto got = compiled.run(m.feeds, {});
        return "a session, inputs " + way.name + ", " + kShapesText[static_cast<int>(shapes)] + ": gives " +
               (got.empty() ? "nothing" : show(got[0])) + ", and should refuse";
      } catch (const Error& e) {
        if (e.code() == ErrorCode::Internal)
          return "a session, inputs " + way.name + ", " + kShapesText[static_cast<int>(shapes)] + ": " + e.what();
        // With less known beforehand, another node of the body may be the first to refuse.
        if (message != "*" && by_body && shapes == Shapes::Static &&
            std::string_view(e.what()).find(message) == std::string_view::npos)
          return "a session refuses with: " + std::string(e.what());
      }
    }
  }
  return {};
}

const bool kLinked =
    (check_sessions = sessions, check_session_refusal = session_refusal, run_in_session = run_session, true);

}  // namespace
}  // namespace norn::ops::cases
