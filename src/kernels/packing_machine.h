// What decides, beside its recipe, how a packed constant looks: what this build's kernels were compiled of, by what and
// with which flags, Highway, oneDNN, the CPU and the instruction sets in use. Packed forms are for programs and
// machines with the same text only.
#pragma once
#include <string>

namespace norn::kernels {

const std::string& packing_machine();

}  // namespace norn::kernels
