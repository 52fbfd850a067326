// Attention whose shapes are known only when it runs becomes one node of parts: a product, what is done to scores,
// Softmax and a second product. Exporters compute masks and shapes from the shapes of other values, so that often
// nothing proves before a run that the mask does not make the scores larger, which recognize_attention has to know; a
// plan knows it, and takes the parts one by one where it does.
//
// Between the products there may be factors, masks (summands and conditions), caps, and reshapes that join the heads to
// the batch or part them from it; behind Softmax there may be what puts zeros for NaN: Where(IsNaN(p), 0, p).
#include <algorithm>
#include <string>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/is_special/is_special.h"
#include "ops/tensor/reshape/reshape.h"
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
  // Whether the node may be a part.
  bool fits(NodeId n, DataType gives = DataType::Float) const {
    const Node& node = rewriter_.node(n);
    if (!node.parts.empty() || !node.subgraphs.empty() || node.outputs.size() != 1 || node.outputs[0] == kNone)
      return false;
    const opset::ValueType& type = match_.type(node.outputs[0]);
    return node.schema == &node.op->history.back() && type.is_tensor() && type.elem == gives;
  }
  ValueId given_by(NodeId n) const { return rewriter_.node(n).outputs[0]; }
  // The only reader of what the node gives, if it may be a part.
  NodeId next(NodeId n) const {
    const NodeId reader = rewriter_.only_reader(given_by(n));
    return reader != kNoNode && fits(reader) ? reader : kNoNode;
  }
  bool is(NodeId n, const opset::Operator& op) const { return n != kNoNode && rewriter_.node(n).op == &op; }
  // Reshapes the running value; does not take it as the shape.
  bool is_reshape_of(NodeId n, ValueId running) const {
    return is(n, ops::Reshape) && rewriter_.node(n).inputs[0] == running;
  }
  bool is_step(NodeId n) const {
    return is(n, ops::Mul) || is(n, ops::Div) || is(n, ops::Add) || is(n, ops::Where) || is(n, ops::Tanh);
  }

  void miss(NodeId n, const char* why) {
    rewriter_.nearly("fuse_attention", rewriter_.node(n),
                     [&] { return std::string("this nearly is attention, but ") + why; });
  }

  bool leads_to_product(NodeId n) const {
    bool found = false;
    rewriter_.readers(given_by(n),
                      [&](NodeId reader) { found = found || is(reader, ops::MatMul) || is(reader, ops::Where); });
    return found;
  }

  // The nodes that put zeros where the probabilities are NaN; none if nothing does, or if they cannot be parts.
  std::vector<NodeId> guard_of(ValueId p) const {
    NodeId is_nan = kNoNode, where = kNoNode;
    std::size_t reads = 0;
    rewriter_.readers(p, [&](NodeId reader) {
      ++reads;
      if (is(reader, ops::IsNaN)) is_nan = reader;
      if (is(reader, ops::Where)) where = reader;
    });
    if (reads != 2 || is_nan == kNoNode || where == kNoNode || !fits(is_nan, DataType::Bool) || !fits(where)) return {};
    const Node& choice = rewriter_.node(where);
    if (rewriter_.only_reader(given_by(is_nan)) != where || choice.inputs[0] != given_by(is_nan) ||
        choice.inputs[2] != p || !match_.is_number(choice.inputs[1], 0))
      return {};
    return {is_nan, where};
  }

  void follow(NodeId first) {
    std::vector<NodeId> chain = {first};
    NodeId at = next(first);
    const auto take = [&] {
      chain.push_back(at);
      at = next(at);
    };
    constexpr std::size_t kMostSteps = 8;  // between the first product and Softmax
    while (chain.size() <= kMostSteps && (is_step(at) || is_reshape_of(at, given_by(chain.back())))) take();
    if (!is(at, ops::Softmax)) return;
    const NodeId softmax = at;
    take();
    if (at == kNoNode) {
      const std::vector<NodeId> guard = guard_of(given_by(softmax));
      if (guard.empty()) {
        if (leads_to_product(softmax)) miss(softmax, "its probabilities are read by others than the second product");
        return;
      }
      chain.insert(chain.end(), guard.begin(), guard.end());
      at = next(guard.back());
    }
    if (is_reshape_of(at, given_by(chain.back()))) take();
    if (!is(at, ops::MatMul)) return;
    const Node& second = rewriter_.node(at);
    const ValueId shares = given_by(chain.back());
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
