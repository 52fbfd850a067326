// Element-wise operations join the node before them: activations and residual additions behind a contraction, and runs
// of element-wise nodes into one. A node may join if it is the only reader of the running value and keeps its shape;
// its other operands broadcast to that shape. The fused node stands where the last of its parts stood, so that every
// operand is made before it.
//
// Each part still rounds to f32, so the answer changes only where a kernel contracts a multiplication and an addition.
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "ops/nn/conv/conv.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

bool is_contraction(const Node& node) {
  return node.op == &ops::Conv || node.op == &ops::Gemm || node.op == &ops::MatMul;
}

bool is_elementwise(const Graph& graph, const Node& node) {
  static const opset::Operator* const kUnary[] = {&ops::Relu, &ops::Abs,     &ops::Neg,  &ops::Exp,     &ops::Sqrt,
                                                  &ops::Erf,  &ops::Sigmoid, &ops::Tanh, &ops::Softsign};
  static const opset::Operator* const kMany[] = {&ops::Add, &ops::Sub, &ops::Mul, &ops::Div,
                                                 &ops::Max, &ops::Min, &ops::Sum};
  for (const opset::Operator* op : kUnary)
    if (node.op == op) return true;
  for (const opset::Operator* op : kMany)
    if (node.op == op) return node.inputs.size() > 1;
  if (node.op == &ops::Clip)
    return (node.input(1) == kNone || is_const(graph, node.inputs[1])) &&
           (node.input(2) == kNone || is_const(graph, node.inputs[2]));
  return false;
}

bool is_f32(const Graph& graph, ValueId id) {
  const opset::ValueType& type = graph.value(id).type;
  return type.is_tensor() && type.elem == DataType::Float;
}

bool same_shape(const Graph& graph, ValueId a, ValueId b) {
  const opset::ValueType &ta = graph.value(a).type, &tb = graph.value(b).type;
  return ta.has_rank() && tb.has_rank() && *ta.shape == *tb.shape;
}

// Which input of `reader` is `running`, if it may take it as the running value.
int joins(const Graph& graph, const Node& reader, ValueId running) {
  if (!reader.op || !reader.post.empty() || reader.outputs.size() != 1 || !is_elementwise(graph, reader)) return -1;
  if (!same_shape(graph, running, reader.outputs[0]) || !is_f32(graph, reader.outputs[0])) return -1;
  for (std::size_t i = 0; i < reader.inputs.size(); ++i)
    if (reader.inputs[i] == running) return static_cast<int>(i);
  return -1;
}

void extend(Graph& graph, UseIndex& uses, std::size_t at) {
  for (;;) {
    Node& node = graph.nodes[at];
    const ValueId running = node.outputs[0];
    const int next = uses.only_reader(running);
    if (next < 0 || graph.value(running).known.constant.defined()) return;  // what is known is not computed
    Node& reader = graph.nodes[static_cast<std::size_t>(next)];
    const int input = joins(graph, reader, running);
    if (input < 0) return;
    PostOp post;
    post.op = reader.op;
    post.schema = reader.schema;
    post.attrs = std::move(reader.attrs);
    post.inputs = std::move(reader.inputs);
    post.inputs[static_cast<std::size_t>(input)] = kNone;
    post.running = input;
    post.carried = running;
    post.path = reader.path();
    Node fused = std::move(node);
    node.op = nullptr;
    fused.post.push_back(std::move(post));
    fused.outputs = reader.outputs;
    fused.paths.insert(fused.paths.end(), reader.paths.begin(), reader.paths.end());
    reader = std::move(fused);
    at = static_cast<std::size_t>(next);
  }
}

}  // namespace

void fuse_elementwise(Graph& graph) {
  UseIndex uses(graph);
  for (bool contractions : {true, false}) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      Node& node = graph.nodes[i];
      if (!node.op || node.outputs.size() != 1 || !node.post.empty()) continue;
      if (contractions ? !is_contraction(node) : !is_elementwise(graph, node)) continue;
      if (!is_f32(graph, node.outputs[0])) continue;
      extend(graph, uses, i);
    }
  }
  compact(graph);
}

}  // namespace norn::program
