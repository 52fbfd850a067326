// A ConvTranspose without strides is a Conv: its filters with input and output channels exchanged, and turned around,
// over an image with `dilation * (size - 1) - pad` zeros around. Convs have the faster kernels, and take what comes
// before and behind them into themselves.
//
// Trap: where the output is larger than the image, most of what the Conv reads may be zeros (a first layer that makes
// 4 x 4 pixels of one would compute 16 times as much).
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "norn/value.h"
#include "ops/common/shapes.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "program/rewrite.h"
#include "program/rewriter.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // so that padding can be counted

// Whether the output has so many more pixels than its image that a Conv would mostly read zeros: at most so many times
// as many, `more[d]` more along axis d, are computed sooner by it. Not if the sizes are not known.
bool is_much_larger(const opset::ValueType& x, const std::vector<std::int64_t>& more) {
  constexpr double kMostTimes = 1.5;
  if (!x.has_rank() || x.shape->size() != more.size() + 2) return true;
  double times = 1;
  for (std::size_t d = 0; d < more.size(); ++d) {
    const opset::DimExpr& dim = (*x.shape)[d + 2];
    if (!dim.is_constant() || dim.constant() < 1) return true;
    times *= 1 + static_cast<double>(more[d]) / static_cast<double>(dim.constant());
  }
  return times > kMostTimes;
}

// The Conv's padding, first that before and then that behind each axis; nothing where the node has strides, an output
// that is much larger than its image, or one that attributes ask for in other ways.
std::optional<std::vector<std::int64_t>> padding_of(const Node& node, const Shape& w, const opset::ValueType& x) {
  const opset::Attrs attributes = node.attributes();
  const auto given = [&](const char* name) { return attributes.find_ints(name).value_or(std::vector<std::int64_t>{}); };
  const std::vector<std::int64_t> more = given("output_padding");
  if (!given("output_shape").empty() || std::any_of(more.begin(), more.end(), [](std::int64_t v) { return v != 0; }))
    return {};
  const std::size_t rank = w.size() - 2;
  const ops::WindowAttrs window = ops::read_window(attributes, rank);
  if (window.auto_pad != ops::AutoPad::NotSet && window.auto_pad != ops::AutoPad::Valid) return {};
  std::vector<std::int64_t> begin, end, more_pixels(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (window.strides[d] != 1 || w[d + 2] < 1 || w[d + 2] > kMost || window.dilations[d] > kMost / w[d + 2]) return {};
    const std::int64_t reach = window.dilations[d] * (w[d + 2] - 1);
    const std::int64_t before = window.pads_begin[d], behind = window.pads_end[d];
    if (before < 0 || behind < 0 || before > reach || behind > reach) return {};
    more_pixels[d] = std::max<std::int64_t>(0, reach - before - behind);
    begin.push_back(reach - before);
    end.push_back(reach - behind);
  }
  const bool grows = std::any_of(more_pixels.begin(), more_pixels.end(), [](std::int64_t n) { return n > 0; });
  if (grows && is_much_larger(x, more_pixels)) return {};
  begin.insert(begin.end(), end.begin(), end.end());
  return begin;
}

// [channels, filters of a group, ...] as [filters, channels of a group, ...], each window from its end.
norn::Tensor turned(const norn::Tensor& w, std::int64_t group) {
  const Shape& dims = w.dims();
  const std::int64_t channels = dims[0] / group, filters = dims[1];
  Shape turned_dims = dims;
  turned_dims[0] = filters * group;
  turned_dims[1] = channels;
  norn::Tensor turned(DataType::Float, turned_dims);
  const std::int64_t taps = w.size() / (dims[0] * dims[1]);
  const float* from = w.as<float>();
  for (std::int64_t g = 0; g < group; ++g)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t f = 0; f < filters; ++f, from += taps)
        std::reverse_copy(from, from + taps, turned.as_mutable<float>() + ((g * filters + f) * channels + c) * taps);
  return turned;
}

}  // namespace

void turn_conv_transposes(Program& program, Graph& graph) {
  const auto is_transposed = [](const Node& node) { return node.op == &ops::ConvTranspose; };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_transposed)) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (!is_transposed(node) || node.schema != &node.op->history.back() || !node.parts.empty()) return;
    if (!is_const(graph, node.inputs[1])) return;
    const norn::Tensor& w = rewriter.value(node.inputs[1]).constant;
    if (w.dtype() != DataType::Float || w.rank() < 3 || w.size() == 0) return;
    const std::int64_t group = node.attributes().find_i("group").value_or(1);
    if (group < 1 || w.dims()[0] % group != 0) return;
    const auto padding = padding_of(node, w.dims(), rewriter.value(node.inputs[0]).type);
    if (!padding) return;
    // A zero of the padding times what is not finite would be NaN.
    const std::span<const float> weights(w.as<float>(), static_cast<std::size_t>(w.size()));
    if (!std::all_of(weights.begin(), weights.end(), [](float v) { return std::isfinite(v); })) return;
    std::vector<ir::Attribute> attributes;
    for (const ir::Attribute& a : node.attrs)
      if (a.name == "dilations" || a.name == "group") attributes.push_back(a);
    attributes.push_back(transform::make_attr("pads", *padding));
    std::vector<ValueId> inputs = node.inputs;
    inputs[1] = rewriter.constant(turned(w, group), rewriter.value(node.inputs[1]).name + "_turned");
    rewriter.replace(node.outputs[0], rewriter.emit(ops::Conv, std::move(attributes), std::move(inputs), {n}));
  });
  rewriter.commit();
}

}  // namespace norn::program
