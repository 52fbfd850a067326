// Tensor data kept in files beside the model.
//
// An entry is a list of strings (location, offset, length, checksum); path_policy.h decides which file a location may
// name. A file is opened once and shared by all tensors in it. Its contents are read when they are needed.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/path_policy.h"
#include "ir/tensor_data.h"
#include "norn/model.h"

namespace norn::format {

// A tensor's external_data.
struct ExternalEntry {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;    // to the file's end
  std::optional<std::string> checksum;    // SHA-1 of the whole file, hexadecimal, in lower case
  std::vector<std::string> unknown_keys;  // neither these nor "basepath"
};
// Throws norn::Error (InvalidGraph, at the tensor): no location or a misspelt one, numbers that are none, a key with
// two values, a checksum that is not a SHA-1.
ExternalEntry parse_external(const ir::Tensor& tensor);

// Bytes that the entry takes of a file of `size` bytes; throws norn::Error (InvalidGraph) if it does not lie in there.
std::uint64_t checked_length(const ExternalEntry& entry, std::uint64_t size, const std::string& path);

struct ExternalAccess {
  PathPolicy policy;
  bool mmap = true;
  bool checksums = false;
  std::uint64_t max_bytes = Limits().max_tensor_bytes;  // of one tensor
  norn::ExternalReader reader;
};
ExternalAccess external_access(const LoadOptions& options);

// For a model in `base_dir` ("" if it did not come from a file: then every external tensor is an error). The reader may
// be copied and used from several threads. With mmap=false, each read copies out of the file what it needs.
ir::ExternalReader external_reader(std::string base_dir, ExternalAccess access = {});

// A file that holds tensors of a model in `base_dir`.
struct ExternalFile {
  std::string location;  // as the model spells it
  OpenedFile file;
};
// The data files of a model, each once; locations that name no existing file are passed over, since a document may be
// broken. Throws norn::Error for a file that the policy refuses.
std::vector<ExternalFile> external_files(const ir::Model& model, const std::string& base_dir,
                                         const PathPolicy& policy = {});

// SHA-1 of a file's first `size` bytes, or of memory, in lower-case hexadecimal.
std::string sha1(int fd, std::uint64_t size, const std::string& path);
std::string sha1(std::span<const std::byte> bytes);
// Throws norn::Error (InvalidGraph) if a file's SHA-1 is not what the model expects.
void check_digest(const std::string& path, const std::string& is, const std::string& expected);

}  // namespace norn::format
