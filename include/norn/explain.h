// What running a model will do, known before running it; and which of its nodes this build cannot run.
//
//   norn::Session session(model);
//   norn::Explanation found = session.explain();
//   for (const norn::ExplainedStep& step : found.graph.steps) std::cout << step.kernel << '\n';
//   std::cout << found.to_string();  // as `norn explain` prints it
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "norn/export.h"
#include "norn/limits.h"
#include "norn/opset.h"
#include "norn/types.h"

namespace norn {

class Model;

// A tensor that a step reads or writes.
struct ExplainedTensor {
  DataType type = DataType::Undefined;
  Shape dims;
};

struct RefusedKernel {
  std::string kernel, reason;
};

// A rewrite that nearly fitted.
struct MissedPass {
  std::string path;  // of the node
  std::string pass;  // "fuse_elementwise"
  std::string reason;
};

struct ExplainedOperation {
  std::string op_type;             // "Conv", "ai.onnx.ml.Scaler"
  std::vector<std::string> paths;  // the document's nodes that it came from, the one that names it first
  // Empty for what a pass put in without a counterpart in the document.
  const std::string& path() const {
    static const std::string none;
    return paths.empty() ? none : paths.front();
  }
};

struct ExplainedStep;

// A graph: the main one, or the body of a node of control flow. What is planned ahead is the first segment: steps until
// a size is needed that is known only when the model runs.
struct ExplainedGraph {
  std::string name;
  std::string attribute;  // of a body: "then_branch"
  bool planned = true;
  std::string why_not;  // where it is not planned ahead: why
  std::vector<ExplainedStep> steps;
  std::vector<ExplainedOperation> views;              // of their input, which need no step
  std::vector<ExplainedOperation> known_from_shapes;  // whose outputs need no computing
  std::vector<ExplainedStep> waiting;  // for sizes that earlier steps compute; only the node is known of these
  std::size_t arena_bytes = 0, scratch_bytes = 0;
};

// One thing that a run does.
struct ExplainedStep {
  std::vector<ExplainedOperation> operations;  // several of them where a kernel takes what is fused
  // "matmul (brgemm)", "reference", "control flow", "chosen when run" (by contents); "" of a waiting node
  std::string kernel;
  std::vector<RefusedKernel> refused;  // kernels before it that do not take the node
  std::vector<ExplainedTensor> inputs, outputs;
  bool late = false;  // its outputs' sizes are known only when it has run, or they are not tensors; `outputs` is empty
  std::vector<MissedPass> missed_passes;
  std::vector<ExplainedGraph> graphs;  // of control flow: its bodies
  std::string donated;  // the input in whose memory it writes if that is donated (RunOptions::donated); "" for none
};

// A node that this build cannot run.
struct UnrunnableNode {
  std::string where;  // graph "main" / node 3 "conv1" (Conv)
  std::string op_type, domain;
  std::int64_t version = 0;  // of the operator set that is in force; 0 if none is imported
  // "unknown_operator", "no_kernel", "deprecated", "not_in_version", "not_imported"; static storage
  std::string_view reason;
  std::string message, hint;
};

struct NORN_API Explanation {
  ExplainedGraph graph;
  std::vector<MissedPass> missed_passes;   // of nodes that have no step here
  std::uint64_t more_missed_passes = 0;    // that were counted but not kept
  std::vector<UnrunnableNode> unrunnable;  // if there is one, nothing else is known
  bool runnable() const noexcept { return unrunnable.empty(); }

  std::string to_string() const;  // a page for a terminal
  std::string to_json() const;    // the fields
};

// Every node that keeps a Session from being made because this build cannot run its operator: in all graphs, and in the
// bodies of functions that are called (each of them once, at its first call).
NORN_API std::vector<UnrunnableNode> unrunnable_nodes(const Model& model,
                                                      const std::vector<OperatorSet>& operator_sets = {},
                                                      const Limits& limits = {});

}  // namespace norn
