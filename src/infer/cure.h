// Hints for errors of operators, by the kind of the fault and by the node's inputs.
#pragma once
#include <span>
#include <string>

#include "infer/infer_node.h"

namespace norn::infer {

std::string cure_of(const Error& error, const opset::Attrs& attrs, std::span<const opset::InferContext::Input> inputs,
                    const InputNames* names);

}  // namespace norn::infer
