// Gelu and Swish, written as simpler operations, become nodes of their own:
//   x * 1/2 * (1 + erf(x / sqrt 2))                               Gelu
//   x * 1/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))         Gelu approximate="tanh"
//   x * sigmoid(a x)                                              Swish alpha=a
// whatever the order in which the factors are multiplied. The result differs by a few roundings and by
// what the constants were rounded by.
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "ops/math/activation/activation.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/pow/pow.h"
#include "ops/math/unary_math/unary_math.h"
#include "program/match.h"
#include "program/rewrite.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

// A product as a number times other factors.
struct Product {
  double number = 1;
  std::vector<ValueId> factors;
  std::vector<NodeId> nodes;  // that multiply, inner ones first
};

class Activations {
 public:
  Activations(Program& program, Graph& graph) : rewriter_(program, graph), match_(rewriter_) {}

  void run() {
    // The last of the nodes that multiply, first: it has all factors.
    rewriter_.each_backward([&](NodeId n) {
      const Node& node = rewriter_.node(n);
      if ((node.op != &ops::Mul && node.op != &ops::Div) || !node.parts.empty() || node.outputs.size() != 1) return;
      if (!match_.is_narrow_float(node.outputs[0])) return;
      rewrite(n, node.outputs[0]);
    });
    rewriter_.commit();
  }

 private:
  static constexpr std::size_t kMostFactors = 4;

  // `root`: the value may have several readers.
  void multiply_out(ValueId id, Product& product, bool root = false) const {
    if (const auto n = match_.number(id)) {
      product.number *= *n;
      return;
    }
    NodeId maker = kNoNode;
    const bool inner = root || rewriter_.reads(id) == 1;
    if (const Node* mul = inner ? match_.made_by(id, ops::Mul, &maker) : nullptr;
        mul && product.nodes.size() < kMostFactors) {
      product.nodes.push_back(maker);
      multiply_out(mul->inputs[0], product);
      multiply_out(mul->inputs[1], product);
      return;
    }
    if (const Node* div = inner ? match_.made_by(id, ops::Div, &maker) : nullptr;
        div && product.nodes.size() < kMostFactors) {
      if (const auto n = match_.number(div->inputs[1]); n && *n != 0) {
        product.nodes.push_back(maker);
        multiply_out(div->inputs[0], product);
        product.number /= *n;
        return;
      }
    }
    product.factors.push_back(id);
  }
  Product product_of(ValueId id, bool root = false) const {
    Product p;
    multiply_out(id, p, root);
    return p;
  }
  static bool near(double a, double b) { return std::abs(a - b) <= 2e-6 * std::abs(b); }
  // Whether `a` is how exporters write the number: it, with four decimals, as a float16 or as a bfloat16.
  static bool is_written_for(double a, double exact) {
    const auto with_bits = [&](int bits) {
      int exponent = 0;
      const double m = std::frexp(exact, &exponent);
      return std::ldexp(std::round(std::ldexp(m, bits)), exponent - bits);
    };
    return near(a, exact) || near(a, std::round(exact * 1e4) / 1e4) || near(a, with_bits(11)) || near(a, with_bits(8));
  }

  // Of a sum of 1 and something, that.
  ValueId one_plus(ValueId id) const {
    ValueId other = kNone;
    if (const Node* add = match_.made_by(id, ops::Add))
      Matcher::either(*add, [&](ValueId one, ValueId rest) {
        if (!match_.is_number(one, 1)) return false;
        other = rest;
        return true;
      });
    return other;
  }

  // Whether the value is a * x, and a.
  std::optional<double> times(ValueId id, ValueId x) const {
    if (id == x) return 1;
    const Product p = product_of(id, true);
    if (p.factors.size() == 1 && p.factors[0] == x && !p.nodes.empty()) return p.number;
    return {};
  }

