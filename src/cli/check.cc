// norn check: every finding about models, with its rule, for people, for programs and for code-scanning services.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "norn/check.h"

namespace norn::cli {

namespace {

struct CheckFlags {
  std::vector<std::string> models, operator_sets;
  CheckOptions options;
  bool json = false, sarif = false, list_rules = false;
};

int list_rules(bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const RuleInfo& rule : rules()) {
    if (json) {
      rows.push_back({{"rule", rule.id}, {"level", rule.level}, {"ir_from", rule.ir_from}, {"ir_to", rule.ir_to},
                      {"lenient", rule.lenient}, {"text", rule.text}, {"not_checked", rule.not_checked}});
      continue;
    }
    fmt::print("{:<44} {}{}  IR {}-{}  {}\n", rule.id, rule.level, rule.lenient ? "*" : "", rule.ir_from, rule.ir_to,
               rule.text);
    if (!rule.not_checked.empty()) fmt::print("{:<44}   not checked here: {}\n", "", rule.not_checked);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  else fmt::print("\n* common real models break it: a warning unless --profile strict\n");
  return kFine;
}

int run_check(CheckFlags& flags) {
  if (flags.list_rules) return list_rules(flags.json);
  if (flags.models.empty()) throw UsageError("no model was named", "norn check MODEL, or norn check --list-rules");
  for (const std::string& file : flags.operator_sets) flags.options.operator_sets.push_back(OperatorSet::load(file));
  bool sound = true;
  for (const std::string& path : flags.models) {
    const Report report = check(load_model(path), flags.options);
    sound = sound && report.ok();
    const std::string page = flags.sarif ? report.to_sarif() : flags.json ? report.to_json() : report.to_string();
    fmt::print("{}{}", page, page.empty() || page.ends_with('\n') ? "" : "\n");
  }
  return sound ? kFine : kFindings;
}

}  // namespace

void add_check(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("check", "Tell everything that keeps models from being valid ONNX");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("models", flags->models, "The models; - is standard input")->type_name("MODEL");
  command
      ->add_option("--profile", flags->options.profile,
                   "What severities follow: spec (default), strict (every MUST is an error), runtime (what keeps a model "
                   "from running)")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, Profile>{
                          {"spec", Profile::Spec}, {"strict", Profile::Strict}, {"runtime", Profile::Runtime}})
                      .description(""))
      ->type_name("PROFILE");
  command->add_flag("--checksums", flags->options.checksums, "Hold external data files against their SHA-1");
  command->add_flag("--custom-domains", flags->options.check_custom_domain,
                    "Operators of domains that no operator set declares are errors");
  command->add_option("--opset", flags->operator_sets, "A document that declares operators (repeat)")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* json = command->add_flag("--json", flags->json, "Report as JSON");
  command->add_flag("--sarif", flags->sarif, "Report as SARIF 2.1.0")->excludes(json);
  command->add_flag("--list-rules", flags->list_rules, "List the rules instead");
  command->callback([flags, &exit] { exit = run_check(*flags); });
}

}  // namespace norn::cli
