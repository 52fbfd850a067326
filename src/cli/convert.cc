// norn convert: a model in another notation.
#include <memory>

#include "command.h"
#include "streams.h"

namespace norn::cli {

namespace {

struct ConvertFlags {
  std::string in, out;
  Format to = Format::Auto;
  LoadFlags load;
};

int convert(const ConvertFlags& flags) {
  const Model model = load_model(flags.in, flags.load.options);
  if (flags.out == "-") write_output(model.serialize(flags.to == Format::Auto ? Format::OnnxText : flags.to));
  else model.save(flags.out, flags.to);
  return kFine;
}

}  // namespace

void add_convert(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "convert", "Write a model in another notation: .onnx .pb, .onnxtxt, .json, .textproto by the file's extension");
  auto flags = std::make_shared<ConvertFlags>();
  command->add_option("in", flags->in, "The model; - is standard input")->required()->type_name("IN");
  command
      ->add_option("out", flags->out,
                   "The file to write; - is standard output, in ONNX text syntax unless --to says otherwise")
      ->required()
      ->type_name("OUT");
  add_notation(*command, "--to", flags->to, "Notation of OUT, whatever its extension");
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = convert(*flags); });
}

}  // namespace norn::cli
