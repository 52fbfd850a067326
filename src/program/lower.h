// From document to Program.
#pragma once
#include <memory>
#include <vector>

#include "ir/operator_set.h"
#include "ir/tensor_data.h"
#include "norn/limits.h"
#include "program/program.h"

namespace norn::program {

struct LowerOptions {
  Limits limits;
  // Sets that declare operators beyond the built-in ones. Only read while lowering.
  std::vector<const ir::OperatorSet*> operator_sets;
  ir::ExternalReader external;  // how to read external tensors
  // Up to IR 3 every initializer is an input too, its default. Keep the main graph's as inputs that callers may feed;
  // without this they are constants, which is what kernels and passes want.
  bool feedable_weights = false;
  // Keep nodes whose function body depends on sizes, or other types, that are not known: Program::waits is set then. If
  // not, they are refused.
  bool may_wait = false;
  // Keep what training updates as State. A session that only infers takes those initializers as constants.
  bool keep_state = false;
};

// Throws norn::Error (InvalidGraph, NotImplemented, LimitExceeded) with the place in the document.
Program lower(const ir::Model& model, const LowerOptions& options);

// The Program as a document at the newest opset; fused nodes are written as the nodes they stand for.
ir::Model to_model(const Program& program);

}  // namespace norn::program
