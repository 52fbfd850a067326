// Edits that never load what they do not change: a model of any size, in place or to another file.
#pragma once
#include <cstdint>
#include <string>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/model.h"

namespace norn {

struct PackOptions {
  // Write a model of 2 GiB or more, too. ONNX keeps a message below that, and protobuf libraries read no larger one.
  bool allow_over_2gib = false;
};

struct UnpackOptions {
  std::string location;            // beside the model; "" is "<model file name>.data", or "...-2.data" if it is taken
  std::uint64_t threshold = 1024;  // tensors of fewer bytes stay in the model
  std::uint64_t alignment = 4096;  // of each tensor in the file: a power of two; 1 leaves no gaps
  // Go on in another file ("name-2.data") beyond this size; 1 gives each tensor its own, 0 is one file.
  std::uint64_t max_file_bytes = 0;
  bool checksums = false;  // write the file's SHA-1 into each tensor's entry
};

// Each reads the model at `in` and writes `out` (which may be `in`), with its data files, all of them atomically:
// temporary files, synced, renamed. Memory stays small whatever the tensors' size. Throw norn::Error.
// Data files that a model no longer refers to stay: other models may need them. For the same reason a data file is
// never written over unless it holds the same bytes. All else in the model stays as it is, byte for byte.

// All tensors into the one model file. The inverse of unpack, but for tensors that kept their numbers in typed fields.
NORN_API void pack(const std::string& in, const std::string& out, const PackOptions& pack = {},
                   const LoadOptions& options = {});
// Initializers and attributes' tensors into a data file beside `out` with the model's permissions. Strings stay, and
// what few readers look for outside: parts of sparse tensors, training information, functions' defaults of attributes
// and initializers of graphs in functions.
NORN_API void unpack(const std::string& in, const std::string& out, const UnpackOptions& unpack = {},
                     const LoadOptions& options = {});
// Without tensor contents: names, types and shapes stay. What remains shows the structure and cannot be run.
NORN_API void strip(const std::string& in, const std::string& out, const LoadOptions& options = {});

// The same for models from anywhere, whose load_options() say how their data files may be read. Packed tensors stay in
// the mapped files until they are read.
NORN_API Model pack(const Model& model, const PackOptions& pack = {});
NORN_API void pack(const Model& model, const std::string& out, const PackOptions& pack = {});
NORN_API void unpack(const Model& model, const std::string& out, const UnpackOptions& unpack = {});
NORN_API Model strip(const Model& model);
NORN_API void strip(const Model& model, const std::string& out);

}  // namespace norn
