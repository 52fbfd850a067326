// Standard input and output as files named "-".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "norn/model.h"

namespace norn::cli {

// All of standard input; the same bytes at every call.
SharedBytes read_input();
// Throws norn::Error (Io).
void write_output(std::span<const std::byte> bytes);

}  // namespace norn::cli
