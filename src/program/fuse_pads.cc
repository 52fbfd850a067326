// A Pad of zeros before a convolution, or of what a pool passes over, is padding of the window itself. Exporters write
// it apart where the two ends of an axis differ ("same" padding with strides), or where a framework has a layer for it.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ops/nn/conv/conv.h"
#include "ops/nn/pool/pool.h"
#include "ops/tensor/pad/pad.h"
#include "program/match.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/rewriter.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

constexpr const char* kName = "fuse_pads";
constexpr std::int64_t kMost = std::int64_t{1} << 30;  // so that sums of two paddings can be counted
constexpr std::int64_t kMostTaps = 32, kMostPoolPadding = 3;

struct Padding {
  std::vector<std::int64_t> begin, end;  // of each spatial axis
};

// What the Pad adds around images, if that is known and it adds and removes nothing else.
std::optional<Padding> spatial_padding(const Graph& graph, const Node& pad, std::size_t rank) {
  const NodeParameters parameters(pad, &graph);
  if (ops::pad_mode(parameters) != ops::PadMode::Constant) return {};
  const ops::PadParams params = ops::resolve_pad(parameters, static_cast<std::int64_t>(rank));
  if (!params.begin || !params.end) return {};
  Padding padding;
  for (std::size_t d = 0; d < rank; ++d) {
    const opset::DimExpr &begin = (*params.begin)[d], &end = (*params.end)[d];
    if (!begin.is_constant() || !end.is_constant()) return {};
    if (begin.constant() < 0 || end.constant() < 0 || begin.constant() > kMost || end.constant() > kMost) return {};
    if (d < 2) {
      if (begin.constant() != 0 || end.constant() != 0) return {};
      continue;
    }
    padding.begin.push_back(begin.constant());
    padding.end.push_back(end.constant());
  }
  return padding;
}

// Whether the window computes the same with so much more padding of its own, in less time: kernels are slow at wide
// borders.
bool takes(const Node& node, const ops::WindowAttrs& window, const std::vector<std::int64_t>& sizes,
           const Padding& more) {
  if (window.auto_pad == ops::AutoPad::SameUpper || window.auto_pad == ops::AutoPad::SameLower) return false;
  const bool is_conv = node.op == &ops::Conv;
  const std::optional<ops::PoolParams> pool =
      is_conv ? std::nullopt : std::optional(ops::resolve_pool(NodeParameters(node)));
  if (pool && (pool->ceil_mode || node.outputs.size() != 1)) return false;  // places of maxima count the padding
  for (std::size_t d = 0; d < more.begin.size(); ++d) {
    if (is_conv && sizes[d] > kMostTaps) return false;
    const std::int64_t most =
        is_conv ? (sizes[d] - 1) * std::min(window.dilations[d], kMost) : std::min(sizes[d] - 1, kMostPoolPadding);
    for (const auto& [own, added] :
         {std::pair(window.pads_begin[d], more.begin[d]), {window.pads_end[d], more.end[d]}}) {
      if (own > kMost || own < -kMost || own + added > most) return false;
      // Padding of a pool's own does not count unless it says so.
      if (node.op == &ops::AveragePool && !pool->count_include_pad && own != 0) return false;
    }
  }
  return true;
}

// The sizes of the window, if they are known.
std::optional<std::vector<std::int64_t>> sizes_of(const Matcher& match, const Node& node,
                                                  const ops::WindowAttrs& window) {
  if (node.op != &ops::Conv) return window.kernel;
  const opset::ValueType& filters = match.type(node.inputs[1]);
  if (!filters.has_rank() || filters.shape->size() != window.pads_begin.size() + 2) return {};
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 2; d < filters.shape->size(); ++d) {
    const opset::DimExpr& size = (*filters.shape)[d];
    if (!size.is_constant()) return {};
    sizes.push_back(size.constant());
  }
  return sizes;
}

std::vector<ir::Attribute> with_padding(const Node& node, const ops::WindowAttrs& window, const Padding& more) {
  std::vector<ir::Attribute> attributes;
  for (const ir::Attribute& a : node.attrs)
    if (a.name != "pads" && a.name != "auto_pad" && a.name != "count_include_pad") attributes.push_back(a);
  std::vector<std::int64_t> pads;
  for (std::size_t d = 0; d < more.begin.size(); ++d) pads.push_back(window.pads_begin[d] + more.begin[d]);
  for (std::size_t d = 0; d < more.end.size(); ++d) pads.push_back(window.pads_end[d] + more.end[d]);
  attributes.push_back(transform::make_attr("pads", std::move(pads)));
  if (node.op == &ops::AveragePool) attributes.push_back(transform::make_attr("count_include_pad", std::int64_t{1}));
  return attributes;
}

}  // namespace

void fuse_pads(Program& program, Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == &ops::Pad; }))
    return;
  Rewriter rewriter(program, graph);
  const Matcher match(rewriter);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    const bool is_pool = node.op == &ops::MaxPool || node.op == &ops::AveragePool;
    if ((!is_pool && node.op != &ops::Conv) || node.schema != &node.op->history.back()) return;
    NodeId maker;
    const Node* pad = match.made_by(node.inputs[0], ops::Pad, &maker);
    if (!pad) return;
    const opset::ValueType& type = match.type(pad->inputs[0]);
    if (!type.has_rank() || type.shape->size() < 3 ||
        !(match.is_narrow_float(pad->inputs[0]) || type.elem == DataType::Double))
      return;
    const std::optional<double> fill = pad->input(2) == kNone ? 0.0 : match.number(pad->input(2));
    if (fill != (node.op == &ops::MaxPool ? -std::numeric_limits<double>::infinity() : 0.0)) return;
    const auto padding = spatial_padding(graph, *pad, type.shape->size());
    if (!padding) return;
    const ops::WindowAttrs window = ops::read_window(node.attributes(), type.shape->size() - 2);
    const auto sizes = sizes_of(match, node, window);
    if (!sizes || sizes->size() != padding->begin.size() || !takes(node, window, *sizes, *padding)) return;
    if (const std::size_t reads = rewriter.reads(node.inputs[0]); reads != 1) {
      rewriter.nearly(kName, node, [&] {
        return describe_node(*pad) + " could become padding of " + describe_node(node) + ", but the value \"" +
               rewriter.value(node.inputs[0]).name + "\" has " + std::to_string(reads) + " readers";
      });
      return;
    }
    std::vector<ValueId> inputs = node.inputs;
    inputs[0] = pad->inputs[0];
    const ValueId y = node.outputs[0];
    rewriter.replace(y, rewriter.emit(*node.op, with_padding(node, window, *padding), std::move(inputs), {n, maker}));
  });
  rewriter.commit();
}

}  // namespace norn::program
