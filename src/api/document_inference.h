// What the public inference and the checker give infer_document(): evaluation by reference kernels, operator sets, and
// where external tensors are.
#pragma once
#include <vector>

#include "infer/document.h"
#include "norn/limits.h"
#include "norn/model.h"
#include "norn/opset.h"

namespace norn {

// The sets have to outlive the options.
infer::DocumentOptions document_options(const std::vector<OperatorSet>& sets, const Limits& limits);
infer::DocumentOptions document_options(const Model& model, const std::vector<OperatorSet>& sets, const Limits& limits);

}  // namespace norn
