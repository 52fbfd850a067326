// Element-wise operations join the node before them: activations and residual additions behind a contraction or a
// normalisation of channels, and runs of element-wise nodes into one. A node may join if it is the only reader of the
// running value and keeps its shape; its other operands broadcast to that shape. The fused node stands where the last
// of its parts stood, so that every operand is made before it.
//
// Each part still rounds to f32, so the answer changes only where a kernel contracts a multiplication and an addition.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/math/clip/clip.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/tensor/reshape/reshape.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

bool is_contraction(const Node& node) {
  if (!node.parts.empty()) return is_contraction(node.parts.back());  // behind what widens its weights
  return node.op == &ops::Conv || node.op == &ops::Gemm || node.op == &ops::MatMul;
}

// What element-wise operations join that is not one itself: a contraction, or a normalisation of channels or of groups
// of them.
bool leads(const Node& node) {
  if (node.op == &ops::InstanceNormalization && node.parts.empty()) return true;
  if (node.op == &ops::Reshape && node.parts.size() == 2) return node.parts[0].op == &ops::InstanceNormalization;
  return is_contraction(node);
}

bool is_elementwise(const Graph& graph, const Node& node) {
  if (node.op != &ops::Clip) return node.op->elementwise;
  return (node.input(1) == kNone || is_const(graph, node.inputs[1])) &&
         (node.input(2) == kNone || is_const(graph, node.inputs[2]));
}

bool is_f32(const Graph& graph, ValueId id) {
  const opset::ValueType& type = graph.value(id).type;
  return type.is_tensor() && type.elem == DataType::Float;
}

// Sizes that are not known before a run may turn out equal; if they do not, a plan takes the parts one by one.
bool may_have_same_shape(const Graph& graph, ValueId a, ValueId b) {
  const opset::ValueType &ta = graph.value(a).type, &tb = graph.value(b).type;
  return ta.has_rank() && tb.has_rank() &&
         std::equal(ta.shape->begin(), ta.shape->end(), tb.shape->begin(), tb.shape->end(),
                    [](const opset::DimExpr& x, const opset::DimExpr& y) {
                      return x == y || (!x.is_constant() && !y.is_constant());
                    });
}

// The node that the chain which ends in `end` goes on with; kNoNode if it ends there. What nearly fits is noted.
NodeId next_of(Rewriter& rewriter, NodeId start, NodeId end) {
  const Graph& graph = rewriter.graph();
  const ValueId running = rewriter.node(end).results()[0];
  if (graph.value(running).known.constant.defined()) return kNoNode;  // what is known is not computed
  // An element-wise reader, and whether it is the only one.
  NodeId next = rewriter.only_reader(running);
  const bool alone = next != kNoNode;
  if (!alone)
    rewriter.readers(running, [&](NodeId reader) {
      if (reader != kNoNode && is_elementwise(graph, rewriter.node(reader)) && (next == kNoNode || reader < next))
        next = reader;
    });
  if (next == kNoNode) return kNoNode;
  const Node& reader = rewriter.node(next);
  if (!reader.parts.empty() || reader.outputs.size() != 1 || !is_elementwise(graph, reader)) return kNoNode;
  const auto stays = [&](auto&& why) {
    rewriter.nearly("fuse_elementwise", reader, [&] {
      return std::string(reader.op->name) + " could join " + describe_node(rewriter.node(start)) + ", but " + why();
    });
    return kNoNode;
  };
  const auto named = [&](ValueId id) { return "the value \"" + graph.value(id).name + "\""; };
  if (!alone)
    return stays([&] { return named(running) + " has " + std::to_string(rewriter.reads(running)) + " readers"; });
  const ValueId result = reader.outputs[0];
  if (!is_f32(graph, result))
    return stays([&] { return named(result) + " is " + graph.value(result).type.to_string() + ", not float"; });
  if (!may_have_same_shape(graph, running, result))
    return stays([&] {
      return named(result) + " is " + graph.value(result).type.to_string() + ", and " + named(running) + " " +
             graph.value(running).type.to_string();
    });
  return next;
}

}  // namespace

void fuse_elementwise(Program& program, Graph& graph) {
  Rewriter rewriter(program, graph);
  std::vector<NodeId> chain;
  for (bool leading : {true, false}) {
    rewriter.each([&](NodeId n) {
      const Node& node = rewriter.node(n);
      if (node.outputs.size() != 1 || (!node.parts.empty() && !leads(node))) return;
      if (leading ? !leads(node) : !is_elementwise(graph, node)) return;
      if (!is_f32(graph, node.results()[0])) return;
      chain = {n};
      for (NodeId next = n; next != kNoNode; next = next_of(rewriter, n, next))
        if (next != n) chain.push_back(next);
      if (chain.size() > 1) rewriter.fuse(chain);
    });
  }
  rewriter.commit();
}

}  // namespace norn::program
