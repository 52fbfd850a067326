// Attention that is written as products and a softmax becomes one node:
//   softmax(scale Q K^T [capped] [+ mask, or Where(flags, scores, -inf)]) V
// The scale may stand before or behind the product; K^T may be K transposed in any number of steps; keys and values
// that are repeated for groups of query heads are read once. Where Q, K and V are reshapes of [batch, length, heads *
// size], the node takes them as they were, and gives the same form.
//
// Two things that such graphs do about queries which see no key: probabilities that are NaN are replaced by 0, which is
// what Attention gives; or nothing, so that these queries give NaN. Then a Where behind the node restores NaN where all
// of a query's mask is -infinity. Apart from that the result differs by roundings, and where scores themselves are not
// finite.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops/logical/compare/compare.h"
#include "ops/logical/logical/logical.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/expand/expand.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/attention/attention.h"
#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/is_special/is_special.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "ops/tensor/transpose/transpose.h"
#include "ops/tensor/where/where.h"
#include "program/match.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

using opset::DimExpr;
using opset::Dims;

using Perm = std::vector<std::int64_t>;

struct Scores {
  ValueId q = kNone, k_transposed = kNone;
  double scale = 1, softcap = 0;
  std::vector<ValueId> masks;  // summands
  ValueId flags = kNone;       // or what is to be seen
  bool flags_hide = false;     // the flags say what is not
  bool guarded = false;        // NaN becomes 0
  std::vector<NodeId> nodes;   // last first
};

