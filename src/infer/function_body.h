// The function body of an operator that ONNX defines by other operators, for one node.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ir/model.h"
#include "opset/attrs.h"
#include "opset/value_type.h"

namespace norn::infer {

// The function that a node of `op` with these attributes calls: `inputs` are types (null where omitted), `outputs` says
// which of them are wanted, `constants` the contents of inputs that have some (null where not), or nothing. Null if
// this version of the operator has no body. Formal inputs, outputs and attributes have the schema's names, attributes
// the schema's defaults; the nodes' operator sets are those the body imports. A body that imports none holds graphs of
// the node's: it has the caller's imports, its nodes see the names around the call, and the formals' names begin with
// "__". Bodies are parsed once and shared. Throws norn::Error where the node contradicts the operator (InvalidGraph) or
// its body depends on a type that is not known (NotImplemented).
std::shared_ptr<const ir::Function> function_body(const opset::Operator& op, const opset::Attrs& attrs,
                                                  std::span<const opset::ValueType* const> inputs,
                                                  const std::vector<bool>& outputs,
                                                  std::span<const norn::Tensor* const> constants = {});

}  // namespace norn::infer
