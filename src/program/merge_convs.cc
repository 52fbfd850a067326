// The sum of convolutions of one tensor is one convolution: filters are added where their windows lie over each other,
// and so is a scale of each channel, which is a filter of one pixel, and a constant for each channel, which is a bias.
// Networks that are trained with parallel branches (RepVGG, MobileOne) are often exported with all of them.
//
// Added in double and rounded once: the result differs from the unfused one by a few roundings of f32. Only a window
// that reaches as far as another takes that one in, so that no pixel is multiplied by a zero that was not before.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/common/shapes.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/nn/conv/conv.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // so that padding can be counted

// One of two added values: a Conv, a tensor times a scale of each channel, perhaps plus a shift, or a shift alone.
struct Branch {
  ValueId x = kNone;
  std::vector<NodeId> nodes;
  ValueId weights = kNone;  // of a Conv
  ValueId scale = kNone;
  ValueId shift = kNone;  // by channel, or the bias; kNone: none
  std::int64_t filters = 0, group = 1;
  ops::WindowAttrs window;  // of a Conv, or of the pixel that is scaled
  bool is_conv() const { return weights != kNone; }
  bool has_filters() const { return is_conv() || scale != kNone; }
};

// The node of this operator that makes the value, which nothing else reads.
NodeId maker_of(const Rewriter& rewriter, ValueId id, const opset::Operator& op) {
  const NodeId maker = rewriter.reads(id) == 1 ? rewriter.producer(id) : kNoNode;
  if (maker == kNoNode) return kNoNode;
  const Node& node = rewriter.node(maker);
  return node.op == &op && node.schema == &op.history.back() && node.parts.empty() ? maker : kNoNode;
}

std::optional<Branch> conv_branch(const Rewriter& rewriter, ValueId id) {
  const NodeId maker = maker_of(rewriter, id, ops::Conv);
  if (maker == kNoNode) return {};
  const Node& node = rewriter.node(maker);
  Branch b;
  b.x = node.inputs[0];
  b.nodes = {maker};
  b.weights = node.inputs[1];
  b.shift = node.input(2);
  if (!is_const_f32(rewriter.graph(), b.weights) || (b.shift != kNone && !is_const_f32(rewriter.graph(), b.shift)))
    return {};
  const Shape& w = rewriter.value(b.weights).constant.dims();
  if (w.size() < 3 || element_count(w) == 0) return {};
  b.filters = w[0];
  b.group = node.attributes().find_i("group").value_or(1);
  if (b.group < 1 || b.filters % b.group != 0) return {};
  if (b.shift != kNone && rewriter.value(b.shift).constant.dims() != Shape{b.filters}) return {};
  b.window = ops::read_window(node.attributes(), w.size() - 2);
  if (b.window.auto_pad == ops::AutoPad::Valid)
    for (auto* pads : {&b.window.pads_begin, &b.window.pads_end}) std::fill(pads->begin(), pads->end(), 0);
  else if (b.window.auto_pad != ops::AutoPad::NotSet)
    return {};
  for (std::size_t d = 0; d + 2 < w.size(); ++d) {
    const std::int64_t dilation = b.window.dilations[d];
    if (dilation < 1 || dilation > kMost || w[d + 2] > kMost / dilation) return {};
    for (const std::int64_t pad : {b.window.pads_begin[d], b.window.pads_end[d]})
      if (pad < -kMost || pad > kMost) return {};
  }
  return b;
}

// Which input of a binary node has a constant for each of `channels` channels of a tensor of `rank`, which the other
// is.
std::optional<std::size_t> per_channel_input(const Rewriter& rewriter, const Node& node, std::int64_t channels,
                                             std::size_t rank) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_const_f32(rewriter.graph(), node.inputs[i])) continue;
    const Shape& dims = rewriter.value(node.inputs[i]).constant.dims();
    if (dims.size() != rank && dims.size() != rank - 1) continue;
    if (dims[dims.size() - (rank - 1)] == channels && element_count(dims) == channels) return i;
  }
  return {};
}

// A constant that Add brings to a Conv: as a branch without filters, if it is one number or one for each channel.
std::optional<Branch> shift_branch(const Rewriter& rewriter, const Node& add, std::size_t input, const Branch& conv) {
  const ValueId id = add.inputs[input];
  const std::size_t rank = rewriter.value(conv.weights).constant.dims().size();
  if (!is_const_f32(rewriter.graph(), id)) return {};
  const norn::Tensor& constant = rewriter.value(id).constant;
  const bool one = constant.size() == 1 && constant.dims().size() <= rank;
  if (!one && per_channel_input(rewriter, add, conv.filters, rank) != input) return {};
  Branch b;
  b.x = conv.x;
  b.shift = id;
  b.filters = conv.filters;
  return b;
}

