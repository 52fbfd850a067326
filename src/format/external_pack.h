// A model's tensors between the model file and data files, and away altogether; all else stays as it is.
#pragma once
#include <cstdint>
#include <string>

#include "format/external_write.h"
#include "ir/model.h"

namespace norn::format {

// Every external tensor's bytes become raw_data: views of the data files, mapped in `files`.
void pack_tensors(ir::Model& model, const std::string& base_dir, const ExternalAccess& access, MappedFiles& files);

// Initializers and attributes' tensors of at least `threshold` bytes go to `writer`. Smaller ones that were external
// come into the model. Strings, what is not well-formed and what few readers look for outside stay where they are.
void unpack_tensors(ir::Model& model, std::uint64_t threshold, const std::string& base_dir,
                    const ExternalAccess& access, MappedFiles& files, DataFileWriter& writer);

// Removes the contents of every tensor and where they were.
void strip_tensors(ir::Model& model);

}  // namespace norn::format
