// norn check: every finding about models, with its rule, for people, for programs and for code-scanning services.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "check_data.h"
#include "command.h"
#include "norn/check.h"
#include "norn/data.h"
#include "reports.h"

namespace norn::cli {

namespace fs = std::filesystem;

namespace {

struct CheckFlags {
  std::vector<std::string> files, operator_sets;
  std::optional<DataKind> kind;
  CheckOptions options;
  LoadFlags load;
  bool data = false, json = false, sarif = false, list_rules = false, notes = false;
};

int list_rules(bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const RuleInfo& rule : rules()) {
    if (json) {
      rows.push_back({{"rule", rule.id},
                      {"level", rule.level},
                      {"ir_from", rule.ir_from},
                      {"ir_to", rule.ir_to},
                      {"lenient", rule.lenient},
                      {"text", rule.text},
                      {"not_checked", rule.not_checked}});
      continue;
    }
    fmt::print("{:<44} {}{}  IR {}-{}  {}\n", rule.id, rule.level, rule.lenient ? "*" : "", rule.ir_from, rule.ir_to,
               rule.text);
    if (!rule.not_checked.empty()) fmt::print("{:<44}   not checked here: {}\n", "", rule.not_checked);
  }
  if (json)
    fmt::print("{}\n", dumped(rows));
  else
    fmt::print("\n* common real models break it: a warning unless --profile strict\n");
  return kFine;
}

// The models and data files below a folder, in the order of their paths.
std::vector<std::string> files_below(const std::string& folder, const LoadOptions& loading) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_checked_in_folders(entry.path().string(), loading))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> named_files(const CheckFlags& flags) {
  std::vector<std::string> files;
  for (const std::string& path : flags.files) {
    std::error_code unknown;
    if (path == "-" || !fs::is_directory(path, unknown)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> below = files_below(path, flags.load.options);
    if (below.empty()) throw UsageError("there is no model in the folder " + path, "name the files themselves");
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

Report check_file(const std::string& path, const CheckFlags& flags) {
  if (flags.data || flags.kind || is_data_file(path)) return check_data_file(path, flags.kind, flags.options);
  try {
    return check(load_model(path, flags.load.options), flags.options);
  } catch (Error& e) {
    if (e.code() == ErrorCode::InvalidProtobuf && (path == "-" || path.ends_with(".pb"))) {
      e.help("--data checks a file of test data");
    }
    throw;
  }
}

int run_check(CheckFlags& flags) {
  if (flags.list_rules) return list_rules(flags.json);
  if (flags.files.empty()) throw UsageError("no file was named", "norn check MODEL, or norn check --list-rules");
  for (const std::string& file : flags.operator_sets) flags.options.operator_sets.push_back(OperatorSet::load(file));
  flags.options.limits = flags.load.options.limits;
  Reports reports(flags.json    ? Reports::Notation::Json
                  : flags.sarif ? Reports::Notation::Sarif
                                : Reports::Notation::Text,
                  flags.notes ? Severity::Note : Severity::Warning);
  for (const std::string& path : named_files(flags)) reports.check(path, [&] { return check_file(path, flags); });
  return reports.print();
}

}  // namespace

void add_check(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("check", "Report everything that keeps models, and their test data, from being valid ONNX");
  auto flags = std::make_shared<CheckFlags>();
  command
      ->add_option(
          "files", flags->files,
          "Models, or data files: .npy, .npz, and input_N.pb, output_N.pb; of a folder, all that are below it; - is "
          "standard input")
      ->type_name("FILE|FOLDER");
  command->add_flag("--data", flags->data, "The files are data files, whatever their names");
  add_word(
      *command, "--kind", [flags](const std::string& word) { flags->kind = data_kind_from_name(word); },
      "What the data files hold: tensor, sparse_tensor, sequence, map, optional")
      ->type_name("KIND");
  add_word(
      *command, "--profile", [flags](const std::string& word) { flags->options.profile = profile_from_name(word); },
      "What severities follow: spec (default), strict (every MUST is an error), runtime (what keeps a model from "
      "running, with every node that this build of Norn cannot run)")
      ->type_name("PROFILE");
  command->add_flag("--checksums", flags->options.checksums, "Compare external data files with their SHA-1");
  command->add_flag("!--no-infer", flags->options.infer, "Leave out what inference of types and shapes finds");
  command->add_flag("--custom-domains", flags->options.check_custom_domain,
                    "Operators of domains that no operator set declares are errors");
  repeated(command->add_option("--opset,--operator-set", flags->operator_sets,
                               "A document that declares operators (repeat)"))
      ->type_name("FILE");
  command->add_flag("-v,--notes", flags->notes, "Show notes too, which are only counted otherwise");
  auto* json = command->add_flag("--json", flags->json, "Report as JSON");
  auto* sarif = command->add_flag("--sarif", flags->sarif, "Report as SARIF 2.1.0")->excludes(json);
  command->add_flag("--list-rules", flags->list_rules, "List the rules instead")->excludes(sarif);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = run_check(*flags); });
}

}  // namespace norn::cli
