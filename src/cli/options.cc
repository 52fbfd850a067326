// Options that several commands share.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "command.h"

namespace norn::cli {

namespace {

// All of `word` as a number, without regard to the locale.
template <class T>
bool parsed(std::string_view word, T& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

CLI::Option* add_word(CLI::App& command, const std::string& option, std::function<void(const std::string&)> set,
                      const std::string& help) {
  return command.add_option_function<std::string>(
      option,
      [set = std::move(set)](const std::string& word) {
        try {
          set(word);
        } catch (const Error& e) {
          throw UsageError(e.message(), e.hint());
        }
      },
      help);
}

CLI::Option* add_notation(CLI::App& command, const std::string& option, Format& format, const std::string& help) {
  static const std::map<std::string, Format> names{
      {"onnx", Format::Binary}, {"text", Format::OnnxText}, {"json", Format::Json}, {"textproto", Format::ProtoText}};
  const auto set = [&format](const std::string& word) {
    const auto found = names.find(word);
    if (found == names.end())
      throw UsageError("there is no notation \"" + word + "\"", "the notations are onnx, text, json and textproto");
    format = found->second;
  };
  return add_word(command, option, set, help + ": onnx, text, json, textproto")->type_name("NOTATION");
}

CLI::Option* add_whole(CLI::App& command, const std::string& option, std::uint64_t least, std::uint64_t most,
                       std::function<void(std::uint64_t)> set, const std::string& help) {
  const auto parse = [=, set = std::move(set)](const std::string& word) {
    std::uint64_t number = 0;
    if (!parsed(word, number) || number < least || number > most) {
      throw CLI::ValidationError(option, fmt::format("\"{}\" is not a whole number from {} to {}", word, least, most));
    }
    set(number);
  };
  return command.add_option_function<std::string>(option, parse, help)->type_name("NUMBER");
}

CLI::Option* add_amount(CLI::App& command, const std::string& option, double& value, const std::string& help) {
  const auto parse = [option, &value](const std::string& word) {
    if (!parsed(word, value) || !(value >= 0)) {
      throw CLI::ValidationError(option, "\"" + word + "\" is not a number of at least 0");
    }
  };
  return command.add_option_function<std::string>(option, parse, help)->type_name("NUMBER");
}

CLI::Option* repeated(CLI::Option* option) { return option->allow_extra_args(false); }

void LoadFlags::add_to(CLI::App& command) {
  add_notation(command, "--from", options.format, "Notation of the model, whatever its extension");
  command.add_flag_callback(
      "--hf-cache", [this] { options.external = ExternalPolicy::HfCache; },
      "External data: allow the Hugging Face cache's links into blobs/");
  repeated(command.add_option("--external-root", options.external_roots,
                              "External data: a further folder it may lie in (repeat)"))
      ->type_name("FOLDER");
  add_whole(command, "--max-stream-bytes", options.limits.max_stream_bytes,
            "Most bytes of a model from standard input, a pipe or a device (default 2 GiB)");
  command.add_flag("--hard-links", options.external_hard_links,
                   "External data: allow files with more than one hard link");
}

void SessionFlags::add_to(CLI::App& command) {
  add_whole(command, "--threads", options.intra_op_num_threads, "Threads of one run; 0 is every core (default)");
  repeated(command.add_option("--disable-pass", options.disabled_passes,
                              "Leave out an optional pass (repeat); \"all\" leaves out every one"))
      ->type_name("NAME");
  repeated(command.add_option_function<std::vector<std::string>>(
               "--operator-set,--opset",
               [this](const std::vector<std::string>& files) {
                 for (const std::string& file : files) options.operator_sets.push_back(OperatorSet::load(file));
               },
               "A document that declares operators beyond the built-in ones (repeat; docs/operator-sets.md)"))
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--precision", [this](const std::string& word) { options.precision = precision_from_name(word); },
          "What factors of products of float may be rounded to: model (default, what it allows), float32, bfloat16 or "
          "int8")
      ->type_name("NAME");
  command
      .add_option("--packed-weights", options.packed_weights_folder,
                  "Keep weights as kernels want them in this folder, for later processes")
      ->type_name("FOLDER");
  command.add_flag("!--keep-subnormals", options.flush_subnormals,
                   "Products take numbers below the smallest normal one as others, up to a hundred times as slowly");
  command.add_flag("--reference", options.reference_only,
                   "Reference kernels only: slow, and simple enough to be compared with");
}

}  // namespace norn::cli