// Of a tensor that has the channels of the Conv's output.
std::optional<Branch> scale_branch(const Rewriter& rewriter, ValueId id, const Branch& conv) {
  const std::int64_t channels = conv.filters;
  const std::size_t rank = rewriter.value(conv.weights).constant.dims().size();
  Branch b;
  if (const NodeId add = maker_of(rewriter, id, ops::Add); add != kNoNode) {
    const auto at = per_channel_input(rewriter, rewriter.node(add), channels, rank);
    if (!at) return {};
    b.shift = rewriter.node(add).inputs[*at];
    b.nodes.push_back(add);
    id = rewriter.node(add).inputs[1 - *at];
  }
  const NodeId mul = maker_of(rewriter, id, ops::Mul);
  if (mul == kNoNode) return {};
  const auto at = per_channel_input(rewriter, rewriter.node(mul), channels, rank);
  if (!at) return {};
  b.scale = rewriter.node(mul).inputs[*at];
  b.nodes.insert(b.nodes.begin(), mul);
  b.x = rewriter.node(mul).inputs[1 - *at];
  b.filters = channels;
  b.window.strides = b.window.dilations = Shape(rank - 2, 1);
  b.window.pads_begin = b.window.pads_end = Shape(rank - 2, 0);
  return b;
}

// Where the window of `inner` begins within that of `outer`, by dimensions; nothing where it is not within, or where
// the two give tensors of other sizes.
std::optional<Shape> place_within(const Rewriter& rewriter, const Branch& outer, const Branch& inner) {
  const Shape& w = rewriter.value(outer.weights).constant.dims();
  Shape sizes(w.size() - 2, 1), place;
  if (inner.is_conv()) {
    const Shape& v = rewriter.value(inner.weights).constant.dims();
    if (v.size() != w.size() || v[0] != w[0] || v[1] != w[1] || inner.group != outer.group) return {};
    sizes.assign(v.begin() + 2, v.end());
  } else if (w[0] != inner.filters || w[1] * outer.group != inner.filters) {
    return {};
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t dilation = outer.window.dilations[d];
    const std::int64_t before = outer.window.pads_begin[d] - inner.window.pads_begin[d];
    const std::int64_t behind = outer.window.pads_end[d] - inner.window.pads_end[d];
    if (outer.window.strides[d] != inner.window.strides[d]) return {};
    if (sizes[d] > 1 && inner.window.dilations[d] != dilation) return {};
    if (before < 0 || behind < 0 || before % dilation != 0) return {};
    if (before + behind != dilation * (w[d + 2] - sizes[d])) return {};
    place.push_back(before / dilation);
  }
  return place;
}

// Adds the filters of `inner`, the windows of which begin at `place` in those of `sums`.
void add_filters(const Rewriter& rewriter, const Branch& inner, const Shape& place, const Shape& w,
                 std::vector<double>& sums) {
  const std::int64_t window = element_count(Shape(w.begin() + 2, w.end()));
  const auto offset = [&](const Shape& at) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); ++d) flat = flat * w[d + 2] + place[d] + at[d];
    return flat;
  };
  const norn::Tensor& from = rewriter.value(inner.is_conv() ? inner.weights : inner.scale).constant;
  const float* v = from.as<float>();
  if (!inner.is_conv()) {
    // Filter f reads channel f, which is this one of its group.
    for (std::int64_t f = 0; f < w[0]; ++f) {
      const std::int64_t channel = f % w[1];
      sums[static_cast<std::size_t>((f * w[1] + channel) * window + offset(Shape(place.size(), 0)))] +=
          static_cast<double>(v[f]);
    }
    return;
  }
  const Shape sizes(from.dims().begin() + 2, from.dims().end());
  const std::int64_t taps = element_count(sizes);
  std::vector<std::int64_t> offsets;
  Shape at(sizes.size(), 0);
  for (std::int64_t t = 0; t < taps; ++t) {
    offsets.push_back(offset(at));
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
  }
  for (std::int64_t filter = 0; filter < w[0] * w[1]; ++filter)
    for (const std::int64_t tap : offsets)
      sums[static_cast<std::size_t>(filter * window + tap)] += static_cast<double>(*v++);
}

