// norn explain: what runs each node, why nothing faster does, and which passes nearly changed it; or which nodes
// nothing runs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "command.h"
#include "inputs.h"
#include "norn/explain.h"
#include "norn/text.h"
#include "spelling.h"

namespace norn::cli {

namespace {

struct ExplainFlags {
  std::string model;
  std::vector<std::string> inputs, shapes;
  std::int64_t default_dim = 1;
  bool json = false;
  SessionFlags session;
  LoadFlags load;
};

Explanation explanation(const ExplainFlags& flags, const Session& session) {
  NamedValues values = load_inputs(flags.inputs, session);
  if (!flags.shapes.empty()) {
    const Generator generator{.shapes = parse_shapes(flags.shapes, session), .unknown_dim = flags.default_dim};
    values = complete(std::move(values), session, generator, flags.model);
  }
  return session.explain(feeds_of(values), flags.default_dim);
}

int explain(const ExplainFlags& flags) {
  const Model model = load_model(flags.model, flags.load.options);
  std::optional<Session> session;
  Explanation found;
  try {
    session.emplace(model, flags.session.options);
  } catch (const Error& e) {
    found.unrunnable = unrunnable_nodes(model, flags.session.options.operator_sets, flags.load.options.limits);
    // It may be for another reason, and these be in a branch that is never taken.
    const auto is_why = [&](const UnrunnableNode& node) { return e.where().starts_with(node.where); };
    if (std::none_of(found.unrunnable.begin(), found.unrunnable.end(), is_why)) throw;
    for (UnrunnableNode& node : found.unrunnable) node.hint = with_flags(std::move(node.hint));
  }
  if (session) found = explanation(flags, *session);
  if (flags.json) {
    nlohmann::ordered_json report = {{"model", flags.model}};
    report.update(nlohmann::ordered_json::parse(found.to_json()));
    fmt::print("{}\n", dumped(report));
  } else {
    fmt::print("{}", printable(found.to_string()));
  }
  return found.runnable() ? kFine : kFindings;
}

}  // namespace

void add_explain(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "explain", "Tell for each node what runs it, why nothing faster does, and which passes nearly changed it");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("model", flags->model, "The model; - is standard input")->required()->type_name("MODEL");
  repeated(command->add_option("-i,--input", flags->inputs, "An input's value, for its shape (repeat)"))
      ->type_name("NAME=FILE");
  repeated(command->add_option("--shape", flags->shapes, "An input's shape, x:1x3x224x224 (repeat)"))
      ->type_name("NAME:DIMS");
  add_whole(*command, "--dim", flags->default_dim, "Size of dimension variables that nothing else gives (default 1)");
  command->add_flag("--json", flags->json, "Report as JSON");
  flags->session.add_to(*command);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = explain(*flags); });
}

}  // namespace norn::cli
