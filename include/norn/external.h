// External tensor data, one tensor or file at a time, under the same rules as loading a model: a location names a
// regular file of one name beneath the model's folder, unless LoadOptions permits more. A `base_dir` of "" is the
// current folder.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/model.h"

namespace norn {

// The bytes of a TensorProto's data, as raw_data would hold them, out of the data file that it names (or raw_data
// itself). Throws norn::Error.
NORN_API SharedBytes load_external_tensor(std::span<const std::byte> tensor, const std::string& base_dir,
                                          const LoadOptions& options = {});

// An open data file. The descriptor is the caller's to close.
struct ExternalDataFile {
  int fd = -1;
  std::string path;  // where it was found
  std::uint64_t size = 0;
};
NORN_API ExternalDataFile open_external(const std::string& location, const std::string& base_dir,
                                        const LoadOptions& options = {});

// Appends a TensorProto's raw_data to the data file that its external_data names, made if need be, at a multiple of
// `alignment` or at the offset it names (which has to be the file's end, or at most 64 KiB behind). Returns the
// TensorProto that refers to it, without raw_data.
NORN_API std::vector<std::byte> save_external_tensor(std::span<const std::byte> tensor, const std::string& base_dir,
                                                     std::uint64_t alignment = 4096);

}  // namespace norn
