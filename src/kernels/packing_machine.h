// What a packed constant depends on beside its recipe: the sources, compiler and flags of this build's kernels,
// Highway, oneDNN, the CPU and the instruction sets in use. Packed forms are for programs and machines with the same
// text only.
#pragma once
#include <string>

namespace norn::kernels {

const std::string& packing_machine();

}  // namespace norn::kernels
