// Standard input and output as files named "-".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "norn/model.h"

namespace norn::cli {

// What reports and errors call it.
inline constexpr char kStandardInput[] = "standard input";
// All of standard input; the same bytes at every call.
SharedBytes read_input();
// Throws norn::Error (Io).
void write_output(std::span<const std::byte> bytes);
// Standard output is buffered: only this tells whether what was printed has been written. Throws norn::Error (Io).
void flush_output();

}  // namespace norn::cli
