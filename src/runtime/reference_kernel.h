// The last candidate of every node: its slice's reference kernel, behind the interface of fast kernels.
#pragma once
#include <memory>
#include <vector>

#include "kernels/kernel.h"
#include "opset/reference.h"
#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

// `inputs` and `outputs` parallel the node's; an entry with dtype Undefined is omitted.
std::unique_ptr<kernels::Kernel> make_reference_kernel(const program::Node& node, opset::ReferenceFn run,
                                                       std::vector<StaticType> inputs, std::vector<StaticType> outputs);

// Copies `bytes` bytes from its input to its output.
std::unique_ptr<kernels::Kernel> make_copy_kernel(std::size_t bytes);

}  // namespace norn::runtime
