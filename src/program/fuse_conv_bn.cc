// BatchNormalization in inference is a scale and a shift per channel: y = x*s + t with s = scale/sqrt(var + epsilon)
// and t = B - mean*s. Behind a Conv with constant weights both go into the weights and the bias; elsewhere they become
// Mul and Add, which fuse with what is around them. Computed in double and rounded once: the result differs from the
// unfused one by a few roundings of f32.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/conv/conv.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

struct ScaleShift {
  std::vector<double> s, t;
};

// Whether a Conv's weights, and its bias if it has one, are constants for so many output channels.
bool constant_weights(const Graph& graph, const Node& conv, std::int64_t channels) {
  const auto fits = [&](ValueId id, bool vector) {
    if (!is_const_f32(graph, id)) return false;
    const Shape& dims = graph.value(id).constant.dims();
    return !dims.empty() && dims[0] == channels && (!vector || dims.size() == 1);
  };
  return fits(conv.input(1), false) && (conv.input(2) == kNone || fits(conv.input(2), true));
}

bool scale_shift(const Graph& graph, const Node& node, ScaleShift& out) {
  if (node.schema != &node.op->history.back()) return false;  // an old version that no step lifts
  if (node.outputs.size() != 1 || !node.parts.empty()) return false;
  const ops::BatchNormalizationParams params = ops::resolve_batch_normalization(NodeParameters(node), false);
  if (params.training) return false;
  for (std::size_t i = 1; i < 5; ++i)
    if (!is_const_f32(graph, node.input(i))) return false;
  const norn::Tensor* p[4];
  for (std::size_t i = 0; i < 4; ++i) p[i] = &graph.value(node.inputs[i + 1]).constant;
  const std::int64_t channels = p[0]->size();
  for (const norn::Tensor* t : p)
    if (t->size() != channels || t->rank() != 1) return false;
  const double epsilon = params.epsilon;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double s = p[0]->as<float>()[c] / std::sqrt(static_cast<double>(p[3]->as<float>()[c]) + epsilon);
    out.s.push_back(s);
    out.t.push_back(p[1]->as<float>()[c] - p[2]->as<float>()[c] * s);
    // What is infinite, or becomes so in f32, would meet itself as x*s + t, and be NaN.
    if (!std::isfinite(static_cast<float>(s)) || !std::isfinite(static_cast<float>(out.t.back()))) return false;
  }
  return true;
}

norn::Tensor per_channel(const std::vector<double>& v, std::size_t trailing) {
  Shape dims{static_cast<std::int64_t>(v.size())};
  dims.insert(dims.end(), trailing, 1);
  norn::Tensor t(DataType::Float, dims);
  for (std::size_t c = 0; c < v.size(); ++c) t.as_mutable<float>()[c] = static_cast<float>(v[c]);
  return t;
}

// Whether weights and bias stay within what f32 holds: none becomes infinite, no filter vanishes.
bool stays_in_range(const norn::Tensor& w, const norn::Tensor* bias, const ScaleShift& k) {
  constexpr double kLeast = 0x1p-100;  // of a filter's largest weight: those 2^-26 times as large are normal
  const std::int64_t channels = w.dims()[0], each = channels ? w.size() / channels : 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double s = k.s[static_cast<std::size_t>(c)];
    float largest = 0;
    for (const float v : std::span(w.as<float>() + c * each, static_cast<std::size_t>(each)))
      largest = std::max(largest, std::abs(v));
    const double scaled = largest * std::abs(s);
    if (scaled > std::numeric_limits<float>::max() || (scaled < kLeast && largest > kLeast && s != 0)) return false;
    const double shift = k.t[static_cast<std::size_t>(c)] + (bias ? bias->as<float>()[c] * s : 0);
    if (!std::isfinite(static_cast<float>(shift))) return false;
  }
  return true;
}