  // x^3 times a number, and that.
  std::optional<double> cube(ValueId id, ValueId x) const {
    const Product p = product_of(id, true);
    if (p.factors.size() == 3 && p.factors[0] == x && p.factors[1] == x && p.factors[2] == x) return p.number;
    if (p.factors.size() == 1)
      if (const Node* pow = match_.made_by(p.factors[0], ops::Pow))
        if (pow->inputs[0] == x && match_.is_number(pow->inputs[1], 3)) return p.number;
    if (p.factors.size() == 2) {  // x * x^2
      for (std::size_t i = 0; i < 2; ++i)
        if (p.factors[i] == x)
          if (const auto a = square(p.factors[1 - i], x)) return p.number * *a;
    }
    return {};
  }
  std::optional<double> square(ValueId id, ValueId x) const {
    const Product p = product_of(id, true);
    if (p.factors.size() == 2 && p.factors[0] == x && p.factors[1] == x) return p.number;
    if (p.factors.size() == 1)
      if (const Node* pow = match_.made_by(p.factors[0], ops::Pow))
        if (pow->inputs[0] == x && match_.is_number(pow->inputs[1], 2)) return p.number;
    return {};
  }

  // Whether the value is sqrt(2/pi) * (x + 0.044715 x^3).
  bool is_tanh_argument(ValueId id, ValueId x) const {
    constexpr double kInner = 0.044715;
    const double outer = std::sqrt(2 / std::numbers::pi);
    const Product p = product_of(id, true);
    if (!is_written_for(p.number, outer)) return false;
    if (p.factors.size() == 1) {
      const Node* add = match_.made_by(p.factors[0], ops::Add);
      return add && Matcher::either(*add, [&](ValueId one, ValueId three) {
               if (one != x) return false;
               const auto a = cube(three, x);
               return a && near(*a, kInner);
             });
    }
    if (p.factors.size() == 2)  // x * (1 + 0.044715 x^2)
      for (std::size_t i = 0; i < 2; ++i) {
        if (p.factors[i] != x) continue;
        const ValueId rest = one_plus(p.factors[1 - i]);
        const auto a = rest == kNone ? std::nullopt : square(rest, x);
        if (a && near(*a, kInner)) return true;
      }
    return false;
  }

  void rewrite(NodeId n, ValueId result) {
    const Product p = product_of(result, true);
    if (p.factors.size() != 2) return;
    for (std::size_t i = 0; i < 2; ++i) {
      const ValueId x = p.factors[i], other = p.factors[1 - i];
      if (!match_.same_shape(x, result)) continue;
      std::vector<NodeId> from;
      const auto take = [&](ValueId id) {
        if (const NodeId maker = rewriter_.producer(id); maker != kNoNode) from.push_back(maker);
      };
      take(other);
      from.insert(from.end(), p.nodes.rbegin(), p.nodes.rend());
      if (const Node* sigmoid = match_.made_by(other, ops::Sigmoid)) {
        const auto a = times(sigmoid->inputs[0], x);
        if (!a || p.number != 1) continue;
        replace(result, ops::Swish, {transform::make_attr("alpha", static_cast<float>(*a))}, x, from);
        return;
      }
      if (!near(p.number, 0.5)) continue;
      const ValueId curve = one_plus(other);
      if (curve == kNone) continue;
      if (const Node* erf = match_.made_by(curve, ops::Erf)) {
        const auto a = times(erf->inputs[0], x);
        // 1 / 1.4142 is what dividing by the rounded root gives.
        if (!a || !(is_written_for(*a, std::numbers::sqrt2 / 2) || is_written_for(1 / *a, std::numbers::sqrt2)))
          continue;
        replace(result, ops::Gelu, {}, x, from);
        return;
      }
      if (const Node* tanh = match_.made_by(curve, ops::Tanh)) {
        if (!is_tanh_argument(tanh->inputs[0], x)) {
          rewriter_.nearly("recognize_activations", rewriter_.node(n), [] {
            return "x (1 + tanh(z)) / 2 is not a Gelu, since z is not sqrt(2/pi) (x + 0.044715 x^3)";
          });
          continue;
        }
        replace(result, ops::Gelu, {transform::make_attr("approximate", std::string("tanh"))}, x, from);
        return;
      }
    }
  }

  void replace(ValueId result, const opset::Operator& op, std::vector<ir::Attribute> attributes, ValueId x,
               const std::vector<NodeId>& from) {
    rewriter_.replace(result, rewriter_.emit(op, std::move(attributes), {x}, from));
  }

  Rewriter rewriter_;
  Matcher match_;
};

}  // namespace

void recognize_activations(Program& program, Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.op == &ops::Erf || node.op == &ops::Tanh || node.op == &ops::Sigmoid;
  });
  if (any) Activations(program, graph).run();
}

}  // namespace norn::program
