// Normalisations of rows that are written as simpler operations become LayerNormalization and RMSNormalization:
//   m = mean(x), d = x - m, d / sqrt(mean(d^2) + e)         * scale + bias
//   x / sqrt(mean(x^2) + e)                                 * scale
// The quotient may be a product with a reciprocal, or with a power of -1/2. Means go over the last axes. The result
// differs by a few roundings.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/pow/pow.h"
#include "ops/math/unary_log/unary_log.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "ops/reduction/reduce/reduce.h"
#include "program/match.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

// A mean over the last axes, which stay as ones.
struct RowMean {
  ValueId of = kNone;
  std::int64_t axis = 0;  // the first one, below 0
};

// x / sqrt(mean(d^2) + epsilon), where d is x or x without its mean.
struct Quotient {
  ValueId x = kNone;
  std::int64_t axis = 0;
  double epsilon = 0;
  bool centred = false;
  std::vector<NodeId> nodes;
};

class Norms {
 public:
  Norms(Program& program, Graph& graph) : rewriter_(program, graph), match_(rewriter_) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      const Node& node = rewriter_.node(n);
      if ((node.op != &ops::Div && node.op != &ops::Mul) || !node.parts.empty() || node.outputs.size() != 1) return;
      if (const auto quotient = find(node, n)) rewrite(*quotient, node.outputs[0]);
    });
    rewriter_.commit();
  }

 private:
  std::optional<RowMean> row_mean(ValueId id, std::vector<NodeId>& nodes) const {
    NodeId maker = kNoNode;
    const Node* mean = match_.made_by(id, ops::ReduceMean, &maker);
    if (!mean) return {};
    const ops::ReduceParams p = ops::resolve_reduce(NodeParameters(*mean, &rewriter_.graph()));
    if (!p.keepdims || p.all || !p.axes) return {};
    std::vector<std::int64_t> last = *p.axes;
    const opset::ValueType& type = match_.type(mean->inputs[0]);
    for (std::int64_t& axis : last) {
      if (axis < 0) continue;
      if (!type.has_rank()) return {};
      axis -= static_cast<std::int64_t>(type.shape->size());
    }
    std::sort(last.begin(), last.end());
    for (std::size_t i = 0; i < last.size(); ++i)
      if (last[i] != static_cast<std::int64_t>(i) - static_cast<std::int64_t>(last.size())) return {};
    if (last.empty()) return {};
    nodes.push_back(maker);
    return RowMean{mean->inputs[0], last.front()};
  }

  ValueId squared(ValueId id, std::vector<NodeId>& nodes) const {
    NodeId maker = kNoNode;
    if (const Node* pow = match_.made_by(id, ops::Pow, &maker); pow && match_.is_number(pow->inputs[1], 2)) {
      nodes.push_back(maker);
      return pow->inputs[0];
    }
    if (const Node* mul = match_.made_by(id, ops::Mul, &maker); mul && mul->inputs[0] == mul->inputs[1]) {
      nodes.push_back(maker);
      return mul->inputs[0];
    }
    return kNone;
  }

  // mean(d^2) + epsilon
  std::optional<std::pair<RowMean, double>> mean_square(ValueId id, std::vector<NodeId>& nodes) const {
    NodeId maker = kNoNode;
    const Node* add = match_.made_by(id, ops::Add, &maker);
    if (!add) return {};
    std::optional<std::pair<RowMean, double>> found;
    Matcher::either(*add, [&](ValueId number, ValueId rest) {
      const auto epsilon = match_.number(number);
      if (!epsilon || *epsilon < 0) return false;
      std::vector<NodeId> inner;
      auto mean = row_mean(rest, inner);
      if (!mean) return false;
      mean->of = squared(mean->of, inner);
      if (mean->of == kNone) return false;
      nodes.insert(nodes.end(), inner.rbegin(), inner.rend());
      nodes.push_back(maker);
      found = {*mean, *epsilon};
      return true;
    });
    return found;
  }

  // What the root of that divides by: of sqrt(v), 1 / sqrt(v) or v^(-1/2), v.
  ValueId under_root(ValueId id, bool inverse, std::vector<NodeId>& nodes) const {
    NodeId maker = kNoNode, root = kNoNode;
    if (!inverse) {
      if (const Node* sqrt = match_.made_by(id, ops::Sqrt, &maker)) {
        nodes.push_back(maker);
        return sqrt->inputs[0];
      }
      const Node* pow = match_.made_by(id, ops::Pow, &maker);
      if (!pow || !match_.is_number(pow->inputs[1], 0.5)) return kNone;
      nodes.push_back(maker);
      return pow->inputs[0];
    }
    if (const Node* pow = match_.made_by(id, ops::Pow, &maker); pow && match_.is_number(pow->inputs[1], -0.5)) {
      nodes.push_back(maker);
      return pow->inputs[0];
    }
    ValueId rooted = kNone;
    if (const Node* reciprocal = match_.made_by(id, ops::Reciprocal, &maker))
      rooted = reciprocal->inputs[0];
    else if (const Node* div = match_.made_by(id, ops::Div, &maker); div && match_.is_number(div->inputs[0], 1))
      rooted = div->inputs[1];
    if (rooted == kNone) return kNone;
    if (const Node* sqrt = match_.made_by(rooted, ops::Sqrt, &root)) {
      nodes.push_back(root);
      nodes.push_back(maker);
      return sqrt->inputs[0];
    }
    return kNone;
  }

  std::optional<Quotient> find(const Node& node, NodeId n) const {
    const auto quotient = [&](ValueId numerator, ValueId denominator, bool inverse) -> std::optional<Quotient> {
      Quotient q;
      std::vector<NodeId> roots;
      const ValueId under = under_root(denominator, inverse, roots);
      if (under == kNone) return {};
      const auto found = mean_square(under, q.nodes);
      if (!found) return {};
      q.nodes.insert(q.nodes.end(), roots.begin(), roots.end());
      q.nodes.push_back(n);
      q.axis = found->first.axis;
      q.epsilon = found->second;
      q.x = numerator;
      // The numerator and what is squared may be computed apart, each as x - mean(x).
      NodeId subtraction = kNoNode, other = kNoNode;
      if (const Node* sub = match_.made_by(numerator, ops::Sub, &subtraction)) {
        std::vector<NodeId> inner;
        const auto mean = row_mean(sub->inputs[1], inner);
        const Node* squared_sub = match_.made_by(found->first.of, ops::Sub, &other);
        if (mean && mean->of == sub->inputs[0] && mean->axis == q.axis && squared_sub &&
            squared_sub->inputs[0] == sub->inputs[0]) {
          std::vector<NodeId> again;
          const auto same = row_mean(squared_sub->inputs[1], again);
          if (same && same->of == mean->of && same->axis == mean->axis) {
            q.centred = true;
            q.x = sub->inputs[0];
            inner.push_back(subtraction);
            if (other != subtraction) {
              for (const NodeId id : again)
                if (std::find(inner.begin(), inner.end(), id) == inner.end()) inner.push_back(id);
              inner.push_back(other);
            }
            q.nodes.insert(q.nodes.begin(), inner.begin(), inner.end());
            return q;
          }
        }
      }
      if (found->first.of != numerator) return {};
      return q;
    };
    if (node.op == &ops::Div) return quotient(node.inputs[0], node.inputs[1], false);
    if (auto q = quotient(node.inputs[0], node.inputs[1], true)) return q;
    return quotient(node.inputs[1], node.inputs[0], true);
  }

  // Whether the value has the dimensions of x that are normalised, apart from ones in front.
  bool is_row(ValueId id, const Quotient& q) const {
    const opset::ValueType &row = match_.type(id), &x = match_.type(q.x);
    if (!row.has_rank() || !x.has_rank() || row.elem != x.elem) return false;
    const std::size_t n = static_cast<std::size_t>(-q.axis), rank = row.shape->size();
    if (rank < n || rank > x.shape->size()) return false;
    for (std::size_t d = 0; d < rank; ++d) {
      const opset::DimExpr& dim = (*row.shape)[d];
      if (d + n < rank ? !(dim == opset::DimExpr(1)) : !(dim == (*x.shape)[x.shape->size() - rank + d])) return false;
    }
    return true;
  }

  void rewrite(Quotient q, ValueId result) {
    if (!match_.is_narrow_float(q.x) || !match_.same_shape(q.x, result)) return;
    ValueId scale = kNone, bias = kNone;
    // What follows, as long as nothing else reads what comes before.
    const auto next = [&](const opset::Operator& op) -> std::optional<std::pair<NodeId, ValueId>> {
      const NodeId reader = rewriter_.only_reader(result);
      if (reader == kNoNode || !rewriter_.is_there(reader)) return {};
      const Node& node = rewriter_.node(reader);
      if (node.op != &op || !node.parts.empty() || node.inputs.size() != 2) return {};
      const ValueId other = node.inputs[0] == result ? node.inputs[1] : node.inputs[0];
      if (!is_row(other, q) || !match_.same_shape(node.outputs[0], q.x)) return {};
      return std::pair(reader, other);
    };
    if (const auto scaling = next(ops::Mul)) {
      scale = scaling->second;
      q.nodes.push_back(scaling->first);
      result = rewriter_.node(scaling->first).outputs[0];
      if (q.centred)
        if (const auto shift = next(ops::Add)) {
          bias = shift->second;
          q.nodes.push_back(shift->first);
          result = rewriter_.node(shift->first).outputs[0];
        }
    }
    if (scale == kNone) scale = ones(q);
    if (scale == kNone) {
      rewriter_.nearly("recognize_norms", rewriter_.node(q.nodes.back()),
                       [] { return "this normalises rows, but their size is not known, and nothing scales them"; });
      return;
    }
    std::vector<ir::Attribute> attributes = {transform::make_attr("axis", q.axis),
                                             transform::make_attr("epsilon", static_cast<float>(q.epsilon))};
    std::vector<ValueId> inputs = {q.x, scale};
    if (bias != kNone) inputs.push_back(bias);
    const opset::Operator& op = q.centred ? ops::LayerNormalization : ops::RMSNormalization;
    rewriter_.replace(result, rewriter_.emit(op, std::move(attributes), std::move(inputs), q.nodes));
  }

  ValueId ones(const Quotient& q) {
    const opset::ValueType& x = match_.type(q.x);
    if (x.elem != DataType::Float || !x.has_rank()) return kNone;
    Shape dims;
    for (std::size_t d = x.shape->size() - static_cast<std::size_t>(-q.axis); d < x.shape->size(); ++d) {
      if (!(*x.shape)[d].is_constant()) return kNone;
      dims.push_back((*x.shape)[d].constant());
    }
    if (element_count(dims) > 1 << 20) return kNone;
    norn::Tensor one(DataType::Float, dims);
    std::fill_n(one.as_mutable<float>(), one.size(), 1.0f);
    return rewriter_.constant(std::move(one), match_.value(q.x).name + "_ones");
  }

  Rewriter rewriter_;
  Matcher match_;
};

}  // namespace

void recognize_norms(Program& program, Graph& graph) {
  const auto is = [&](const opset::Operator& op) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.op == &op; });
  };
  if (is(ops::ReduceMean) && (is(ops::Sqrt) || is(ops::Pow))) Norms(program, graph).run();
}

}  // namespace norn::program
