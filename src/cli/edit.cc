// norn edit: surgery on a file of any size. Where tensors lie: all in the model, in a data file beside it, or nowhere.
#include "norn/edit.h"

#include <memory>

#include "command.h"

namespace norn::cli {

namespace {

struct EditFlags {
  std::string in, out;
  bool pack = false, strip = false, hf_cache = false;
  PackOptions packing;
  UnpackOptions unpacking;
  LoadOptions load;
};

int edit(EditFlags flags) {
  if (flags.hf_cache) flags.load.external = ExternalPolicy::HfCache;
  if (flags.pack) pack(flags.in, flags.out, flags.packing, flags.load);
  else if (flags.strip) strip(flags.in, flags.out, flags.load);
  else unpack(flags.in, flags.out, flags.unpacking, flags.load);
  return kFine;
}

}  // namespace

void add_edit(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("edit", "Change where a model's tensors lie, without loading them");
  auto flags = std::make_shared<EditFlags>();
  command->add_option("in", flags->in, "The model")->required()->type_name("IN");
  command->add_option("out", flags->out, "Where to write it; may be IN")->required()->type_name("OUT");
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
  command->add_flag("--verify-checksums", flags->load.external_checksums, "Hold IN's data files against their SHA-1");
  command->add_flag("--hf-cache", flags->hf_cache, "Allow the Hugging Face cache's links into blobs/");
  command->add_option("--external-root", flags->load.external_roots, "A further folder that data files may lie in")
      ->type_name("FOLDER");
  command->add_flag("--hard-links", flags->load.external_hard_links, "Allow data files of several names");
  command->callback([flags, &exit] { exit = edit(*flags); });
}

}  // namespace norn::cli
