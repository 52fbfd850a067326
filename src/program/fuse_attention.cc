// Attention whose shapes are known only when it runs becomes one node of parts: a product, a factor, a mask, Softmax
// and a second product. Exporters compute masks and shapes from the shapes of other values, so that often nothing
// proves before a run that the mask does not make the scores larger, which recognize_attention has to know; a plan
// knows it, and takes the parts one by one where it does.
#include <algorithm>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/tensor/where/where.h"
#include "program/match.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

class Chains {
 public:
  Chains(Program& program, Graph& graph) : rewriter_(program, graph), match_(rewriter_) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      if (rewriter_.is_there(n) && fits(n) && rewriter_.node(n).op == &ops::MatMul) follow(n);
    });
    rewriter_.commit();
  }

 private:
  bool fits(NodeId n) const {
    const Node& node = rewriter_.node(n);
    if (!node.parts.empty() || !node.subgraphs.empty() || node.outputs.size() != 1 || node.outputs[0] == kNone)
      return false;
    const opset::ValueType& type = match_.type(node.outputs[0]);
    return node.schema == &node.op->history.back() && type.is_tensor() && type.elem == DataType::Float;
  }
  // The only reader of what the node gives, if it may be a part.
  NodeId next(NodeId n) const {
    const NodeId reader = rewriter_.only_reader(rewriter_.node(n).outputs[0]);
    return reader != kNoNode && fits(reader) ? reader : kNoNode;
  }

  void follow(NodeId first) {
    std::vector<NodeId> chain = {first};
    NodeId at = next(first);
    const auto is = [&](const opset::Operator& op) { return at != kNoNode && rewriter_.node(at).op == &op; };
    const auto take = [&] {
      chain.push_back(at);
      at = next(at);
    };
    constexpr std::size_t kMostSteps = 4;  // between the first product and Softmax
    while (chain.size() <= kMostSteps && (is(ops::Mul) || is(ops::Div) || is(ops::Add) || is(ops::Where))) take();
    if (!is(ops::Softmax)) return;
    take();
    if (!is(ops::MatMul)) return;
    const Node& second = rewriter_.node(at);
    const ValueId shares = rewriter_.node(chain.back()).outputs[0];
    if (second.inputs[0] != shares || second.inputs[1] == shares) return;
    chain.push_back(at);
    rewriter_.fuse(chain);
  }

  Rewriter rewriter_;
  Matcher match_;
};

}  // namespace

void fuse_attention(Program& program, Graph& graph) {
  const bool any =
      std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == &ops::Softmax; });
  if (any) Chains(program, graph).run();
}

}  // namespace norn::program
