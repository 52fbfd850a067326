// BatchNormalization in inference is a scale and a shift per channel: y = x*s + t with s = scale/sqrt(var + epsilon)
// and t = B - mean*s. Behind a Conv with constant weights both go into the weights and the bias; elsewhere they become
// Mul and Add, which fuse with what is around them. Computed in double and rounded once: the result differs from the
// unfused one by a few roundings of f32.
#include <cmath>
#include <cstring>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/conv/conv.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

struct ScaleShift {
  std::vector<double> s, t;
};

bool constant_f32(const Graph& graph, ValueId id) {
  return is_const(graph, id) && graph.value(id).constant.dtype() == DataType::Float;
}

// Whether a Conv's weights, and its bias if it has one, are constants for so many output channels.
bool constant_weights(const Graph& graph, const Node& conv, std::int64_t channels) {
  const auto fits = [&](ValueId id, bool vector) {
    if (!constant_f32(graph, id)) return false;
    const Shape& dims = graph.value(id).constant.dims();
    return !dims.empty() && dims[0] == channels && (!vector || dims.size() == 1);
  };
  return fits(conv.input(1), false) && (conv.input(2) == kNone || fits(conv.input(2), true));
}

bool scale_shift(const Graph& graph, const Node& node, ScaleShift& out) {
  if (node.schema != &node.op->history.back()) return false;  // an old version that no step lifts
  if (node.attributes().i("training_mode") != 0 || node.outputs.size() != 1 || !node.post.empty()) return false;
  for (std::size_t i = 1; i < 5; ++i)
    if (!constant_f32(graph, node.input(i))) return false;
  const norn::Tensor* p[4];
  for (std::size_t i = 0; i < 4; ++i) p[i] = &graph.value(node.inputs[i + 1]).constant;
  const std::int64_t channels = p[0]->size();
  for (const norn::Tensor* t : p)
    if (t->size() != channels || t->rank() != 1) return false;
  const double epsilon = node.attributes().f("epsilon");
  for (std::int64_t c = 0; c < channels; ++c) {
    const double s = p[0]->as<float>()[c] / std::sqrt(static_cast<double>(p[3]->as<float>()[c]) + epsilon);
    out.s.push_back(s);
    out.t.push_back(p[1]->as<float>()[c] - p[2]->as<float>()[c] * s);
  }
  return true;
}

ValueId add_constant(Graph& graph, std::string name, norn::Tensor contents) {
  Value value;
  value.name = std::move(name);
  make_constant(value, std::move(contents));
  return graph.add_value(std::move(value));
}

norn::Tensor per_channel(const std::vector<double>& v, std::size_t trailing) {
  Shape dims{static_cast<std::int64_t>(v.size())};
  dims.insert(dims.end(), trailing, 1);
  norn::Tensor t(DataType::Float, dims);
  for (std::size_t c = 0; c < v.size(); ++c) t.as_mutable<float>()[c] = static_cast<float>(v[c]);
  return t;
}

void into_conv(Graph& graph, Node& conv, const Node& norm, const ScaleShift& k) {
  const Value& weight = graph.value(conv.inputs[1]);
  const norn::Tensor& w = weight.constant;
  const std::int64_t channels = w.dims()[0], each = channels ? w.size() / channels : 0;
  norn::Tensor scaled(DataType::Float, w.dims());
  for (std::int64_t c = 0; c < channels; ++c) {
    const double s = k.s[static_cast<std::size_t>(c)];
    const float* from = w.as<float>() + c * each;
    float* to = scaled.as_mutable<float>() + c * each;
    for (std::int64_t i = 0; i < each; ++i) to[i] = static_cast<float>(from[i] * s);
  }
  std::vector<double> bias = k.t;
  if (conv.input(2) != kNone) {
    const float* b = graph.value(conv.inputs[2]).constant.as<float>();
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += b[c] * k.s[c];
  }
  std::string base = weight.name;
  conv.inputs.resize(3, kNone);
  conv.inputs[1] = add_constant(graph, base + "_scaled", std::move(scaled));
  conv.inputs[2] = add_constant(graph, base + "_shift", per_channel(bias, 0));
  conv.outputs[0] = norm.outputs[0];
  conv.paths.insert(conv.paths.end(), norm.paths.begin(), norm.paths.end());
}

}  // namespace

void fuse_conv_bn(Graph& graph) {
  UseIndex uses(graph);
  std::vector<Node> rebuilt;
  rebuilt.reserve(graph.nodes.size());
  std::vector<std::size_t> position(graph.nodes.size());  // of each old node in `rebuilt`
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    ScaleShift k;
    if (node.op != &ops::BatchNormalization || !scale_shift(graph, node, k)) {
      position[i] = rebuilt.size();
      rebuilt.push_back(std::move(node));
      continue;
    }
    const int maker = uses.producer(node.inputs[0]);
    Node* conv = maker >= 0 ? &rebuilt[position[static_cast<std::size_t>(maker)]] : nullptr;
    if (conv && conv->op == &ops::Conv && conv->post.empty() && uses.uses(node.inputs[0]) == 1 &&
        constant_weights(graph, *conv, static_cast<std::int64_t>(k.s.size()))) {
      into_conv(graph, *conv, node, k);
      position[i] = position[static_cast<std::size_t>(maker)];
      continue;
    }
    const opset::ValueType& type = graph.value(node.inputs[0]).type;
    if (!type.has_rank() || type.elem != DataType::Float || type.shape->size() < 2) {
      position[i] = rebuilt.size();
      rebuilt.push_back(std::move(node));
      continue;
    }
    const std::size_t trailing = type.shape->size() - 2;
    Node scale, shift;
    scale.op = &ops::Mul;
    shift.op = &ops::Add;
    for (Node* n : {&scale, &shift}) {
      n->schema = &n->op->history.back();
      n->name = node.name;
      n->paths = node.paths;
      n->device_configurations = node.device_configurations;
      n->metadata = node.metadata;
    }
    Value between;
    between.name = graph.value(node.outputs[0]).name + "_scaled";
    between.type = graph.value(node.outputs[0]).type;
    const ValueId middle = graph.add_value(std::move(between));
    const std::string base = graph.value(node.inputs[1]).name;
    scale.inputs = {node.inputs[0], add_constant(graph, base + "_scale", per_channel(k.s, trailing))};
    scale.outputs = {middle};
    shift.inputs = {middle, add_constant(graph, base + "_shift", per_channel(k.t, trailing))};
    shift.outputs = {node.outputs[0]};
    rebuilt.push_back(std::move(scale));
    position[i] = rebuilt.size();
    rebuilt.push_back(std::move(shift));
  }
  graph.nodes = std::move(rebuilt);
}

}  // namespace norn::program
