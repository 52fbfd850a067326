// A data file's content, read once: its kind, its names and its values have to be those of the same bytes, whatever
// becomes of the file meanwhile.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "norn/data.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn {

// An .npy or .npz file, by its content or its name.
bool is_numpy(const std::string& path, const base::FileBytes& file);

// Every value of a file read from `path`, by name; without `kind`, data_kind() tells. Throws norn::Error, at `path`.
std::vector<std::pair<std::string, Value>> values_of(const std::string& path, const base::FileBytes& file,
                                                     const Limits& limits, std::optional<DataKind> kind);

}  // namespace norn
