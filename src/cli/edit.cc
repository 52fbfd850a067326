// norn edit: surgery on a file of any size. Where tensors lie: all in the model, in a data file beside it, or nowhere.
#include "norn/edit.h"

#include <fmt/format.h>

#include <bit>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "streams.h"
#include "terminal.h"

namespace norn::cli {

namespace {

struct EditFlags {
  std::string in, out;
  bool pack = false, strip = false;
  PackOptions packing;
  UnpackOptions unpacking;
  LoadFlags load;
};

// The library's own bound.
constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 30;

bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void refuse_misfits(const UnpackOptions& options, const std::string& out) {
  if (out == "-") throw UsageError("tensors cannot go to a data file beside standard output", "name OUT");
  if (options.alignment != 0 && !std::has_single_bit(options.alignment)) {
    throw UsageError(fmt::format("--alignment: {} is not a power of two", options.alignment),
                     "the next one is " + std::to_string(std::bit_ceil(options.alignment)));
  }
  if (!is_utf8(options.location) || options.location.find('\\') != std::string::npos) {
    throw UsageError("--unpack: a model cannot name the data file \"" + options.location +
                         "\", because ONNX wants a path in UTF-8 without backslashes",
                     "give the file another name");
  }
}

// Files are edited where they lie; what comes or goes through a pipe is edited in memory.
void write_edited(const EditFlags& flags) {
  const LoadOptions& loading = flags.load.options;
  const bool unpack_it = !flags.pack && !flags.strip;
  if (unpack_it) refuse_misfits(flags.unpacking, flags.out);
  if (flags.in != "-" && flags.out != "-") {
    if (flags.pack) return pack(flags.in, flags.out, flags.packing, loading);
    if (flags.strip) return strip(flags.in, flags.out, loading);
    return unpack(flags.in, flags.out, flags.unpacking, loading);
  }
  const Model model = load_model(flags.in, loading);
  if (unpack_it) return unpack(model, flags.out, flags.unpacking);
  if (flags.out == "-") return write_output((flags.pack ? pack(model, flags.packing) : strip(model)).serialize());
  if (flags.pack)
    pack(model, flags.out, flags.packing);
  else
    strip(model, flags.out);
}

int edit(const EditFlags& flags) {
  write_edited(flags);
  if (format_of(flags.out) == Format::OnnxText) tell_left_out(first_line(flags.out));
  return kFine;
}

}  // namespace

void add_edit(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("edit", "Change where a model's tensors lie, without loading them");
  auto flags = std::make_shared<EditFlags>();
  command->add_option("in", flags->in, "The model; - is standard input")->required()->type_name("IN");
  command->add_option("out", flags->out, "Where to write it; may be IN; - is standard output")
      ->required()
      ->type_name("OUT");
  auto* job = command->add_option_group("job", "What to do")->require_option(1);
  auto* pack = job->add_flag("--pack", flags->pack, "All tensors into the model file");
  auto* unpack = job->add_option("--unpack", flags->unpacking.location, "Tensors into this data file beside OUT")
                     ->type_name("FILE");
  job->add_flag("--strip", flags->strip, "Leave out the contents of tensors");
  command
      ->add_flag("--allow-over-2gib", flags->packing.allow_over_2gib,
                 "Pack beyond 2 GiB, which libraries built on protobuf do not read")
      ->needs(pack);
  add_whole(*command, "--threshold", flags->unpacking.threshold,
            "Tensors of fewer bytes stay in the model (default 1024)")
      ->needs(unpack);
  add_whole(*command, "--alignment", flags->unpacking.alignment,
            "Of each tensor in the data file, a power of two (default 4096)", 0, kMostAlignment)
      ->needs(unpack);
  add_whole(*command, "--max-file-bytes", flags->unpacking.max_file_bytes,
            "Go on in another data file beyond this size; 1 gives each tensor its own")
      ->needs(unpack);
  command->add_flag("--write-checksums", flags->unpacking.checksums, "Write the data file's SHA-1 into the model")
      ->needs(unpack);
  command->add_flag("--verify-checksums", flags->load.options.external_checksums,
                    "Hold IN's data files against their SHA-1");
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = edit(*flags); });
}

}  // namespace norn::cli
