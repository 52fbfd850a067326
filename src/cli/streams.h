// Standard input and output as files named "-".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norn/model.h"

namespace norn::cli {

// What reports and errors call it.
inline constexpr char kStandardInput[] = "standard input";
// So that no file that is opened later takes the descriptor of a standard stream that is closed, and gets what is
// written there. Reading from it, or writing to it, still fails.
void keep_standard_descriptors() noexcept;
// All of standard input; the same bytes at every call. Throws norn::Error (Io, LimitExceeded).
SharedBytes read_input(const Limits& limits = {});
// A small file: text, an image. Throws norn::Error (NoSuchFile, Io, LimitExceeded).
std::string read_text(const std::string& path);
// A file whose name is a user's; "-" is standard output. Throws norn::Error (Io).
void write_text(const std::string& path, std::string_view text);
// Throws norn::Error (Io).
void write_output(std::span<const std::byte> bytes);
// Standard output is buffered: only this shows whether what was printed has been written. Throws norn::Error (Io).
void flush_output();

}  // namespace norn::cli
