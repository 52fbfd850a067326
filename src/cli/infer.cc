// norn infer: types and shapes of a whole model, written into a copy or printed.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.h"
#include "norn/infer.h"
#include "streams.h"

namespace norn::cli {
namespace {

struct InferFlags {
  std::string input, output;
  std::vector<std::string> operator_sets;
  InferOptions options;
  LoadFlags load;
  Format format = Format::Auto;
  bool why = false, json = false;
};

int run_infer(InferFlags& flags) {
  for (const std::string& file : flags.operator_sets) flags.options.operator_sets.push_back(OperatorSet::load(file));
  flags.options.limits = flags.load.options.limits;
  Inference found;
  const Model typed = infer_shapes(load_model(flags.input, flags.load.options), flags.options, &found);
  const bool to_output = flags.output == "-";
  if (to_output)
    write_output(typed.serialize(flags.format));
  else if (!flags.output.empty())
    typed.save(flags.output, flags.format);
  const std::string text = flags.json ? found.to_json() + "\n" : found.to_string(flags.why);
  fmt::print(to_output ? stderr : stdout, "{}", text);
  return found.problems.empty() ? kFine : kFindings;
}

}  // namespace

void add_infer(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("infer", "Find the types and shapes of every value, and why some stay unknown");
  auto flags = std::make_shared<InferFlags>();
  command->add_option("model", flags->input, "The model; - is standard input")->required()->type_name("MODEL");
  command->add_option("out", flags->output, "Where the model goes with what was found; - is standard output")
      ->type_name("OUT");
  command->add_flag("--why", flags->why, "Say for each size that stays unknown why it does, and where that began");
  command->add_flag(
      "--symbolic", flags->options.symbolic,
      "Write expressions (2*seq + 1), and names for sizes that are known only when the model runs, as dimension names");
  command->add_flag("--strict", flags->options.strict, "Stop at the first contradiction");
  repeated(command->add_option("--opset,--operator-set", flags->operator_sets,
                               "A document that declares operators (repeat)"))
      ->type_name("FILE");
  add_notation(*command, "--to", flags->format, "The notation of OUT (default: that of its extension)");
  command->add_flag("--json", flags->json, "Report as JSON");
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = run_infer(*flags); });
}

}  // namespace norn::cli
