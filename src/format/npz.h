// NumPy's archives of named arrays: ZIP files of .npy entries.
//
// Traps: entry sizes are believed only as far as the file can bear them out, since a ZIP of a few kilobytes may claim
// (or, by entries that overlap, even hold) petabytes. Only the central directory counts, as for every ZIP reader. NumPy
// has no names for bfloat16 and the smaller types; their name stands in the entry's comment, which NumPy ignores.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/field.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn::format {

bool is_zip(const ir::Bytes& bytes) noexcept;

// In the archive's order. Stored arrays share the memory of `bytes` where their alignment allows; every entry's
// checksum is verified. Throws norn::Error.
std::vector<std::pair<std::string, Tensor>> read_npz(const ir::Bytes& bytes, const Limits& limits = {});

// Written beside `path` and renamed. Stored arrays start at multiples of 64 bytes.
void write_npz(std::span<const std::pair<std::string, Tensor>> arrays, const std::string& path, bool compress);

}  // namespace norn::format
