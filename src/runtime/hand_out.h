// Outputs of a run are the caller's to write into.
#pragma once
#include <span>

#include "norn/value.h"

namespace norn::runtime {

// Copies those of `outputs`, and what sequences and maps among them hold, that lie in memory of one of `others` or of
// an output before it. Pieces of one tensor that lie one behind the other in maps stay.
void copy_overlapping_outputs(std::span<Value> outputs, std::span<const Value> others);

}  // namespace norn::runtime
