// norn convert: a model in another notation.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <span>

#include "command.h"

namespace norn::cli {

namespace {

const std::map<std::string, Format>& formats() {
  static const std::map<std::string, Format> names{
      {"onnx", Format::Binary}, {"text", Format::OnnxText}, {"json", Format::Json}, {"textproto", Format::ProtoText}};
  return names;
}

struct ConvertFlags {
  std::string in, out;
  Format from = Format::Auto, to = Format::Auto;
};

Model load(const ConvertFlags& flags) {
  if (flags.in == "-") {
    const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
    return Model::parse(std::as_bytes(std::span(bytes)), flags.from);
  }
  LoadOptions options;
  options.format = flags.from;
  return Model::load(flags.in, options);
}

int convert(const ConvertFlags& flags) {
  const Model model = load(flags);
  if (flags.out != "-") {
    model.save(flags.out, flags.to);
    return kFine;
  }
  const auto bytes = model.serialize(flags.to == Format::Auto ? Format::OnnxText : flags.to);
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout))
    throw Error(ErrorCode::Io, "cannot write to standard output");
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
  command->add_option("--from", flags->from, "Notation of IN, whatever its extension: onnx, text, json, textproto")
      ->transform(CLI::CheckedTransformer(formats()).description(""))
      ->type_name("NOTATION");
  command->add_option("--to", flags->to, "Notation of OUT, whatever its extension")
      ->transform(CLI::CheckedTransformer(formats()).description(""))
      ->type_name("NOTATION");
  command->callback([flags, &exit] { exit = convert(*flags); });
}

}  // namespace norn::cli
