// norn edit: surgery on a file of any size. Where tensors lie: all in the model, in a data file beside it, or nowhere.
#include "norn/edit.h"

#include <memory>

#include "command.h"
#include "streams.h"

namespace norn::cli {

namespace {

struct EditFlags {
  std::string in, out;
  bool pack = false, strip = false;
  PackOptions packing;
  UnpackOptions unpacking;
  LoadFlags load;
};

// Files are edited where they lie; what comes or goes through a pipe is edited in memory.
int edit(const EditFlags& flags) {
  const LoadOptions& loading = flags.load.options;
  const bool unpack_it = !flags.pack && !flags.strip;
  if (unpack_it && flags.out == "-") {
    throw UsageError("tensors cannot go to a data file beside standard output", "name OUT");
  }
  if (flags.in != "-" && flags.out != "-") {
    if (flags.pack) pack(flags.in, flags.out, flags.packing, loading);
    else if (flags.strip) strip(flags.in, flags.out, loading);
    else unpack(flags.in, flags.out, flags.unpacking, loading);
    return kFine;
  }
  const Model model = load_model(flags.in, loading);
  if (unpack_it) {
    unpack(model, flags.out, flags.unpacking);
    return kFine;
  }
  const Model edited = flags.pack ? pack(model, flags.packing) : strip(model);
  if (flags.out == "-") write_output(edited.serialize());
  else edited.save(flags.out);
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
  command->add_flag("--allow-over-2gib", flags->packing.allow_over_2gib,
                    "Pack beyond 2 GiB, which libraries built on protobuf do not read")->needs(pack);
  command->add_option("--threshold", flags->unpacking.threshold,
                      "Tensors of fewer bytes stay in the model (default 1024)")->needs(unpack);
  command->add_option("--alignment", flags->unpacking.alignment,
                      "Of each tensor in the data file (default 4096)")->needs(unpack);
  command->add_option("--max-file-bytes", flags->unpacking.max_file_bytes,
                      "Go on in another data file beyond this size; 1 gives each tensor its own")->needs(unpack);
  command->add_flag("--write-checksums", flags->unpacking.checksums, "Write the data file's SHA-1 into the model")
      ->needs(unpack);
  command->add_flag("--verify-checksums", flags->load.options.external_checksums,
                    "Hold IN's data files against their SHA-1");
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = edit(*flags); });
}

}  // namespace norn::cli
