// norn explain: what runs each node, why nothing faster does, and which passes nearly changed it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "inputs.h"
#include "norn/text.h"

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

int explain(const ExplainFlags& flags) {
  const Session session(load_model(flags.model, flags.load.options), flags.session.options);
  NamedValues values = load_inputs(flags.inputs, session);
  if (!flags.shapes.empty()) {
    const Generator generator{.shapes = parse_shapes(flags.shapes, session), .unknown_dim = flags.default_dim};
    values = complete(std::move(values), session, generator, flags.model);
  }
  const std::string text = session.explain(feeds_of(values), flags.default_dim);
  if (flags.json) {
    fmt::print("{}\n", dumped({{"model", flags.model}, {"text", text}}));
  } else {
    fmt::print("{}{}", printable(text), text.ends_with('\n') ? "" : "\n");
  }
  return kFine;
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
