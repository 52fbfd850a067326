// Inference of one node: type check against the schema, the slice's own function, then evaluation of known contents.
#pragma once
#include <span>
#include <string>

#include "opset/infer_context.h"

namespace norn::infer {

// Computes a node's outputs from constant inputs; the reference library supplies one. Without it contents stay unknown.
using Evaluator = std::vector<Value> (*)(const opset::Operator&, const opset::Attrs&,
                                         std::span<const Value* const> inputs, int output_count);

// Constants of more elements than this are not carried through inference (folding is a pass's business).
inline constexpr std::int64_t kSmall = 1024;

// Fills `outputs`. Checks number and types of inputs against the schema (type variables bound consistently), calls the
// operator's function and, if it left an output's contents unknown although every input is a small constant, evaluates.
// Output types that the function left unknown but the schema determines (a bound type variable) are filled in, without
// a shape. Throws norn::Error (InvalidGraph) that tells what does not fit, with input types; the caller adds the node.
void infer_node(const opset::Operator& op, const opset::Attrs& attrs,
                std::span<const opset::InferContext::Input> inputs, std::span<opset::InferContext::Output> outputs,
                opset::InferContext::Engine& engine, Evaluator evaluator = nullptr);

}  // namespace norn::infer
