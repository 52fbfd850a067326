// Joins what follows a product of integers to it, so that its sums become the result while they are at hand: their
// scaling to float, a bias and quantization; or, behind what is quantized already, its addition to another quantized
// tensor; or, behind a convolution, what makes places of an image of channels. Element-wise operations on dequantized
// values are joined with the quantization behind them.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/shape.h"
#include "ops/tensor/transpose/transpose.h"
#include "program/quantized.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

class Joining {
 public:
  Joining(Program& program, Graph& graph) : rewriter_(program, graph), graph_(graph) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      const opset::Operator* op = rewriter_.node(n).op;
      if (!rewriter_.node(n).parts.empty()) return;
      if (op == &ops::QLinearConv || op == &ops::QLinearMatMul) join_quantized(n);
      if (op == &ops::MatMulInteger || op == &ops::ConvInteger) join_sums(n);
    });
    const auto ends_chain = [&](NodeId n) {
      const Node& node = rewriter_.node(n);
      return node.op == &ops::QuantizeLinear && node.parts.empty() && quantizing(graph_, node);
    };
    // From the end, so that the longest come first.
    rewriter_.each_backward([&](NodeId n) {
      if (ends_chain(n)) join_table(n);
    });
    rewriter_.each([&](NodeId n) {
      const Node& node = rewriter_.node(n);
      if (node.parts.empty() && quantizes_by_one(graph_, node)) join_backward(n);
    });
    rewriter_.commit();
  }

 private:
  ValueId made_by(NodeId n) const { return rewriter_.node(n).outputs[0]; }
  // The only reader of what `n` gives, of one output of the same shape; kNoNode if there is none.
  NodeId next(NodeId n) const {
    const NodeId reader = rewriter_.only_reader(made_by(n));
    if (reader == kNoNode) return kNoNode;
    const Node& node = rewriter_.node(reader);
    if (node.outputs.size() != 1 || !node.parts.empty() || !node.subgraphs.empty()) return kNoNode;
    return same_shape(made_by(n), node.outputs[0]) ? reader : kNoNode;
  }
  bool same_shape(ValueId a, ValueId b) const {
    const opset::ValueType &ta = graph_.value(a).type, &tb = graph_.value(b).type;
    return ta.has_rank() && tb.has_rank() && *ta.shape == *tb.shape;
  }
  bool is(NodeId n, const opset::Operator& op) const { return n != kNoNode && rewriter_.node(n).op == &op; }
  ValueId other_input(NodeId n, ValueId running) const {
    const Node& node = rewriter_.node(n);
    return node.inputs.size() != 2 ? kNone : node.inputs[0] == running ? node.inputs[1] : node.inputs[0];
  }
  void nearly(NodeId n, const char* reason) {
    const Node& node = rewriter_.node(n);
    rewriter_.nearly("fuse_quantized", node,
                     [&] { return std::string(node.op->name) + " could be joined with what follows, but " + reason; });
  }
  void fuse(const std::vector<NodeId>& chain) {
    if (chain.size() > 1) rewriter_.fuse(chain);
  }

  // The only reader of what `n` gives, of one output.
  NodeId next_of_any_shape(NodeId n, const opset::Operator& op) const {
    const NodeId reader = n == kNoNode ? kNoNode : rewriter_.only_reader(made_by(n));
    if (!is(reader, op)) return kNoNode;
    const Node& node = rewriter_.node(reader);
    return node.parts.empty() && node.inputs[0] == made_by(n) ? reader : kNoNode;
  }
  // Whether a plan that knows x's sizes knows these numbers: they follow from constants and from sizes of x, by few
  // nodes.
  bool follow_from_sizes(ValueId numbers, ValueId x) const {
    constexpr std::size_t kMostNumbers = 64;
    std::vector<ValueId> found = {numbers};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (is_const(graph_, found[i])) continue;
      const NodeId n = rewriter_.producer(found[i]);
      if (n == kNoNode) return false;
      const Node& node = rewriter_.node(n);
      if (node.op == &ops::Shape && node.inputs[0] == x) continue;
      if ((node.op != &ops::Concat && node.op != &ops::Add && node.op != &ops::Mul) || !node.parts.empty())
        return false;
      for (const ValueId input : node.inputs)
        if (std::find(found.begin(), found.end(), input) == found.end()) found.push_back(input);
      if (found.size() > kMostNumbers) return false;
    }
    return true;
  }
  // Reshape Transpose Reshape by which channels become blocks of places, as behind DepthToSpace (DCR).
  std::vector<NodeId> places(NodeId conv, NodeId n) const {
    const NodeId apart = next_of_any_shape(n, ops::Reshape), moved = next_of_any_shape(apart, ops::Transpose),
                 joined = next_of_any_shape(moved, ops::Reshape);
    if (joined == kNoNode) return {};
    const opset::ValueType& type = graph_.value(made_by(apart)).type;
    if (!type.has_rank() || type.shape->size() % 2 != 0 || type.shape->size() < 4) return {};
    const auto rank = static_cast<std::int64_t>(type.shape->size()) / 2 - 1;
    const auto perm = ops::resolve_transpose(NodeParameters(rewriter_.node(moved)), 2 * rank + 2);
    if (!perm || (*perm)[0] != 0 || (*perm)[1] != rank + 1) return {};
    for (std::int64_t d = 0; d < rank; ++d)
      if ((*perm)[static_cast<std::size_t>(2 + 2 * d)] != rank + 2 + d ||
          (*perm)[static_cast<std::size_t>(3 + 2 * d)] != 1 + d)
        return {};
    const ValueId x = rewriter_.node(conv).inputs[0];
    for (const NodeId reshape : {apart, joined})
      if (!follow_from_sizes(rewriter_.node(reshape).inputs[1], x)) return {};
    return {apart, moved, joined};
  }

  // [Clip] [DequantizeLinear Add [Relu] QuantizeLinear], or [Clip] [Reshape Transpose Reshape]
  void join_quantized(NodeId n) {
    std::vector<NodeId> chain = {n};
    NodeId at = next(n);
    if (is(at, ops::Clip)) {
      const Node& clip = rewriter_.node(at);
      for (std::size_t i = 1; i < 3; ++i)
        if (clip.input(i) != kNone && !is_const(graph_, clip.inputs[i]))
          return nearly(n, "the bounds of the Clip behind it are not constant");
      chain.push_back(at);
      at = next(at);
    }
    if (is(n, ops::QLinearConv)) {
      const std::vector<NodeId> moves = places(n, chain.back());
      if (!moves.empty()) {
        chain.insert(chain.end(), moves.begin(), moves.end());
        return fuse(chain);
      }
    }
    std::vector<NodeId> addition = chain;
    if (is(at, ops::DequantizeLinear) && dequantizing(graph_, rewriter_.node(at))) {
      const NodeId add = next(at);
      addition.insert(addition.end(), {at, add});
      if (is(add, ops::Add) && adds_dequantized(add, made_by(at))) {
        NodeId last = next(add);
        if (is(last, ops::Relu)) {
          addition.push_back(last);
          last = next(last);
        }
        if (is(last, ops::QuantizeLinear) && quantizing(graph_, rewriter_.node(last))) {
          addition.push_back(last);
          return fuse(addition);
        }
        nearly(n, "the sum behind it is not quantized by one scale, and by nothing else");
      } else if (is(add, ops::Add)) {
        nearly(n, "what is added behind it is not dequantized, or of another shape");
      }
    }
    fuse(chain);
  }
  bool adds_dequantized(NodeId add, ValueId running) const {
    const ValueId other = other_input(add, running);
    if (other == kNone || other == running || rewriter_.producer(other) == kNoNode) return false;
    return same_shape(other, running) && dequantizing(graph_, rewriter_.node(rewriter_.producer(other)));
  }

  // [Add] [Cast [Mul] [Add] [Relu] [QuantizeLinear]]
  void join_sums(NodeId n) {
    std::vector<NodeId> chain = {n};
    NodeId at = next(n);
    const auto take = [&] {
      chain.push_back(at);
      at = next(at);
    };
    if (is(at, ops::Add)) take();
    if (is(at, ops::Cast) && is_float_value(graph_, made_by(at))) {
      take();
      if (is(at, ops::Mul)) take();
      if (is(at, ops::Add)) take();
      if (is(at, ops::Relu)) {
        const NodeId last = next(at);
        if (is(last, ops::QuantizeLinear) && quantizing(graph_, rewriter_.node(last))) take();
      }
      if (is(at, ops::QuantizeLinear) && quantizing(graph_, rewriter_.node(at))) take();
    }
    fuse(chain);
  }

  bool is_elementwise(const Node& node) const {
    if (node.op != &ops::Clip) return node.op->elementwise;
    return (node.input(1) == kNone || is_const(graph_, node.inputs[1])) &&
           (node.input(2) == kNone || is_const(graph_, node.inputs[2]));
  }

  bool is_single(ValueId id) const { return is_const(graph_, id) && graph_.value(id).constant.size() == 1; }
  // The node that makes a value of the shape of `like` which nothing else reads; kNoNode if it is not that.
  NodeId only_maker(ValueId id, ValueId like) const {
    const NodeId maker = rewriter_.producer(id);
    if (maker == kNoNode || rewriter_.reads(id) != 1 || !same_shape(id, like)) return kNoNode;
    const Node& node = rewriter_.node(maker);
    return node.parts.empty() && node.outputs.size() == 1 ? maker : kNoNode;
  }

  // Element-wise operations before a QuantizeLinear that depend on one quantized value only, and on numbers, although
  // they may be dequantized and quantized again in between: a table for its integers says what they give.
  void join_table(NodeId n) {
    std::vector<NodeId> chain = {n};  // last to first
    const ValueId y = made_by(n);
    ValueId source = kNone;
    for (ValueId running = rewriter_.node(n).inputs[0]; running != kNone;) {
      const NodeId maker = only_maker(running, y);
      if (maker == kNoNode || !is_elementwise(rewriter_.node(maker)) || !is_float_value(graph_, running)) return;
      chain.push_back(maker);
      ValueId before = kNone;
      std::vector<NodeId> between;  // dequantization and quantization
      for (const ValueId id : rewriter_.node(maker).inputs) {
        if (id == kNone || is_single(id)) continue;
        const NodeId from = rewriter_.producer(id);
        if (from == kNoNode || !same_shape(id, y)) return;
        const Node& reader = rewriter_.node(from);
        if (!dequantizing(graph_, reader)) {
          if (before != kNone || !is_elementwise(reader)) return;
          before = id;
          continue;
        }
        const ValueId integers = reader.inputs[0];
        const NodeId quantizer = integers == source ? kNoNode : only_maker(integers, y);
        if (before == kNone && quantizer != kNoNode && quantizing(graph_, rewriter_.node(quantizer)) &&
            only_maker(id, y) == from) {
          between = {from, quantizer};
          before = rewriter_.node(quantizer).inputs[0];
        } else if (source == kNone || source == integers) {
          source = integers;
        } else {
          return;
        }
      }
      chain.insert(chain.end(), between.begin(), between.end());
      running = before;
    }
    if (source == kNone || chain.size() < 2) return;
    std::reverse(chain.begin(), chain.end());
    rewriter_.fuse(chain);
  }

  // Element-wise operations before a QuantizeLinear, the first of which reads what is dequantized.
  void join_backward(NodeId n) {
    std::vector<NodeId> chain = {n};  // last to first
    bool reads_quantized = false;
    for (ValueId running = rewriter_.node(n).inputs[0];;) {
      const NodeId maker = rewriter_.producer(running);
      if (maker == kNoNode || rewriter_.reads(running) != 1) break;
      const Node& node = rewriter_.node(maker);
      if (!node.parts.empty() || node.outputs.size() != 1 || !is_elementwise(node) || !is_float_value(graph_, running))
        break;
      if (!same_shape(running, rewriter_.node(n).outputs[0])) break;
      chain.push_back(maker);
      ValueId before = kNone;
      for (const ValueId id : node.inputs) {
        if (id == kNone || rewriter_.producer(id) == kNoNode) continue;
        const Node& from = rewriter_.node(rewriter_.producer(id));
        if (dequantizes_by_one(graph_, from)) reads_quantized = true;
        // What is better joined to its product stays with it.
        if (from.op == &ops::Conv || from.op == &ops::MatMul || from.op == &ops::Gemm) return;
        if (before == kNone && is_elementwise(from) && same_shape(id, running)) before = id;
      }
      if (before == kNone) break;
      running = before;
    }
    if (!reads_quantized || chain.size() < 2) return;
    std::reverse(chain.begin(), chain.end());
    rewriter_.fuse(chain);
  }

  Rewriter rewriter_;
  const Graph& graph_;
};

}  // namespace

void fuse_quantized(Program& program, Graph& graph) {
  const auto concerns = [](const Node& node) {
    return node.op == &ops::QuantizeLinear || node.op == &ops::MatMulInteger || node.op == &ops::ConvInteger ||
           node.op == &ops::QLinearConv || node.op == &ops::QLinearMatMul;
  };
  if (std::any_of(graph.nodes.begin(), graph.nodes.end(), concerns)) Joining(program, graph).run();
}

}  // namespace norn::program
