// Computing in integers what a model describes as DequantizeLinear, an operation in float, and QuantizeLinear:
//   - Conv becomes QLinearConv, MatMul becomes QLinearMatMul; a Gemm, or a product that is not quantized again, becomes
//     MatMulInteger and its scaling. The bias is among the integers if that hardly changes it, else added behind. An
//     activation between them that bounds the value bounds the integers.
//   - ConvTranspose becomes a QLinearConv of all places in a block of the output, and what moves these to their places.
//   - What only moves elements, or picks the largest, moves integers; quantizing what was dequantized alike is removed.
//
// Sums are exact, where those of float are rounded at each step, and a bias may be rounded to the scale of the sums: a
// quantized result may be the neighbour of what the operations one by one give. Runs before constants are folded, since
// weights would become float there.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/expand/expand.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/shape.h"
#include "ops/tensor/tile/tile.h"
#include "ops/tensor/transpose/transpose.h"
#include "opset/reference.h"
#include "program/node_parameters.h"
#include "program/quantized.h"
#include "program/rewrite.h"
#include "program/upsampling.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

constexpr std::string_view kPass = "fuse_qdq";

// Operations on the elements of input 0 that may be done before dequantizing. Of those that insert a constant only Pad
// is among them, whose constant move() replaces.
bool moves(const opset::Operator* op) {
  if (op == &ops::Expand || op == &ops::Tile) return false;  // each copy would be dequantized
  return op->moves == opset::Movement::First || op == &ops::Pad || op == &ops::MaxPool;
}

// Whether no window of a MaxPool lies in the padding alone, whose elements are below what any integer stands for.
bool windows_meet_elements(const Node& node) {
  const std::vector<std::int64_t> kernel = ops::resolve_pool(NodeParameters(node)).kernel;
  const ops::WindowAttrs window = ops::read_window(node.attributes(), kernel.size());
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    const std::int64_t pad = std::max(window.pads_begin[d], window.pads_end[d]);
    const bool padded = window.auto_pad != ops::AutoPad::NotSet || window.pads_begin[d] != 0 || window.pads_end[d] != 0;
    if (pad >= kernel[d] || (padded && window.dilations[d] != 1)) return false;
  }
  return true;
}

// Constant weights of 8 bits, and the scales by which they stand for real numbers: one, or one for each channel.
struct Weights {
  norn::Tensor contents, scale, zero;  // the zero points are undefined for none
  ValueId value = kNone;               // the contents, as they are in the graph, if they are not transposed
  bool transposed = false;
  std::string name;

  double scale_of(std::int64_t channel) const { return scale.as<float>()[scale.size() == 1 ? 0 : channel]; }
  bool has_zeros() const {
    if (!zero.defined()) return false;
    for (std::int64_t i = 0; i < zero.size(); ++i)
      if (int8_at(zero, i) != 0) return true;
    return false;
  }
};

norn::Tensor transposed(const norn::Tensor& t) {
  const std::int64_t rows = t.dims()[0], columns = t.dims()[1];
  norn::Tensor to(t.dtype(), {columns, rows});
  const auto* from = static_cast<const char*>(t.data());
  auto* out = static_cast<char*>(to.mutable_data());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) out[c * rows + r] = from[r * columns + c];
  return to;
}

norn::Tensor zeros_like(const norn::Tensor& scale, DataType type) {
  norn::Tensor zeros(type, scale.dims());
  std::fill_n(static_cast<char*>(zeros.mutable_data()), zeros.size(), 0);
  return zeros;
}