class AttentionFinder {
 public:
  AttentionFinder(Program& program, Graph& graph) : rewriter_(program, graph), match_(rewriter_) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      if (rewriter_.node(n).op == &ops::MatMul) rewrite(n);
    });
    rewriter_.commit();
  }

 private:
  std::size_t rank(ValueId id) const { return match_.type(id).shape->size(); }
  const Dims& dims(ValueId id) const { return *match_.type(id).shape; }
  bool is_computed(ValueId id) const { return rewriter_.producer(id) != kNoNode; }

  void miss(NodeId n, const char* why) {
    rewriter_.nearly("recognize_attention", rewriter_.node(n),
                     [&] { return std::string("this nearly is attention, but ") + why; });
  }

  // The node that makes the value and whose result nothing else reads.
  const Node* alone(ValueId id, const opset::Operator& op, NodeId* maker) const {
    return rewriter_.reads(id) == 1 ? match_.made_by(id, op, maker) : nullptr;
  }

  // Takes factors that are numbers off a value.
  ValueId peel_scale(ValueId id, double& scale, std::vector<NodeId>* nodes) const {
    for (int i = 0; i < 4; ++i) {
      NodeId maker = kNoNode;
      ValueId rest = kNone;
      if (const Node* mul = match_.made_by(id, ops::Mul, &maker)) {
        Matcher::either(*mul, [&](ValueId number, ValueId other) {
          const auto n = match_.number(number);
          if (!n || !(*n > 0) || !match_.same_shape(other, id)) return false;
          scale *= *n;
          rest = other;
          return true;
        });
      } else if (const Node* div = match_.made_by(id, ops::Div, &maker)) {
        const auto n = match_.number(div->inputs[1]);
        if (n && *n > 0 && match_.same_shape(div->inputs[0], id)) {
          scale /= *n;
          rest = div->inputs[0];
        }
      }
      if (rest == kNone || (nodes && rewriter_.reads(id) != 1)) return id;
      if (nodes) nodes->push_back(maker);
      id = rest;
    }
    return id;
  }

  // What comes before the softmax.
  bool read_scores(NodeId n, ValueId id, Scores& s) {
    NodeId maker = kNoNode;
    const Dims& whole = dims(id);
    const auto is_scores = [&](ValueId v) {
      return is_computed(v) && match_.type(v).has_rank() && dims(v) == whole && leads_to_product(v);
    };
    for (int i = 0; i < 3; ++i) {
      if (const Node* add = alone(id, ops::Add, &maker)) {
        const bool found = Matcher::either(*add, [&](ValueId scores, ValueId mask) {
          if (!is_scores(scores) || !match_.type(mask).has_rank()) return false;
          s.masks.push_back(mask);
          id = scores;
          return true;
        });
        if (!found) {
          if (leads_to_product(id)) miss(n, "what is added to its scores is not known to broadcast to them");
          return false;
        }
        s.nodes.push_back(maker);
        continue;
      }
      if (const Node* where = alone(id, ops::Where, &maker)) {
        if (s.flags != kNone) return miss(n, "two conditions hide keys"), false;
        const auto shown = match_.number(where->inputs[1]), hidden = match_.number(where->inputs[2]);
        const double lowest = -std::numeric_limits<double>::infinity();
        if (hidden && *hidden == lowest && is_scores(where->inputs[1])) {
          id = where->inputs[1];
        } else if (shown && *shown == lowest && is_scores(where->inputs[2])) {
          id = where->inputs[2];
          s.flags_hide = true;
        } else {
          if (hidden || shown) miss(n, "hidden scores are replaced by a number other than -infinity");
          return false;
        }
        s.flags = where->inputs[0];
        s.nodes.push_back(maker);
        continue;
      }
      break;
    }
    // cap * tanh(scores / cap)
    double outer = 1;
    std::vector<NodeId> around;
    const ValueId bent = peel_scale(id, outer, &around);
    if (const Node* tanh = alone(bent, ops::Tanh, &maker)) {
      double inner = 1;
      std::vector<NodeId> within;
      const ValueId rest = peel_scale(tanh->inputs[0], inner, &within);
      // The factors behind the product are those of scale and cap together.
      s.softcap = outer;
      s.scale = inner * outer;
      s.nodes.insert(s.nodes.end(), around.begin(), around.end());
      s.nodes.push_back(maker);
      s.nodes.insert(s.nodes.end(), within.begin(), within.end());
      id = rest;
    } else {
      s.scale = outer;
      s.nodes.insert(s.nodes.end(), around.begin(), around.end());
      id = bent;
    }
    const Node* product = alone(id, ops::MatMul, &maker);
    if (!product) return false;
    s.nodes.push_back(maker);
    s.q = peel_scale(product->inputs[0], s.scale, nullptr);
    s.k_transposed = peel_scale(product->inputs[1], s.scale, nullptr);
    return true;
  }

  // Whether a few steps of element-wise work back there is a product.
  bool leads_to_product(ValueId id, int steps = 7) const {
    if (match_.made_by(id, ops::MatMul)) return true;
    if (steps == 0) return false;
    for (const opset::Operator* op : {&ops::Add, &ops::Mul})
      if (const Node* node = match_.made_by(id, *op))
        return leads_to_product(node->inputs[0], steps - 1) || leads_to_product(node->inputs[1], steps - 1);
    for (const opset::Operator* op : {&ops::Div, &ops::Tanh})
      if (const Node* node = match_.made_by(id, *op)) return leads_to_product(node->inputs[0], steps - 1);
    if (const Node* node = match_.made_by(id, ops::Where))
      return leads_to_product(node->inputs[1], steps - 1) || leads_to_product(node->inputs[2], steps - 1);
    return false;
  }

  std::optional<Perm> perm_of(const Node& transpose) const {
    std::optional<std::int64_t> known;
    if (match_.type(transpose.inputs[0]).has_rank()) known = static_cast<std::int64_t>(rank(transpose.inputs[0]));
    return ops::resolve_transpose(NodeParameters(transpose), known);
  }

  // The value, of rank 4, with its last two dimensions swapped: what it was made from where that is known.
  ValueId swapped(ValueId id, NodeId n) {
    if (const Node* transpose = match_.made_by(id, ops::Transpose)) {
      if (const auto perm = perm_of(*transpose)) {
        const Perm to = {(*perm)[0], (*perm)[1], (*perm)[3], (*perm)[2]};
        if (to == Perm{0, 1, 2, 3}) return transpose->inputs[0];
        return rewriter_.emit(ops::Transpose, {transform::make_attr("perm", to)}, {transpose->inputs[0]}, {n});
      }
    }
    // A reshape to fewer dimensions in front and back, with the swap between.
    if (const Node* back = match_.made_by(id, ops::Reshape))
      if (const Node* transpose = match_.made_by(back->inputs[0], ops::Transpose))
        if (const auto perm = perm_of(*transpose); perm && *perm == Perm{0, 2, 1})
          if (const Node* flat = match_.made_by(transpose->inputs[0], ops::Reshape)) {
            const ValueId source = flat->inputs[0];
            if (match_.type(source).has_rank() && rank(source) == 4 && match_.type(flat->outputs[0]).has_rank()) {
              const Dims &from = dims(source), &to = dims(id), &between = dims(flat->outputs[0]);
              if (from[0] == to[0] && from[1] == to[1] && from[2] == to[3] && from[3] == to[2] &&
                  between[1] == from[2] && between[2] == from[3])
                return source;
            }
          }
    return rewriter_.emit(ops::Transpose, {transform::make_attr("perm", Perm{0, 1, 3, 2})}, {id}, {n});
  }

  // What a value of [batch, heads, length, size] repeats for the heads of a group, one head behind the other.
  ValueId without_repeats(ValueId id) const {
    const Node* joined = match_.made_by(id, ops::Reshape);
    if (!joined) return id;
    const Node* expanded = match_.made_by(joined->inputs[0], ops::Expand);
    if (!expanded || !match_.type(expanded->outputs[0]).has_rank() || rank(expanded->outputs[0]) != 5) return id;
    const ValueId one = expanded->inputs[0];
    if (!match_.type(one).has_rank() || rank(one) != 5) return id;
    ValueId source = kNone;
    if (const Node* unsqueezed = match_.made_by(one, ops::Unsqueeze))
      source = unsqueezed->inputs[0];
    else if (const Node* reshaped = match_.made_by(one, ops::Reshape))
      source = reshaped->inputs[0];
    if (source == kNone || !match_.type(source).has_rank() || rank(source) != 4) return id;
    const Dims &from = dims(source), &single = dims(one), &wide = dims(expanded->outputs[0]), &to = dims(id);
    const bool fits = single[0] == from[0] && single[1] == from[1] && single[2] == DimExpr(1) && single[3] == from[2] &&
                      single[4] == from[3] && wide[0] == from[0] && wide[1] == from[1] && wide[3] == from[2] &&
                      wide[4] == from[3] && to.size() == 4 && to[0] == from[0] && to[1] == wide[1] * wide[2] &&
                      to[2] == from[2] && to[3] == from[3];
    return fits ? source : id;
  }

  // [batch, length, heads * size], if the value is that as [batch, heads, length, size].
  ValueId packed(ValueId id) const {
    const Node* transpose = match_.made_by(id, ops::Transpose);
    if (!transpose) return kNone;
    const auto perm = perm_of(*transpose);
    if (!perm || *perm != Perm{0, 2, 1, 3}) return kNone;
    const Node* split = match_.made_by(transpose->inputs[0], ops::Reshape);
    if (!split || !match_.type(split->inputs[0]).has_rank() || rank(split->inputs[0]) != 3) return kNone;
    const Dims &whole = dims(split->inputs[0]), &heads = dims(transpose->inputs[0]);
    const bool fits = heads[0] == whole[0] && heads[1] == whole[1] && heads[2] * heads[3] == whole[2];
    return fits ? split->inputs[0] : kNone;
  }

  void rewrite(NodeId n) {
    const Node& product = rewriter_.node(n);
    if (!product.parts.empty() || product.schema != &product.op->history.back()) return;
    Scores s;
    s.nodes.push_back(n);
    ValueId shares = product.inputs[0];
    NodeId maker = kNoNode;
    const Node* softmax = nullptr;
    if (const Node* where = alone(shares, ops::Where, &maker)) {
      // Where(IsNaN(p), 0, p)
      const Node* is_nan = alone(where->inputs[0], ops::IsNaN, nullptr);
      const ValueId p = where->inputs[2];
      if (!is_nan || is_nan->inputs[0] != p || rewriter_.reads(p) != 2 || !match_.is_number(where->inputs[1], 0) ||
          !match_.same_shape(shares, p))
        return;
      softmax = match_.made_by(p, ops::Softmax);
      s.guarded = true;
      s.nodes.push_back(maker);
      s.nodes.push_back(rewriter_.producer(where->inputs[0]));
      shares = p;
    } else {
      softmax = alone(shares, ops::Softmax, nullptr);
    }
    if (!softmax) return;
    s.nodes.push_back(rewriter_.producer(shares));
    const ValueId y = product.outputs[0], scores = softmax->inputs[0];
    ValueId v = product.inputs[1];
    if (!match_.is_narrow_float(y) || !match_.type(scores).has_rank() || !match_.type(v).has_rank()) return;
    const auto last = static_cast<std::int64_t>(rank(scores)) - 1;
    if (last < 0 || NodeParameters(*softmax).axis(last + 1) != last) return;
    if (!match_.same_shape(shares, scores) || !read_scores(n, scores, s)) return;
    const Dims whole = dims(scores);
    if (!match_.type(s.q).has_rank() || !match_.type(s.k_transposed).has_rank()) return;
    const std::size_t r = whole.size();
    if (r != 4 && r != 3) return miss(n, "its operands have neither three nor four dimensions");
    if (rank(s.q) != r || rank(s.k_transposed) != r || rank(v) != r)
      return miss(n, "queries, keys and values differ in rank");
    // Batches do not broadcast, and keys have one length.
    for (std::size_t d = 0; d + 2 < r; ++d)
      if (!(dims(s.q)[d] == whole[d]) || !(dims(s.k_transposed)[d] == whole[d]) || !(dims(v)[d] == whole[d]))
        return miss(n, "batches of queries, keys and values are not known to be equal");
    if (!(dims(v)[r - 2] == whole[r - 1])) return miss(n, "keys and values are not known to be as many");
    for (const ValueId mask : s.masks)
      if (const char* why = mask_misfit(mask, whole)) return miss(n, why);
    if (s.flags != kNone)
      if (const char* why = mask_misfit(s.flags, whole)) return miss(n, why);
    if (s.flags != kNone && !s.masks.empty()) return miss(n, "a condition and a summand hide keys");
    emit(n, s, v, y, std::vector<NodeId>(s.nodes.rbegin(), s.nodes.rend()));
  }

  // Why the value cannot be a mask of these scores.
  const char* mask_misfit(ValueId mask, const Dims& whole) const {
    if (!match_.type(mask).has_rank()) return "the rank of its mask is not known";
    const Dims& m = dims(mask);
    if (m.empty() || m.size() > whole.size()) return "its mask has not the scores' rank";
    if (!(m.back() == whole.back())) return "its mask is not known to have a column for each key";
    for (std::size_t d = 0; d + 1 < m.size(); ++d) {
      const DimExpr& of = whole[whole.size() - m.size() + d];
      if (!(m[d] == of) && !(m[d] == DimExpr(1))) return "its mask is not known to broadcast to the scores";
    }
    return nullptr;
  }

  ValueId at_front(ValueId id, NodeId n) {
    norn::Tensor axis(DataType::Int64, {1});
    *axis.as_mutable<std::int64_t>() = 0;
    return rewriter_.emit(ops::Unsqueeze, {}, {id, rewriter_.constant(std::move(axis), "front")}, {n});
  }

  void emit(NodeId n, const Scores& s, ValueId v, ValueId y, const std::vector<NodeId>& from) {
    const bool flat = rank(s.q) == 3;
    ValueId q = s.q, kt = s.k_transposed;
    if (flat) {
      q = at_front(q, n);
      kt = at_front(kt, n);
      v = at_front(v, n);
    }
    ValueId k = swapped(kt, n);
    const ValueId one_k = without_repeats(k), one_v = without_repeats(v);
    if (one_k != k && one_v != v && dims(one_k)[1] == dims(one_v)[1]) {
      k = one_k;
      v = one_v;
    }
    std::vector<ir::Attribute> attributes = {transform::make_attr("scale", static_cast<float>(s.scale))};
    if (s.softcap > 0) attributes.push_back(transform::make_attr("softcap", static_cast<float>(s.softcap)));
    std::vector<ValueId> inputs = {q, k, v};
    const ValueId mask = mask_of(s, n);
    if (mask != kNone) inputs.push_back(mask);
    const Dims q_dims = dims(q), k_dims = dims(k);
    const ValueId p[] = {packed(q), packed(k), packed(v)};
    const bool is_packed = p[0] != kNone && p[1] != kNone && p[2] != kNone && q_dims[1].is_constant() &&
                           k_dims[1].is_constant() && q_dims[1].constant() > 0 && k_dims[1].constant() > 0;
    if (!is_packed) {
      ValueId result = rewriter_.emit(ops::Attention, std::move(attributes), std::move(inputs), from);
      if (flat) {
        norn::Tensor axis(DataType::Int64, {1});
        *axis.as_mutable<std::int64_t>() = 0;
        result = rewriter_.emit(ops::Squeeze, {}, {result, rewriter_.constant(std::move(axis), "front")}, {n});
      }
      rewriter_.replace(y, restore_nan(s, mask, result, n));
      return;
    }
    std::copy(std::begin(p), std::end(p), inputs.begin());
    attributes.push_back(transform::make_attr("q_num_heads", q_dims[1].constant()));
    attributes.push_back(transform::make_attr("kv_num_heads", k_dims[1].constant()));
    const ValueId result = rewriter_.emit(ops::Attention, std::move(attributes), std::move(inputs), from);
    // [batch, heads, length, size] again; what makes that [batch, length, heads * size] meets it at once.
    norn::Tensor shape(DataType::Int64, {4});
    std::int64_t* to = shape.as_mutable<std::int64_t>();
    to[0] = to[1] = 0;
    to[2] = q_dims[1].constant();
    to[3] = -1;
    const ValueId split =
        rewriter_.emit(ops::Reshape, {}, {result, rewriter_.constant(std::move(shape), "heads")}, {n});
    const ValueId whole =
        rewriter_.emit(ops::Transpose, {transform::make_attr("perm", Perm{0, 2, 1, 3})}, {split}, {n});
    const ValueId made = restore_nan(s, mask, whole, n);
    rewriter_.replace(y, made);
    if (made != whole || rewriter_.reads(made) != 1) return;
    // Transpose and Reshape behind it.
    const NodeId turning = rewriter_.only_reader(made);
    if (turning == kNoNode || rewriter_.node(turning).op != &ops::Transpose) return;
    const auto perm = perm_of(rewriter_.node(turning));
    const ValueId turned = rewriter_.node(turning).outputs[0];
    if (!perm || *perm != Perm{0, 2, 1, 3} || rewriter_.reads(turned) != 1) return;
    const NodeId joining = rewriter_.only_reader(turned);
    if (joining == kNoNode || rewriter_.node(joining).op != &ops::Reshape) return;
    const ValueId joined = rewriter_.node(joining).outputs[0];
    if (match_.same_shape(joined, result)) {
      rewriter_.replace(joined, result);
    } else {
      // Another shape of the same elements in the same order.
      const std::vector<ir::Attribute> same = rewriter_.node(joining).attrs;
      const ValueId asked = rewriter_.node(joining).inputs[1];
      if (is_const(rewriter_.graph(), asked) && no_zero(asked))
        rewriter_.replace(joined, rewriter_.emit(ops::Reshape, same, {result, asked}, {joining}));
    }
  }

  // Whether a constant shape takes no dimension over from the input.
  bool no_zero(ValueId shape) const {
    const norn::Tensor& t = match_.value(shape).constant;
    for (std::int64_t i = 0; i < t.size(); ++i)
      if (t.as<std::int64_t>()[i] == 0) return false;
    return true;
  }

  ValueId mask_of(const Scores& s, NodeId n) {
    if (s.flags != kNone) {
      if (!s.flags_hide) return s.flags;
      const auto known = shown_.find(s.flags);
      if (known != shown_.end()) return known->second;
      return shown_[s.flags] = rewriter_.emit(ops::Not, {}, {s.flags}, {n});
    }
    if (s.masks.empty()) return kNone;
    ValueId mask = s.masks.back();
    for (std::size_t i = s.masks.size() - 1; i-- > 0;) mask = rewriter_.emit(ops::Add, {}, {mask, s.masks[i]}, {n});
    return mask;
  }

  // NaN for the queries that see nothing, unless the graph itself made 0 of that.
  ValueId restore_nan(const Scores& s, ValueId mask, ValueId result, NodeId n) {
    if (s.guarded || mask == kNone || shows_each_query_a_key(mask)) return result;
    const auto known = blind_.find(mask);
    ValueId blind = known == blind_.end() ? kNone : known->second;
    if (blind == kNone) {
      norn::Tensor last(DataType::Int64, {1});
      *last.as_mutable<std::int64_t>() = -1;
      const ValueId axes = rewriter_.constant(std::move(last), "last");
      const DataType elem = match_.type(mask).elem;
      if (elem == DataType::Bool) {
        const ValueId number = rewriter_.emit(
            ops::Cast, {transform::make_attr("to", static_cast<std::int64_t>(DataType::Float))}, {mask}, {n});
        const ValueId most = rewriter_.emit(ops::ReduceMax, {}, {number, axes}, {n});
        blind = rewriter_.emit(ops::Equal, {}, {most, scalar(DataType::Float, 0, n)}, {n});
      } else {
        // The least of no keys is infinity, so that a query without keys is not blind: its sum is 0.
        const ValueId hidden =
            rewriter_.emit(ops::Equal, {}, {mask, scalar(elem, -std::numeric_limits<double>::infinity(), n)}, {n});
        const ValueId number = rewriter_.emit(
            ops::Cast, {transform::make_attr("to", static_cast<std::int64_t>(DataType::Float))}, {hidden}, {n});
        const ValueId least = rewriter_.emit(ops::ReduceMin, {}, {number, axes}, {n});
        blind = rewriter_.emit(ops::Equal, {}, {least, scalar(DataType::Float, 1, n)}, {n});
      }
      blind_[mask] = blind;
    }
    const ValueId nan = scalar(match_.type(result).elem, std::numeric_limits<double>::quiet_NaN(), n);
    return rewriter_.emit(ops::Where, {}, {blind, nan, result}, {n});
  }

  ValueId scalar(DataType type, double number, NodeId n) {
    norn::Tensor t(DataType::Float, {});
    *t.as_mutable<float>() = static_cast<float>(number);
    const ValueId wide = rewriter_.constant(std::move(t), "number");
    if (type == DataType::Float) return wide;
    return rewriter_.emit(ops::Cast, {transform::make_attr("to", static_cast<std::int64_t>(type))}, {wide}, {n});
  }

  // Whether it is a constant that leaves at least one key visible to each query.
  bool shows_each_query_a_key(ValueId mask) const {
    if (!is_const(rewriter_.graph(), mask)) return false;
    const norn::Tensor& t = match_.value(mask).constant;
    const std::int64_t n = t.dims().back();
    if (n == 0) return false;
    for (std::int64_t r = 0; r < t.size() / n; ++r) {
      bool any = false;
      for (std::int64_t i = 0; i < n && !any; ++i) {
        if (t.dtype() == DataType::Bool)
          any = t.as<bool>()[r * n + i];
        else if (t.dtype() == DataType::Float)
          any = t.as<float>()[r * n + i] > -std::numeric_limits<float>::infinity();
        else
          return false;
      }
      if (!any) return false;
    }
    return true;
  }

  Rewriter rewriter_;
  Matcher match_;
  std::map<ValueId, ValueId> shown_, blind_;  // of masks
};

}  // namespace

void recognize_attention(Program& program, Graph& graph) {
  const bool any =
      std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == &ops::Softmax; });
  if (any) AttentionFinder(program, graph).run();
}

}  // namespace norn::program
