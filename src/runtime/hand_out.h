// Outputs of a run are the caller's to write into.
#pragma once
#include <span>

#include "norn/value.h"

namespace norn::runtime {

// Copies those of `outputs`, and what sequences and maps among them hold, that lie in memory of one of `others` or of
// an output before it.
void part(std::span<Value> outputs, std::span<const Value> others);

}  // namespace norn::runtime
