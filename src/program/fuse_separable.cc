// A depthwise convolution and the products over channels (convolutions of 1 x 1) before and behind it become one node,
// with the activations between them, so that a kernel can hand on what it computes while it is in the cache. One of the
// products may be missing. What the node's kernels do not take is planned as it was.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/math/clip/clip.h"
#include "ops/nn/conv/conv.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

constexpr std::int64_t kLeastChannels = 8;

bool are_all(const std::vector<std::int64_t>& values, std::int64_t expected) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value == expected; });
}

// Whether nothing but the running value goes into the operations behind the node's own.
bool has_plain_parts(const Graph& graph, const Node& node) {
  for (const Node& part : node.parts) {
    if (!part.op->elementwise) return false;
    for (std::size_t i = 1; i < part.inputs.size(); ++i)
      if (part.inputs[i] != kNone && (part.op != &ops::Clip || !is_const(graph, part.inputs[i]))) return false;
  }
  return true;
}

bool has_elementwise_parts(const Node& node) {
  for (const Node& part : node.parts)
    if (!part.op->elementwise) return false;
  return true;
}

// A convolution of images in f32 with constant weights; their dims, else nothing.
const Shape* weights_of(const Graph& graph, const Node& node) {
  if (node.op != &ops::Conv || node.outputs.size() != 1 || !is_const(graph, node.inputs[1])) return nullptr;
  const opset::ValueType& type = graph.value(node.outputs[0]).type;
  if (!type.is_tensor() || type.elem != DataType::Float) return nullptr;
  const Shape& dims = graph.value(node.inputs[1]).constant.dims();
  return dims.size() == 4 ? &dims : nullptr;
}

bool is_product(const Graph& graph, const Node& node) {
  const Shape* w = weights_of(graph, node);
  if (w == nullptr || (*w)[2] != 1 || (*w)[3] != 1 || node.attributes().i("group") != 1) return false;
  const ops::WindowAttrs window = ops::read_window(node.attributes(), 2);
  return are_all(window.strides, 1) && are_all(window.pads_begin, 0) && are_all(window.pads_end, 0);
}

bool is_depthwise(const Graph& graph, const Node& node) {
  const Shape* w = weights_of(graph, node);
  return w != nullptr && (*w)[0] >= kLeastChannels && (*w)[1] == 1 && node.attributes().i("group") == (*w)[0] &&
         (*w)[2] * (*w)[3] > 1;
}

}  // namespace

void fuse_separable(Program& program, Graph& graph) {
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (!is_depthwise(graph, node) || !has_elementwise_parts(node)) return;
    std::vector<NodeId> chain;
    const NodeId before = rewriter.producer(node.inputs[0]);
    if (before != kNoNode && rewriter.only_reader(node.inputs[0]) == n && is_product(graph, rewriter.node(before)) &&
        has_plain_parts(graph, rewriter.node(before)))
      chain.push_back(before);
    chain.push_back(n);
    const ValueId made = node.results()[0];
    const NodeId behind = rewriter.only_reader(made);
    if (behind != kNoNode && rewriter.node(behind).inputs[0] == made && has_plain_parts(graph, node) &&
        is_product(graph, rewriter.node(behind)) && has_elementwise_parts(rewriter.node(behind)))
      chain.push_back(behind);
    if (chain.size() > 1) {
      rewriter.fuse(chain);
      return;
    }
    const bool follows = before != kNoNode && is_product(graph, rewriter.node(before));
    if (!follows && (behind == kNoNode || !is_product(graph, rewriter.node(behind)))) return;
    rewriter.nearly("fuse_separable", node, [&] {
      return std::string("the depthwise convolution could be computed with the product over channels ") +
             (follows ? "before it, but other nodes read what that gives, or what it does besides reads other values"
                      : "behind it, but what it does besides reads other values");
    });
  });
  rewriter.commit();
}

}  // namespace norn::program