class QdqFusion {
 public:
  QdqFusion(Program& program, Graph& graph) : rewriter_(program, graph), graph_(graph) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      const Node& node = rewriter_.node(n);
      if (!node.parts.empty() || node.schema != &node.op->history.back() || node.outputs.empty()) return;
      if (node.op == &ops::Conv) return conv(n);
      if (node.op == &ops::ConvTranspose) return conv_transpose(n);
      if (node.op == &ops::MatMul || node.op == &ops::Gemm) return product(n);
      if (node.op == &ops::QuantizeLinear) return quantize(n);
      if (node.op == &ops::Concat) return concat(n);
      if (moves(node.op)) return move(n);
    });
    // Nodes without readers would be folded.
    rewriter_.each_backward([&](NodeId n) { drop_unread(n); });
    for (const NodeId n : added_)
      if (rewriter_.is_there(n)) drop_unread(n);
    rewriter_.commit();
  }

 private:
  void drop_unread(NodeId n) {
    const Node& node = rewriter_.node(n);
    if (node.op != &ops::DequantizeLinear && node.op != &ops::Transpose && node.op != &ops::QuantizeLinear) return;
    if (node.parts.empty() && rewriter_.reads(node.outputs[0]) == 0) rewriter_.drop(n);
  }

  const Node* maker(ValueId id) const {
    if (id == kNone || rewriter_.producer(id) == kNoNode) return nullptr;
    return &rewriter_.node(rewriter_.producer(id));
  }
  // The value that is dequantized by one scale to `id`.
  std::optional<OneScale> dequantized(ValueId id, ValueId& x) const {
    const Node* node = maker(id);
    if (!node) return {};
    auto found = dequantizing(graph_, *node);
    if (found) x = node->inputs[0];
    return found;
  }

  // Contents of a value that is constant, or is computed from constants here.
  std::optional<norn::Tensor> contents(ValueId id) const {
    if (id == kNone) return {};
    const Value& value = graph_.value(id);
    if (value.is_constant()) return value.constant.defined() ? std::optional(value.constant) : std::nullopt;
    const Node* node = maker(id);
    if (!node || (node->op != &ops::QuantizeLinear && node->op != &ops::Transpose) || !node->parts.empty()) return {};
    if (!opset::find_reference(*node->op, node->schema->since)) return {};
    std::vector<norn::Value> inputs;
    for (const ValueId in : node->inputs) {
      if (in != kNone && !is_const(graph_, in)) return {};
      inputs.push_back(in == kNone ? norn::Value() : norn::Value(graph_.value(in).constant));
    }
    std::vector<const norn::Value*> pointers;
    for (std::size_t i = 0; i < inputs.size(); ++i) pointers.push_back(node->inputs[i] == kNone ? nullptr : &inputs[i]);
    try {
      return opset::evaluate(*node->op, node->attributes(), pointers, 1)[0].tensor();
    } catch (Error&) {
      return {};  // folding says what is wrong
    }
  }

  // `axis`: of the channels. A transposed matrix is looked for behind a Transpose.
  std::optional<Weights> weights(ValueId id, std::int64_t axis) const {
    const Node* node = maker(id);
    Weights w;
    if (node && node->op == &ops::Transpose && node->parts.empty()) {
      const opset::ValueType& type = graph_.value(id).type;
      if (!type.has_rank() || type.shape->size() != 2) return {};
      if (ops::resolve_transpose(NodeParameters(*node), 2)->front() != 1) return {};
      w.transposed = true;
      axis = 1 - axis;
      node = maker(node->inputs[0]);
    }
    if (!node || node->op != &ops::DequantizeLinear || node->schema != &node->op->history.back()) return {};
    if (!is_float_value(graph_, node->outputs[0]) || !is_const(graph_, node->inputs[1])) return {};
    auto found = contents(node->inputs[0]);
    if (!found || !is_8_bit(found->dtype())) return {};
    w.contents = *found;
    w.scale = graph_.value(node->inputs[1]).constant;
    w.value = is_const(graph_, node->inputs[0]) ? node->inputs[0] : kNone;
    w.name = graph_.value(node->inputs[0]).name;
    const auto rank = static_cast<std::int64_t>(w.contents.rank());
    if (axis >= rank || !w.scale.defined() || w.scale.dtype() != DataType::Float) return {};
    if (w.scale.size() != 1 || w.scale.rank() > 1) {
      const NodeParameters parameters(*node);
      if (ops::resolve_scale_block(parameters) != 0 || w.scale.rank() != 1 ||
          ops::resolve_scale_axis(parameters, rank) != axis ||
          w.scale.size() != w.contents.dims()[static_cast<std::size_t>(axis)])
        return {};
    }
    for (std::int64_t i = 0; i < w.scale.size(); ++i)
      if (!std::isfinite(w.scale.as<float>()[i])) return {};
    if (node->input(2) != kNone) {
      if (!is_const(graph_, node->inputs[2])) return {};
      w.zero = graph_.value(node->inputs[2]).constant;
      if (w.zero.size() != w.scale.size() || w.zero.dtype() != w.contents.dtype()) return {};
    }
    return w;
  }

  // A constant bias of `channels` elements as whole multiples of the sums' scales; nothing if it is another value, or
  // if an element is off by more than a small part of a `step` of the quantized result.
  std::optional<norn::Tensor> whole_bias(ValueId id, double x_scale, const Weights& w, std::int64_t channels,
                                         double step) const {
    std::vector<double> real;
    const norn::Tensor* whole = nullptr;
    const Node* node = maker(id);
    norn::Tensor scale;
    if (is_const(graph_, id) && graph_.value(id).constant.dtype() == DataType::Float) {
      const norn::Tensor& t = graph_.value(id).constant;
      real.assign(t.as<float>(), t.as<float>() + t.size());
    } else if (node && node->op == &ops::DequantizeLinear && is_const(graph_, node->inputs[0]) &&
               is_const(graph_, node->inputs[1]) && graph_.value(node->inputs[0]).constant.dtype() == DataType::Int32 &&
               graph_.value(node->inputs[1]).constant.dtype() == DataType::Float) {
      whole = &graph_.value(node->inputs[0]).constant;
      scale = graph_.value(node->inputs[1]).constant;
      if (node->input(2) != kNone) {  // of int32 it is 0 by the specification
        if (!is_const(graph_, node->inputs[2])) return {};
        const norn::Tensor& zero = graph_.value(node->inputs[2]).constant;
        for (std::int64_t i = 0; i < zero.size(); ++i)
          if (zero.as<std::int32_t>()[i] != 0) return {};
      }
      if (scale.size() != 1 && scale.size() != whole->size()) return {};
      for (std::int64_t i = 0; i < whole->size(); ++i)
        real.push_back(whole->as<std::int32_t>()[i] *
                       static_cast<double>(scale.as<float>()[scale.size() == 1 ? 0 : i]));
    } else {
      return {};
    }
    if (static_cast<std::int64_t>(real.size()) != channels) return {};
    norn::Tensor bias(DataType::Int32, {channels});
    for (std::int64_t c = 0; c < channels; ++c) {
      const double unit = x_scale * w.scale_of(c), value = real[static_cast<std::size_t>(c)];
      double units = std::nearbyint(value / unit);
      if (whole) {
        const double given = scale.as<float>()[scale.size() == 1 ? 0 : c];
        if (std::abs(given - unit) <= 1e-6 * std::abs(unit)) units = whole->as<std::int32_t>()[c];
      }
      if (!(std::abs(value - units * unit) <= step / 32 + 1e-6 * std::abs(value))) return {};
      if (!(std::abs(units) < 2147483647.0)) return {};
      bias.as_mutable<std::int32_t>()[c] = static_cast<std::int32_t>(units);
    }
    return bias;
  }

  ValueId zero_of(const OneScale& s, const std::string& name) {
    if (s.zero != kNone) return s.zero;
    norn::Tensor zero(s.type, {});
    *static_cast<char*>(zero.mutable_data()) = 0;
    return rewriter_.constant(std::move(zero), name + "_zero_point");
  }
  ValueId weight_zeros(const Weights& w) {
    return rewriter_.constant(w.zero.defined() ? w.zero : zeros_like(w.scale, w.contents.dtype()),
                              w.name + "_zero_point");
  }
  ValueId weight_value(const Weights& w, bool transpose) {
    if (!transpose && w.value != kNone) return w.value;
    return rewriter_.constant(transpose ? transposed(w.contents) : w.contents, w.name + "_q");
  }

  // What follows a value up to where it is quantized again: nothing, or Relu or Clip with constant bounds.
  struct Tail {
    std::vector<NodeId> nodes;  // the last one is QuantizeLinear
    OneScale y;
    double low = -INFINITY, high = INFINITY;
  };
  std::optional<Tail> tail(ValueId value) const {
    Tail t;
    for (NodeId n = rewriter_.only_reader(value); n != kNoNode; n = rewriter_.only_reader(value)) {
      const Node& node = rewriter_.node(n);
      if (!node.parts.empty() || node.inputs.empty() || node.inputs[0] != value) return {};
      t.nodes.push_back(n);
      if (node.op == &ops::QuantizeLinear) {
        const auto y = quantizing(graph_, node);
        if (!y) return {};
        t.y = *y;
        return t;
      }
      double low = -INFINITY, high = INFINITY;
      if (node.op == &ops::Relu) {
        low = 0;
      } else if (node.op == &ops::Clip) {
        const ops::ClipParams p = ops::resolve_clip(NodeParameters(node, &graph_));
        for (const auto& [bound, to] : {std::pair(&p.low, &low), {&p.high, &high}}) {
          if (!bound->given) continue;
          if (!bound->number.defined() || bound->number.dtype() != DataType::Float) return {};
          *to = *bound->number.as<float>();
          if (std::isnan(*to)) return {};
        }
      } else {
        return {};
      }
      // min(high, max(low, x)): bounds that cross give the upper one.
      t.low = std::min(std::max(t.low, low), high);
      t.high = std::min(std::max(t.high, low), high);
      value = node.outputs[0];
    }
    return {};
  }
  // Bounds of the real values as bounds of the quantized ones, which quantizing keeps in order.
  ValueId bounded(ValueId quantized, const Tail& t, const std::vector<NodeId>& from) {
    const std::int32_t low = t.low == -INFINITY ? t.y.least() : t.y.quantized(t.low);
    const std::int32_t high = t.high == INFINITY ? t.y.most() : t.y.quantized(t.high);
    if (low == t.y.least() && high == t.y.most()) return quantized;
    const auto bound = [&](std::int32_t v) {
      norn::Tensor number(t.y.type, {});
      *static_cast<char*>(number.mutable_data()) = static_cast<char>(v);
      return rewriter_.constant(std::move(number), v == low ? "low" : "high");
    };
    return rewriter_.emit(ops::Clip, {}, {quantized, bound(low), bound(high)}, from);
  }

  void nearly(const Node& node, const char* reason) {
    rewriter_.nearly(kPass, node,
                     [&] { return std::string(node.op->name) + " could be computed in integers, but " + reason; });
  }

  void conv(NodeId n) {
    const Node& node = rewriter_.node(n);
    ValueId x = kNone;
    const auto from = dequantized(node.inputs[0], x);
    if (!from) return;
    const auto w = weights(node.inputs[1], 0);
    if (!w || w->transposed) return nearly(node, "its weights are not constant integers with scales by filter");
    const auto t = tail(node.outputs[0]);
    if (!t) return nearly(node, "what it gives is not quantized by one constant scale, and by nothing else");
    const std::int64_t filters = w->contents.dims()[0];
    ValueId bias = kNone;
    if (node.input(2) != kNone) {
      auto whole = whole_bias(node.inputs[2], from->value, *w, filters, t->y.value);
      if (!whole) return nearly(node, "its bias is not a constant that is about a number of the sums' units");
      bias = rewriter_.constant(std::move(*whole), graph_.value(node.inputs[2]).name + "_whole");
    }
    std::vector<ir::Attribute> attrs = rewriter_.node(n).attrs;
    const std::vector<NodeId> all = with_tail(n, *t);
    finish(emit_conv(*from, x, *w, weight_value(*w, false), bias, *t, std::move(attrs), all), *t, all);
  }
  static std::vector<NodeId> with_tail(NodeId n, const Tail& t) {
    std::vector<NodeId> all = {n};
    all.insert(all.end(), t.nodes.begin(), t.nodes.end());
    return all;
  }
  ValueId emit_conv(const OneScale& from, ValueId x, const Weights& w, ValueId filters, ValueId bias, const Tail& t,
                    std::vector<ir::Attribute> attrs, const std::vector<NodeId>& all) {
    std::vector<ValueId> inputs = {x,
                                   from.scale,
                                   zero_of(from, w.name + "_x"),
                                   filters,
                                   rewriter_.constant(w.scale, w.name + "_scale"),
                                   weight_zeros(w),
                                   t.y.scale,
                                   zero_of(t.y, w.name + "_y")};
    if (bias != kNone) inputs.push_back(bias);
    return rewriter_.emit(ops::QLinearConv, std::move(attrs), std::move(inputs), all);
  }

  void conv_transpose(NodeId n) {
    const Node& node = rewriter_.node(n);
    ValueId x = kNone;
    const auto from = dequantized(node.inputs[0], x);
    if (!from) return;
    auto w = weights(node.inputs[1], 1);
    if (!w || w->transposed) return nearly(node, "its weights are not constant integers with scales by filter");
    if (node.attributes().i("group") != 1) return nearly(node, "it has groups of channels");
    const auto up = upsampling_of(node, w->contents.dims());
    if (!up) return nearly(node, "it gives no whole number of blocks, or too little for each of them");
    const auto t = tail(node.outputs[0]);
    if (!t) return nearly(node, "what it gives is not quantized by one constant scale, and by nothing else");
    const std::int64_t filters = w->contents.dims()[1];
    ValueId bias = kNone;
    if (node.input(2) != kNone) {
      const auto whole = whole_bias(node.inputs[2], from->value, *w, filters, t->y.value);
      if (!whole) return nearly(node, "its bias is not a constant that is about a number of the sums' units");
      norn::Tensor numbers(DataType::Int32, {up->places() * filters});
      for (std::int64_t i = 0; i < numbers.size(); ++i)
        numbers.as_mutable<std::int32_t>()[i] = whole->as<std::int32_t>()[i % filters];
      bias = rewriter_.constant(std::move(numbers), graph_.value(node.inputs[2]).name + "_whole");
    }
    const std::vector<NodeId> all = with_tail(n, *t);
    w->contents = upsampling_weights(*up, w->contents, w->zero);
    w->scale = for_each_place(*up, w->scale);
    if (w->zero.defined()) w->zero = for_each_place(*up, w->zero);
    w->value = kNone;
    std::vector<std::int64_t> pads = up->pads_begin;
    pads.insert(pads.end(), up->pads_end.begin(), up->pads_end.end());
    const ValueId placed = bounded(
        emit_conv(*from, x, *w, weight_value(*w, false), bias, *t, {transform::make_attr("pads", pads)}, all), *t, all);
    const ValueId y = rewriter_.node(t->nodes.back()).outputs[0];
    rewriter_.replace(y, up->places() == 1 ? placed : in_place(placed, x, *up, filters, all));
  }
  // Places of blocks, which are channels before the `filters` of each, as places of the output.
  ValueId in_place(ValueId placed, ValueId x, const Upsampling& up, std::int64_t filters,
                   const std::vector<NodeId>& from) {
    const auto rank = static_cast<std::int64_t>(up.blocks.size());
    const auto emit = [&](const opset::Operator& op, std::vector<ir::Attribute> attrs, std::vector<ValueId> inputs) {
      return rewriter_.emit(op, std::move(attrs), std::move(inputs), from);
    };
    const auto list = [&](const std::vector<std::int64_t>& values, const char* name) {
      norn::Tensor numbers(DataType::Int64, {static_cast<std::int64_t>(values.size())});
      std::copy(values.begin(), values.end(), numbers.as_mutable<std::int64_t>());
      return rewriter_.constant(std::move(numbers), name);
    };
    const auto sizes = [&](std::int64_t first, std::int64_t last) {
      return emit(ops::Shape, {transform::make_attr("start", first), transform::make_attr("end", last)}, {x});
    };
    const ValueId images = sizes(0, 1);
    ValueId count = sizes(2, 2 + rank);  // of blocks
    if (std::any_of(up.more.begin(), up.more.end(), [](std::int64_t more) { return more != 0; }))
      count = emit(ops::Add, {}, {count, list(up.more, "more")});
    const auto joined = [&](std::vector<ValueId> lists) {
      return emit(ops::Concat, {transform::make_attr("axis", std::int64_t{0})}, std::move(lists));
    };
    std::vector<std::int64_t> places = up.blocks, order = {0, rank + 1};
    places.push_back(filters);
    for (std::int64_t d = 0; d < rank; ++d) order.insert(order.end(), {rank + 2 + d, 1 + d});
    const auto reshaped = [&](ValueId of, ValueId shape) {
      return emit(ops::Reshape, {transform::make_attr("allowzero", std::int64_t{1})}, {of, shape});
    };
    const ValueId apart = reshaped(placed, joined({images, list(places, "places"), count}));
    const ValueId moved = emit(ops::Transpose, {transform::make_attr("perm", order)}, {apart});
    const ValueId all = emit(ops::Mul, {}, {count, list(up.blocks, "blocks")});
    return reshaped(moved, joined({images, list({filters}, "filters"), all}));
  }
  void finish(ValueId quantized, const Tail& t, const std::vector<NodeId>& all) {
    const ValueId y = rewriter_.node(t.nodes.back()).outputs[0];
    rewriter_.replace(y, bounded(quantized, t, all));
  }

  void product(NodeId n) {
    const Node& node = rewriter_.node(n);
    ValueId x = kNone;
    const auto from = dequantized(node.inputs[0], x);
    if (!from) return;
    bool transpose = false;
    ValueId c = kNone;
    if (node.op == &ops::Gemm) {
      const ops::GemmParams p = ops::resolve_gemm(NodeParameters(node));
      c = node.input(2);
      if (p.trans_a || p.alpha != 1.0f || (c != kNone && p.beta != 1.0f))
        return nearly(node, "it transposes or scales");
      transpose = p.trans_b;
    }
    const auto w = weights(node.inputs[1], transpose ? 0 : 1);
    if (!w || w->contents.rank() != 2) return variable_product(n, *from, x);
    if (w->transposed) transpose = !transpose;
    const std::int64_t columns = w->contents.dims()[transpose ? 0 : 1];
    const opset::ValueType& type = graph_.value(node.outputs[0]).type;
    if (!type.has_rank() || type.shape->size() < 2) return nearly(node, "its left side is a vector");
    const std::string name = w->name;
    const auto t = tail(node.outputs[0]);
    std::optional<norn::Tensor> bias;
    if (c != kNone) {
      const opset::ValueType& c_type = graph_.value(c).type;
      if (c_type.has_rank() && !c_type.shape->empty() && c_type.shape->back() == columns)
        bias = whole_bias(c, from->value, *w, columns, t ? t->y.value : 0);
      if (bias) c = kNone;
    }
    if (!bias && c == kNone && t) {
      std::vector<NodeId> all = {n};
      all.insert(all.end(), t->nodes.begin(), t->nodes.end());
      const ValueId w_scale = rewriter_.constant(w->scale, name + "_scale");
      finish(rewriter_.emit(ops::QLinearMatMul, {},
                            {x, from->scale, zero_of(*from, name + "_x"), weight_value(*w, transpose), w_scale,
                             weight_zeros(*w), t->y.scale, zero_of(t->y, name + "_y")},
                            all),
             *t, all);
      return;
    }
    // The sums have 32 bits here.
    double most = 0;
    for (std::int64_t j = 0; bias && j < columns; ++j)
      most = std::max(most, std::abs(static_cast<double>(bias->as<std::int32_t>()[j])));
    const bool centred = w->contents.dtype() == DataType::Int8 && !w->has_zeros();
    const double depth = static_cast<double>(w->contents.size()) / static_cast<double>(columns);
    if (columns == 0 || depth * 255 * (centred ? 128 : 255) + most >= 2147483648.0)
      return nearly(node, "its sums might not fit into 32 bits");
    std::vector<ValueId> inputs = {x, weight_value(*w, transpose), zero_of(*from, name + "_x")};
    if (w->has_zeros()) inputs.push_back(weight_zeros(*w));
    norn::Tensor scale(DataType::Float, {columns});
    for (std::int64_t j = 0; j < columns; ++j)
      scale.as_mutable<float>()[j] = static_cast<float>(w->scale_of(j) * from->value);
    const ValueId y = rewriter_.node(n).outputs[0];
    ValueId v = rewriter_.emit(ops::MatMulInteger, {}, std::move(inputs), {n});
    if (bias) v = rewriter_.emit(ops::Add, {}, {v, rewriter_.constant(std::move(*bias), name + "_bias")}, {n});
    v = rewriter_.emit(ops::Cast, {transform::make_attr("to", static_cast<std::int64_t>(DataType::Float))}, {v}, {n});
    v = rewriter_.emit(ops::Mul, {}, {v, rewriter_.constant(std::move(scale), name + "_scale")}, {n});
    if (c != kNone) v = rewriter_.emit(ops::Add, {}, {v, c}, {n});
    rewriter_.replace(y, v);
  }

  // Of two values that are computed.
  void variable_product(NodeId n, const OneScale& from, ValueId x) {
    const Node& node = rewriter_.node(n);
    ValueId b = kNone;
    const auto right = dequantized(node.inputs[1], b);
    if (!right || node.op != &ops::MatMul) return;
    const auto t = tail(node.outputs[0]);
    if (!t) return nearly(node, "what it gives is not quantized by one constant scale, and by nothing else");
    std::vector<NodeId> all = {n};
    all.insert(all.end(), t->nodes.begin(), t->nodes.end());
    const std::string name = node.name;
    finish(rewriter_.emit(ops::QLinearMatMul, {},
                          {x, from.scale, zero_of(from, name + "_x"), b, right->scale, zero_of(*right, name + "_w"),
                           t->y.scale, zero_of(t->y, name + "_y")},
                          all),
           *t, all);
  }

  // The integers that quantizing a value gives, if it was dequantized alike; kNone otherwise. What overflows would be
  // quantized to a bound.
  ValueId quantized_alike(ValueId id, const OneScale& to) const {
    ValueId x = kNone;
    const auto from = dequantized(id, x);
    return from && *from == to && std::isfinite(static_cast<float>(255 * from->value)) ? x : kNone;
  }
  void quantize(NodeId n) {
    const Node& node = rewriter_.node(n);
    const auto to = quantizing(graph_, node);
    if (!to) return;
    if (const ValueId x = quantized_alike(node.inputs[0], *to); x != kNone) rewriter_.replace(node.outputs[0], x);
  }

  // op(DequantizeLinear(x)) as DequantizeLinear(op(x)).
  void move(NodeId n) {
    const Node& node = rewriter_.node(n);
    if (node.outputs.size() != 1) return;
    ValueId x = kNone;
    const auto from = dequantized(node.inputs[0], x);
    if (!from) return;
    if (node.op == &ops::MaxPool && !windows_meet_elements(node))
      return nearly(node, "a window of its may lie in the padding");
    std::vector<ValueId> inputs = node.inputs;
    inputs[0] = x;
    if (node.op == &ops::Pad) {  // with the integer that stands for 0
      const NodeParameters parameters(node, &graph_);
      if (ops::pad_mode(parameters) == ops::PadMode::Constant) {
        if (node.input(2) != kNone) {
          const norn::Tensor* const value = ops::pad_element(parameters);
          if (!value || value->dtype() != DataType::Float || *value->as<float>() != 0.0f)
            return nearly(node, "it pads with another number than a constant 0");
        }
        if (inputs.size() < 3) inputs.resize(3, kNone);
        norn::Tensor number(from->type, {});
        *static_cast<char*>(number.mutable_data()) = static_cast<char>(from->zero_value);
        inputs[2] = rewriter_.constant(std::move(number), graph_.value(x).name + "_zero");
      }
    }
    emit_moved(n, std::move(inputs), *from);
  }

  void concat(NodeId n) {
    const Node& node = rewriter_.node(n);
    std::vector<ValueId> inputs;
    std::optional<OneScale> scale;
    bool alike = true, any = false;
    for (const ValueId id : node.inputs) {
      ValueId x = kNone;
      const auto from = dequantized(id, x);
      any |= from.has_value();
      alike &= from && (!scale || *scale == *from);
      scale = from;
      inputs.push_back(x);
    }
    if (alike && scale) return emit_moved(n, std::move(inputs), *scale);
    if (any && !quantize_parts(n))
      nearly(node, "neither are its inputs all dequantized alike, nor what it gives quantized");
  }

  // QuantizeLinear(Concat(...)) as Concat(QuantizeLinear(...)...): bytes are moved in place of floats.
  bool quantize_parts(NodeId n) {
    const ValueId y = rewriter_.node(n).outputs[0];
    const NodeId last = rewriter_.only_reader(y);
    if (last == kNoNode) return false;
    const auto to = quantizing(graph_, rewriter_.node(last));
    if (!to || rewriter_.node(last).inputs[0] != y) return false;
    std::vector<ValueId> parts;
    for (const ValueId id : std::vector<ValueId>(rewriter_.node(n).inputs)) {
      if (const ValueId x = quantized_alike(id, *to); x != kNone) {
        parts.push_back(x);
        continue;
      }
      std::vector<ir::Attribute> attrs = rewriter_.node(last).attrs;
      std::vector<ValueId> inputs = rewriter_.node(last).inputs;
      inputs[0] = id;
      parts.push_back(rewriter_.emit(ops::QuantizeLinear, std::move(attrs), std::move(inputs), {last}));
    }
    std::vector<ir::Attribute> attrs = rewriter_.node(n).attrs;
    const ValueId moved = rewriter_.emit(ops::Concat, std::move(attrs), std::move(parts), {n, last});
    rewriter_.replace(rewriter_.node(last).outputs[0], moved);
    return true;
  }

  void emit_moved(NodeId n, std::vector<ValueId> inputs, const OneScale& from) {
    const Node& node = rewriter_.node(n);
    const opset::Operator& op = *node.op;
    const ValueId y = node.outputs[0];
    std::vector<ir::Attribute> attrs = node.attrs;
    const ValueId moved = rewriter_.emit(op, std::move(attrs), std::move(inputs), {n});
    std::vector<ValueId> scaled = {moved, from.scale};
    if (from.zero != kNone) scaled.push_back(from.zero);
    const ValueId real = rewriter_.emit(ops::DequantizeLinear, {}, std::move(scaled), {n});
    added_.push_back(rewriter_.producer(real));
    rewriter_.replace(y, real);
  }

  Rewriter rewriter_;
  const Graph& graph_;
  std::vector<NodeId> added_;  // DequantizeLinear nodes behind what was moved
};

}  // namespace

void fuse_qdq(Program& program, Graph& graph) {
  if (std::any_of(graph.nodes.begin(), graph.nodes.end(),
                  [](const Node& node) { return node.op == &ops::DequantizeLinear; }))
    QdqFusion(program, graph).run();
}

}  // namespace norn::program
