// norn opset: operator-set documents, shown, checked, and made from the built-in sets.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "norn/check.h"
#include "norn/opset.h"
#include "norn/text.h"
#include "reports.h"
#include "streams.h"

namespace norn::cli {

namespace {

struct OpsetFlags {
  std::vector<std::string> files;
  Format from = Format::Auto;  // of standard input
  bool json = false;
};

OperatorSet load_set(const std::string& path, const OpsetFlags& flags) {
  if (path != "-") return OperatorSet::load(path);
  return OperatorSet::parse(read_input().bytes, flags.from);
}

int show_files(const OpsetFlags& flags) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : flags.files) {
    const OperatorSet set = load_set(file, flags);
    if (flags.json)
      all.push_back(nlohmann::ordered_json::parse(set.to_json()));
    else
      fmt::print("{}", printable(set.to_string()));
  }
  if (flags.json) fmt::print("{}\n", dumped(all.size() == 1 ? all[0] : all));
  return kFine;
}

Report check_file(const std::string& path, const OpsetFlags& flags) {
  return path == "-" ? check_operator_set(read_input().bytes, flags.from) : check_operator_set(path);
}

// A report for each document and, where all are sound, one about how they fit together.
int check_files(const OpsetFlags& flags) {
  Reports reports(flags.json ? Reports::Notation::Json : Reports::Notation::Text);
  for (const std::string& file : flags.files) reports.check(file, [&] { return check_file(file, flags); });
  if (reports.sound() && flags.files.size() > 1) {
    std::vector<OperatorSet> sets;
    for (const std::string& file : flags.files) sets.push_back(load_set(file, flags));
    reports.add("together", check_operator_sets(sets));
  }
  return reports.print();
}

struct ExportFlags {
  std::string domain, file;
  std::int64_t version = 0;
  Format to = Format::Auto;
};

int export_set(const ExportFlags& flags) {
  const OperatorSet set = OperatorSet::built_in(flags.domain, flags.version);
  if (flags.file == "-")
    write_output(set.serialize(flags.to == Format::Auto ? Format::ProtoText : flags.to));
  else
    set.save(flags.file, flags.to);
  return kFine;
}

}  // namespace

void add_opset(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("opset", "Operator-set documents: show, check, export");
  command->require_subcommand(1);

  auto flags = std::make_shared<OpsetFlags>();
  const auto add_files = [&](CLI::App& job) {
    job.add_option("file", flags->files, "The documents; - is standard input")->required()->type_name("FILE");
    add_notation(job, "--from", flags->from, "Notation of standard input (default: onnx, the binary one)");
    job.add_flag("--json", flags->json, "Report as JSON");
  };
  CLI::App* show = command->add_subcommand("show", "What a document declares");
  add_files(*show);
  show->callback([flags, &exit] { exit = show_files(*flags); });

  CLI::App* check = command->add_subcommand("check", "All rules about documents, and whether several fit together");
  add_files(*check);
  check->callback([flags, &exit] { exit = check_files(*flags); });

  auto what = std::make_shared<ExportFlags>();
  CLI::App* write = command->add_subcommand("export", "Write a built-in operator set as a document");
  write->add_option("domain", what->domain, "ai.onnx, ai.onnx.ml, ...")->required()->type_name("DOMAIN");
  add_whole(*write, "version", what->version, "Its version")->required()->type_name("VERSION");
  write
      ->add_option("file", what->file,
                   "The document; .json and .textproto choose a notation, else it is binary; - is standard output, in "
                   "protobuf's text format unless --to says otherwise")
      ->required()
      ->type_name("FILE");
  add_notation(*write, "--to", what->to, "Notation of the document, whatever its extension");
  write->callback([what, &exit] { exit = export_set(*what); });
}

}  // namespace norn::cli
