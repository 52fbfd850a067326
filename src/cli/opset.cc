// norn opset: operator-set documents, shown, checked, and made from the built-in sets.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "norn/check.h"
#include "norn/opset.h"

namespace norn::cli {

namespace {

int check_files(const std::vector<std::string>& files, bool json) {
  bool sound = true;
  for (const std::string& file : files) {
    const Report report = check_operator_set(file);
    sound = sound && report.ok();
    const std::string page = json ? report.to_json() : report.to_string();
    fmt::print("{}{}", page, page.empty() || page.ends_with('\n') ? "" : "\n");
  }
  if (!sound || files.size() < 2) return sound ? kFine : kFindings;
  std::vector<OperatorSet> sets;
  for (const std::string& file : files) sets.push_back(OperatorSet::load(file));
  const Report together = check_operator_sets(sets);
  const std::string page = json ? together.to_json() : together.to_string();
  if (json || !together.diagnostics.empty()) fmt::print("{}{}", page, page.ends_with('\n') ? "" : "\n");
  return together.ok() ? kFine : kFindings;
}

}  // namespace

void add_opset(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("opset", "Operator-set documents: show, check, export");
  command->require_subcommand(1);

  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* show = command->add_subcommand("show", "What a document declares");
  show->add_option("file", *files, "The document")->required()->type_name("FILE");
  show->callback([files, &exit] {
    for (const std::string& file : *files) fmt::print("{}", OperatorSet::load(file).to_string());
    exit = kFine;
  });

  auto json = std::make_shared<bool>(false);
  CLI::App* check = command->add_subcommand("check", "All rules about documents, and whether several fit together");
  check->add_option("file", *files, "The documents")->required()->type_name("FILE");
  check->add_flag("--json", *json, "Report as JSON");
  check->callback([files, json, &exit] { exit = check_files(*files, *json); });

  struct Export {
    std::string domain, file;
    std::int64_t version = 0;
  };
  auto what = std::make_shared<Export>();
  CLI::App* write = command->add_subcommand("export", "Write a built-in operator set as a document");
  write->add_option("domain", what->domain, "ai.onnx, ai.onnx.ml, ...")->required()->type_name("DOMAIN");
  write->add_option("version", what->version, "Its version")->required()->type_name("VERSION");
  write->add_option("file", what->file, "The document; .json and .textproto choose a notation, else it is binary")
      ->required()->type_name("FILE");
  write->callback([what, &exit] {
    OperatorSet::built_in(what->domain, what->version).save(what->file);
    exit = kFine;
  });
}

}  // namespace norn::cli
