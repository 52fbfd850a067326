// norn show: a summary that people read first; the text; the lowered program; the plan.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "norn/text.h"

namespace norn::cli {

namespace {

struct ShowFlags {
  std::string model, stage;
  bool text = false, json = false;
  std::size_t elements = 16;
  SessionFlags session;
  LoadFlags load;
};

int show(const ShowFlags& flags) {
  const Model model = load_model(flags.model, flags.load.options);
  if (flags.stage.empty() && !flags.text) {
    const ModelSummary summary = model.summary();
    const std::string page = flags.json ? summary.to_json() : summary.to_string();
    fmt::print("{}{}", page, page.ends_with('\n') ? "" : "\n");
    return kFine;
  }
  std::string text;
  if (flags.stage.empty()) {
    text = model.to_text(flags.elements);
  } else {
    const Session session(model, flags.session.options);
    text = printable(flags.stage == "program" ? session.program_text() : session.explain().to_string());
  }
  if (flags.json) {
    const std::string stage = flags.stage.empty() ? "model" : flags.stage;
    fmt::print("{}\n", dumped({{"model", flags.model}, {"stage", stage}, {"text", text}}));
  } else {
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  return kFine;
}

}  // namespace

void add_show(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("show", "Show a model: a summary, its text, or a stage on the way to running it");
  auto flags = std::make_shared<ShowFlags>();
  command->add_option("model", flags->model, "The model; - is standard input")->required()->type_name("MODEL");
  auto* text = command->add_flag("--text", flags->text, "The model in ONNX text syntax");
  add_whole(*command, "--elements", flags->elements,
            "Tensors with more elements are shown by their first ones (default 16)")
      ->needs(text);
  command->add_option("--stage", flags->stage, "program: lowered and optimised; plan: what runs each node")
      ->check(CLI::IsMember({"program", "plan"}))
      ->excludes(text);
  command->add_flag("--json", flags->json, "Report as JSON");
  flags->session.add_to(*command);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = show(*flags); });
}

}  // namespace norn::cli