// The Conv with scaled weights and shifted bias; its output.
ValueId into_conv(Rewriter& rewriter, NodeId conv, NodeId norm, const ScaleShift& k) {
  const Node& node = rewriter.node(conv);
  const std::string base = rewriter.value(node.inputs[1]).name;
  const norn::Tensor w = rewriter.value(node.inputs[1]).constant;
  const std::int64_t channels = w.dims()[0], each = channels ? w.size() / channels : 0;
  norn::Tensor scaled(DataType::Float, w.dims());
  for (std::int64_t c = 0; c < channels; ++c) {
    const double s = k.s[static_cast<std::size_t>(c)];
    const float* from = w.as<float>() + c * each;
    float* to = scaled.as_mutable<float>() + c * each;
    for (std::int64_t i = 0; i < each; ++i) to[i] = static_cast<float>(from[i] * s);
  }
  std::vector<double> bias = k.t;
  if (node.input(2) != kNone) {
    const float* b = rewriter.value(node.inputs[2]).constant.as<float>();
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += b[c] * k.s[c];
  }
  const ValueId weights = rewriter.constant(std::move(scaled), base + "_scaled");
  const ValueId shift = rewriter.constant(per_channel(bias, 0), base + "_shift");
  return rewriter.emit(ops::Conv, node.attrs, {node.inputs[0], weights, shift}, {conv, norm});
}

// Mul and Add in place of the node.
ValueId into_mul_add(Rewriter& rewriter, NodeId norm, const ScaleShift& k) {
  const Node& node = rewriter.node(norm);
  const ValueId x = node.inputs[0], y = node.outputs[0];
  const std::size_t trailing = rewriter.value(x).type.shape->size() - 2;
  const std::string base = rewriter.value(node.inputs[1]).name;
  const ValueId scale = rewriter.constant(per_channel(k.s, trailing), base + "_scale");
  const ValueId shift = rewriter.constant(per_channel(k.t, trailing), base + "_shift");
  const ValueId scaled = rewriter.emit(ops::Mul, {}, {x, scale}, {norm});
  rewriter.refine(scaled, rewriter.value(y).type);
  return rewriter.emit(ops::Add, {}, {scaled, shift}, {norm});
}

// Why the Conv before the node cannot take it; "" if it can.
std::string misfit(const Rewriter& rewriter, const Node& conv, ValueId between, const ScaleShift& k) {
  const std::size_t reads = rewriter.reads(between);
  if (!conv.parts.empty()) return "other operations are fused to that";
  if (reads != 1) return "the value \"" + rewriter.value(between).name + "\" has " + std::to_string(reads) + " readers";
  if (!constant_weights(rewriter.graph(), conv, static_cast<std::int64_t>(k.s.size())))
    return "its weights and bias are not all constants of type float";
  const norn::Tensor* bias = conv.input(2) != kNone ? &rewriter.value(conv.inputs[2]).constant : nullptr;
  if (!stays_in_range(rewriter.value(conv.inputs[1]).constant, bias, k))
    return "weights times the norm's factors are out of the range of float";
  return {};
}

}  // namespace

void fuse_conv_bn(Program& program, Graph& graph) {
  const auto is_norm = [](const Node& node) { return node.op == &ops::BatchNormalization; };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_norm)) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (!is_norm(node)) return;
    const ValueId x = node.inputs[0], y = node.outputs[0];
    const NodeId maker = rewriter.producer(x);
    const Node* conv = maker != kNoNode && rewriter.node(maker).op == &ops::Conv ? &rewriter.node(maker) : nullptr;
    const auto could_go = [&](const std::string& why) {
      rewriter.nearly("fuse_conv_bn", node,
                      [&] { return "BatchNormalization could go into " + describe_node(*conv) + ", but " + why; });
    };
    ScaleShift k;
    if (!scale_shift(graph, node, k)) {
      if (conv)
        could_go(
            "it trains, or its scale, B, mean and variance are not all constants of type float, or give no finite "
            "factors");
      return;
    }
    if (conv) {
      const std::string why = misfit(rewriter, *conv, x, k);
      if (why.empty()) {
        rewriter.replace(y, into_conv(rewriter, maker, n, k));
        return;
      }
      could_go(why);
    }
    const opset::ValueType& type = graph.value(x).type;
    if (!type.has_rank() || type.elem != DataType::Float || type.shape->size() < 2) return;
    rewriter.replace(y, into_mul_add(rewriter, n, k));
  });
  rewriter.commit();
}

}  // namespace norn::program
