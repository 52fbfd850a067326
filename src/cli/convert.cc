// norn convert: a model in another notation.
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "command.h"
#include "streams.h"
#include "terminal.h"

namespace norn::cli {

namespace {

struct ConvertFlags {
  std::string in, out;
  Format to = Format::Auto;
  LoadFlags load;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int convert(const ConvertFlags& flags) {
  const bool to_output = flags.out == "-";
  const std::string extension = std::filesystem::path(flags.out).extension().string();
  if (flags.to == Format::Auto && !extension.empty() && known_format_of(flags.out) == Format::Auto) {
    throw UsageError("no notation has the extension \"" + extension + "\"",
                     ".onnx .pb, .onnxtxt .onnxtext, .json .onnxjson and .textproto .txtpb .prototxt .pbtxt have one; "
                     "for another name, --to onnx, text, json or textproto says which it is");
  }
  const Model model = load_model(flags.in, flags.load.options);
  const Format format = flags.to != Format::Auto ? flags.to : to_output ? Format::OnnxText : format_of(flags.out);
  if (to_output) {
    const std::vector<std::byte> bytes = model.serialize(format);
    if (format == Format::OnnxText) tell_left_out(text_of(bytes));
    write_output(bytes);
    return kFine;
  }
  model.save(flags.out, format);
  if (format != Format::OnnxText) return kFine;
  if (std::filesystem::is_regular_file(flags.out))
    tell_left_out(first_line(flags.out));
  else
    tell_left_out(text_of(model.serialize(format)));  // what went into a pipe cannot be read again
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