// Whether transforms by which windows of 3 x 3 are multiplied in a quarter of the products (Winograd) would lose digits
// of a filter, because it reads few of its elements with most of its weight. Such convolutions are computed directly,
// which takes longer than a branch beside them does.
bool has_uneven_filters(const Shape& w, const std::vector<double>& weights) {
  constexpr double kLeastOthers = 0.02;  // of the sum of squares, outside of the largest tap
  const auto taps = static_cast<std::size_t>(element_count(Shape(w.begin() + 2, w.end())));
  const auto channels = static_cast<std::size_t>(w[1]);
  std::vector<double> squares(taps);
  for (std::size_t filter = 0; filter < weights.size(); filter += channels * taps) {
    std::fill(squares.begin(), squares.end(), 0);
    double absolute = 0, all = 0;
    for (std::size_t i = 0; i < channels * taps; ++i) {
      const double v = weights[filter + i];
      squares[i % taps] += v * v;
      absolute += std::fabs(v);
      all += v * v;
    }
    const double largest = *std::max_element(squares.begin(), squares.end());
    if (std::sqrt(largest * static_cast<double>(channels)) > absolute || all - largest <= kLeastOthers * all)
      return true;
  }
  return false;
}
bool may_be_transformed(const Branch& conv, const Shape& w) {
  constexpr std::int64_t kFewChannels = 16;
  const auto ones = [](const std::vector<std::int64_t>& v) {
    return std::all_of(v.begin(), v.end(), [](std::int64_t one) { return one == 1; });
  };
  return w.size() > 3 && w[w.size() - 2] == 3 && w.back() == 3 && w[1] >= kFewChannels && ones(conv.window.strides) &&
         ones(conv.window.dilations);
}

std::optional<norn::Tensor> rounded(const std::vector<double>& values, Shape dims) {
  norn::Tensor t(DataType::Float, std::move(dims));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto v = static_cast<float>(values[i]);
    if (!std::isfinite(v)) return {};
    t.as_mutable<float>()[i] = v;
  }
  return t;
}

std::vector<double> doubles_of(const Rewriter& rewriter, ValueId id) {
  const norn::Tensor& t = rewriter.value(id).constant;
  return {t.as<float>(), t.as<float>() + t.size()};
}

// The Conv that does both branches' work in place of the Add, or kNone.
ValueId merged(Rewriter& rewriter, NodeId add, const Branch& outer, const Branch& inner) {
  const Shape dims = rewriter.value(outer.weights).constant.dims();
  const std::string base = rewriter.value(outer.weights).name;
  std::vector<double> bias(static_cast<std::size_t>(dims[0]), 0);
  for (const Branch* b : {&outer, &inner}) {
    if (b->shift == kNone) continue;
    const std::vector<double> shift = doubles_of(rewriter, b->shift);
    for (std::size_t f = 0; f < bias.size(); ++f) bias[f] += shift[shift.size() > 1 ? f : 0];
  }
  auto shift = rounded(bias, {dims[0]});
  if (!shift) return kNone;
  ValueId w = outer.weights;
  if (inner.has_filters()) {
    const auto place = place_within(rewriter, outer, inner);
    if (!place) return kNone;
    const std::vector<double> before = doubles_of(rewriter, outer.weights);
    std::vector<double> sums = before;
    add_filters(rewriter, inner, *place, dims, sums);
    if (may_be_transformed(outer, dims) && has_uneven_filters(dims, sums) && !has_uneven_filters(dims, before))
      return kNone;
    auto weights = rounded(sums, dims);
    if (!weights) return kNone;
    w = rewriter.constant(std::move(*weights), base + "_sum");
  }
  const Node& conv = rewriter.node(outer.nodes[0]);
  std::vector<NodeId> from = outer.nodes;
  from.insert(from.end(), inner.nodes.begin(), inner.nodes.end());
  from.push_back(add);
  std::vector<ir::Attribute> attributes = conv.attrs;
  std::vector<ValueId> inputs = {outer.x, w};
  if (outer.shift != kNone || inner.shift != kNone)
    inputs.push_back(rewriter.constant(std::move(*shift), base + "_shift"));
  return rewriter.emit(ops::Conv, std::move(attributes), std::move(inputs), from);
}

}  // namespace

void merge_convs(Program& program, Graph& graph) {
  const auto convs =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == &ops::Conv; });
  if (convs == 0) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (node.op != &ops::Add || node.schema != &node.op->history.back() || !node.parts.empty()) return;
    if (node.inputs[0] == node.inputs[1]) return;
    std::array<std::optional<Branch>, 2> branches;
    for (std::size_t i = 0; i < 2; ++i) branches[i] = conv_branch(rewriter, node.inputs[i]);
    if (branches[0] || branches[1]) {
      const std::size_t other = branches[0] ? 1 : 0;
      const Branch& conv = *branches[1 - other];
      if (!branches[other]) branches[other] = shift_branch(rewriter, node, other, conv);
      if (!branches[other]) branches[other] = scale_branch(rewriter, node.inputs[other], conv);
    }
    const auto& [a, b] = branches;
    if (!a || !b || a->x != b->x) return;
    ValueId sum = kNone;
    if (a->is_conv()) sum = merged(rewriter, n, *a, *b);
    if (sum == kNone && b->is_conv()) sum = merged(rewriter, n, *b, *a);
    if (sum != kNone) rewriter.replace(rewriter.node(n).outputs[0], sum);
  });
  rewriter.commit();
}

}  // namespace norn::program
