// Convolutions and matrix products of 8-bit integers: ConvInteger, MatMulInteger, QLinearConv, QLinearMatMul.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/cpu/int8.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/clip/clip.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/transpose/transpose.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;
using Op = kernels::Int8Operand;

// Which inputs of the node are what.
struct Inputs {
  std::size_t x = 0, w = 1, x_zero = 2, w_zero = 3;
  std::optional<std::size_t> x_scale, w_scale, y_scale, y_zero, bias;
};
constexpr Inputs kInteger;
constexpr Inputs kQLinear = {0, 3, 2, 5, 1, 4, 6, 7, {}};
constexpr Inputs kQLinearConv = {0, 3, 2, 5, 1, 4, 6, 7, 8};

std::int64_t count(Selector& s, std::size_t i) { return s.has(i) ? element_count(s.dims(i)) : 0; }

// One number, or a list along the channels, that of the last dimension if it has several.
bool goes_by_channel(Selector& s, std::size_t i) {
  const Shape& dims = s.dims(i);
  return element_count(dims) == 1 || dims.size() == 1 || dims.back() == element_count(dims);
}

// The operands that every one of them has; false, with a reason, for what the kernels do not compute.
bool common(Selector& s, std::string_view kernel, const Inputs& in, std::vector<Operand>& uses,
            kernels::SumOutput& output, Layout layout) {
  const auto no = [&](std::string reason) {
    s.refuse(std::string(kernel), std::move(reason));
    return false;
  };
  uses.assign(Op::Y, {});
  const auto use = [&](Op::Index to, std::size_t i) { uses[to] = {s.node().input(i)}; };
  use(Op::X, in.x);
  uses[Op::X].layout = layout;
  use(Op::W, in.w);
  use(Op::XZero, in.x_zero);
  use(Op::WZero, in.w_zero);
  output.type = s.out_dtype();
  if (count(s, in.x_zero) > 1) return no("zero points for each row of the left matrix");
  if (s.has(in.w_zero) && !goes_by_channel(s, in.w_zero)) return no("zero points that are not one for each channel");
  if (!in.x_scale) return true;
  if (count(s, *in.w_scale) != count(s, in.w_zero)) return no("zero points that are not one for each scale");
  for (const std::size_t i : {*in.x_scale, *in.w_scale, *in.y_scale})
    if (s.dtype(i) != DataType::Float) return no("scales that are not float");
  if (count(s, *in.x_scale) != 1) return no("scales for each row of the left matrix");
  if (!goes_by_channel(s, *in.w_scale)) return no("scales that are not one for each channel");
  use(Op::Scale, *in.x_scale);
  use(Op::WScale, *in.w_scale);
  use(Op::YScale, *in.y_scale);
  use(Op::YZero, *in.y_zero);
  if (in.bias && s.has(*in.bias)) use(Op::Bias, *in.bias);
  output.scales = count(s, *in.w_scale);
  return true;
}

bool is_zero(const norn::Tensor* zero_point) {
  return zero_point && zero_point->size() == 1 && *static_cast<const std::uint8_t*>(zero_point->data()) == 0;
}

// Reads what is known of scales and zero points into the output (SumOutput::tame).
void know_constants(Selector& s, const Inputs& in, const std::vector<Operand>& uses, kernels::SumOutput& output) {
  if (!in.x_scale || output.type == DataType::Int32 || output.type == DataType::Float) return;
  const auto is_tame = [](double v) { return std::abs(v) > 1e-20 && std::abs(v) < 1e20; };
  const auto scale = [&](Op::Index i) -> std::optional<double> {
    const norn::Tensor* t = uses[i].value == program::kNone ? nullptr : s.constant_if_known(uses[i].value);
    if (!t || t->size() != 1 || !is_tame(*t->as<float>())) return {};
    return *t->as<float>();
  };
  const auto zero = [&](Op::Index i) -> std::optional<std::int32_t> {
    if (uses[i].value == program::kNone) return 0;
    const norn::Tensor* t = s.constant_if_known(uses[i].value);
    if (!t || t->size() != 1) return {};
    return t->dtype() == DataType::Uint8 ? *t->as<std::uint8_t>() : *t->as<std::int8_t>();
  };
  const auto x = scale(Op::Scale), y = scale(Op::YScale);
  const auto y_zero = zero(Op::YZero);
  const norn::Tensor* w = s.constant_if_known(s.node().inputs[*in.w_scale]);
  const program::ValueId bias = uses[Op::Bias].value;
  if (!x || !y || !y_zero || !w || !zero(Op::XZero) || (bias != program::kNone && !s.constant_if_known(bias))) return;
  for (std::int64_t k = 0; k < w->size(); ++k)
    if (!is_tame(w->as<float>()[k]) || !is_tame(*x / *y * w->as<float>()[k])) return;
  kernels::SumOutput known = output;
  known.tame = true;
  known.odd = *y_zero % 2 != 0;
  if (output.is_bounded()) known.zero = *y_zero;
  if (output.other != DataType::Undefined) {
    const auto middle = scale(Op::MiddleScale), other = scale(Op::OtherScale), last = scale(Op::LastScale);
    const auto middle_zero = zero(Op::MiddleZero), other_zero = zero(Op::OtherZero), last_zero = zero(Op::LastZero);
    if (!middle || !other || !last || !middle_zero || !other_zero || !last_zero) return;
    if (!is_tame(*middle / *last) || !is_tame(*other / *last) || !is_tame(*middle / *other)) return;
    known.odd = *last_zero % 2 != 0;
    known.zero = *y_zero;
    known.middle_zero = *middle_zero;
    known.other_zero = *other_zero;
    known.middle_scale = static_cast<float>(*middle / *last);
    known.other_scale = static_cast<float>(*other / *last);
  }
  output = known;
}

bool is_one(Selector& s, program::ValueId id, DataType type) {
  return id == program::kNone || (s.dtype_of(id) == type && element_count(s.dims_of(id)) == 1);
}

// Reads the parts behind the operation; each step is taken whole or not at all.
class Parts {
 public:
  // `depth`: how many products a sum has.
  Parts(Selector& s, kernels::SumOutput& output, std::vector<Operand>& uses, Layout layout, std::size_t channel,
        std::int64_t depth)
      : s_(s),
        output_(output),
        uses_(uses),
        layout_(layout),
        channel_(channel),
        depth_(depth),
        made_(s.node().outputs[0]) {}

  // The value that the kernel gives.
  program::ValueId read() {
    if (output_.type == DataType::Int32) {
      sums();
    } else {
      while (clip()) {
      }
      add();
    }
    s_.take(at_);
    return made_;
  }

  // Of a convolution: the blocks whose places the channels become in what follows then, which it takes; nothing for
  // none.
  Shape places() {
    const auto *apart = part(ops::Reshape), *moved = part(ops::Transpose, 1), *joined = part(ops::Reshape, 2);
    if (!apart || !moved || !joined || apart->inputs[0] != made_) return {};
    const Shape &from = s_.dims_of(made_), &split = s_.dims_of(apart->outputs[0]), &to = s_.dims_of(joined->outputs[0]);
    const std::size_t rank = from.size() - 2;
    if (split.size() != 2 * rank + 2 || to.size() != from.size() || split[0] != from[0] || to[0] != from[0]) return {};
    const auto perm = ops::resolve_transpose(SelectedNode(s_, *moved), static_cast<std::int64_t>(split.size()));
    const Shape blocks(split.begin() + 1, split.begin() + 1 + static_cast<std::ptrdiff_t>(rank));
    Shape order = {0, static_cast<std::int64_t>(rank) + 1};
    if (to[1] != split[rank + 1]) return {};
    for (std::size_t d = 0; d < rank; ++d) {
      order.push_back(static_cast<std::int64_t>(rank + 2 + d));
      order.push_back(static_cast<std::int64_t>(1 + d));
      if (split[rank + 2 + d] != from[d + 2] || to[d + 2] != from[d + 2] * blocks[d]) return {};
    }
    if (*perm != order) return {};
    made_ = joined->outputs[0];
    s_.take(at_ += 3);
    return blocks;
  }
  program::ValueId made() const { return made_; }

 private:
  const program::Node* part(const opset::Operator& op, std::size_t ahead = 0) const {
    const auto parts = s_.parts();
    return at_ + ahead < parts.size() && parts[at_ + ahead].op == &op ? &parts[at_ + ahead] : nullptr;
  }
  void took(const program::Node& node) {
    made_ = node.outputs[0];
    ++at_;
  }
  program::ValueId other_input(const program::Node& node, program::ValueId running) const {
    return node.inputs.size() != 2 || node.inputs[0] == node.inputs[1] ? program::kNone
           : node.inputs[0] == running                                 ? node.inputs[1]
                                                                       : node.inputs[0];
  }
  // 1, or one for each channel; 0 for anything else.
  std::int64_t by_channel(program::ValueId id, DataType type) const {
    if (id == program::kNone || s_.dtype_of(id) != type) return 0;
    const Shape &dims = s_.dims_of(id), &out = s_.out_dims();
    const std::int64_t n = element_count(dims);
    if (n == 1 && dims.size() <= out.size()) return 1;
    const std::size_t back = out.size() - channel_;  // counted from the last dimension
    return dims.size() >= back && dims.size() <= out.size() && dims[dims.size() - back] == n && n == out[channel_] ? n
                                                                                                                   : 0;
  }

  // An Add of integers wraps around. Kernels add what they quantize without that, so it must not happen.
  bool may_wrap(program::ValueId bias) const {
    const norn::Tensor* known = s_.constant_if_known(bias);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (!known || depth_ > kMost / (255 * 255)) return true;
    const std::int64_t room = kMost - depth_ * 255 * 255;
    const auto* values = known->as<std::int32_t>();
    return std::any_of(values, values + known->size(), [room](std::int64_t v) { return v > room || v < -room; });
  }

  // [Add] [Cast [Mul] [Add]] [[Relu] QuantizeLinear]
  void sums() {
    if (channel_ >= s_.out_dims().size()) return;
    if (const auto* add = part(ops::Add)) {
      const program::ValueId bias = other_input(*add, made_);
      if (by_channel(bias, DataType::Int32) != s_.out_dims()[channel_] || s_.dims_of(add->outputs[0]) != s_.out_dims())
        return;
      uses_[Op::Bias] = {bias};
      took(*add);
    }
    const auto* cast = part(ops::Cast);
    if (!cast || s_.dtype_of(cast->outputs[0]) != DataType::Float) return;
    output_.type = DataType::Float;
    took(*cast);
    if (const auto* mul = part(ops::Mul)) {
      const program::ValueId scale = other_input(*mul, made_);
      output_.scales = by_channel(scale, DataType::Float);
      if (output_.scales == 0) {
        output_.scales = 1;
        return;
      }
      uses_[Op::WScale] = {scale};
      took(*mul);
    }
    if (const auto* add = part(ops::Add)) {
      const program::ValueId shift = other_input(*add, made_);
      const std::int64_t shifts = by_channel(shift, DataType::Float);
      if (shifts == 0 || s_.dims_of(add->outputs[0]) != s_.out_dims()) return;
      output_.shifts = shifts;
      uses_[Op::Shift] = {shift};
      took(*add);
      return;
    }
    const bool relu = part(ops::Relu) != nullptr;
    const auto* last = part(ops::QuantizeLinear, relu ? 1 : 0);
    if (!last || !quantizes(*last)) return;
    if (uses_[Op::Bias].value != program::kNone && may_wrap(uses_[Op::Bias].value)) return;
    const DataType type = s_.dtype_of(last->outputs[0]);
    if (relu) {
      const norn::Tensor* zero = last->input(2) == program::kNone ? nullptr : s_.constant_of(last->inputs[2]);
      if (last->input(2) != program::kNone && !zero) return;
      output_.low = zero == nullptr ? 0 : integer(*zero);
      took(*part(ops::Relu));
    }
    output_.type = type;
    uses_[Op::YScale] = {last->inputs[1]};
    uses_[Op::YZero] = {last->input(2)};
    took(*last);
  }

  static std::int64_t integer(const norn::Tensor& t) {
    return t.dtype() == DataType::Uint8 ? t.as<std::uint8_t>()[0] : t.as<std::int8_t>()[0];
  }
  bool quantizes(const program::Node& node) const {
    const DataType type = s_.dtype_of(node.outputs[0]);
    return (type == DataType::Uint8 || type == DataType::Int8) && is_one(s_, node.inputs[1], DataType::Float) &&
           is_one(s_, node.input(2), type);
  }

  // Clip of the quantized output.
  bool clip() {
    const auto* node = part(ops::Clip);
    if (!node) return false;
    std::int64_t bounds[2] = {output_.low, output_.high};
    const ops::ClipParams p = ops::resolve_clip(SelectedNode(s_, *node));
    for (const ops::ClipBound* bound : {&p.low, &p.high}) {
      if (!bound->given) continue;
      if (!bound->number.defined() || bound->number.dtype() != output_.type) return false;
      const std::int64_t v = integer(bound->number);
      // min(high, max(low, y)), behind what was taken before
      for (std::int64_t& b : bounds) b = bound == &p.low ? std::max(b, v) : std::min(b, v);
    }
    if (bounds[0] > bounds[1]) bounds[0] = bounds[1];
    output_.low = bounds[0];
    output_.high = bounds[1];
    took(*node);
    return true;
  }

  // DequantizeLinear Add [Relu] QuantizeLinear
  void add() {
    const auto *first = part(ops::DequantizeLinear), *sum = part(ops::Add, 1);
    if (!first || !sum) return;
    const bool relu = part(ops::Relu, 2) != nullptr;
    const auto* last = part(ops::QuantizeLinear, relu ? 3 : 2);
    if (!last || !quantizes(*last) || !is_one(s_, first->inputs[1], DataType::Float) ||
        !is_one(s_, first->input(2), output_.type))
      return;
    const program::ValueId other = other_input(*sum, first->outputs[0]);
    const Dequantized* from = other == program::kNone ? nullptr : s_.dequantized(other);
    if (!from || s_.dims_of(from->x) != s_.out_dims() || s_.dims_of(sum->outputs[0]) != s_.out_dims()) return;
    output_.other = s_.dtype_of(from->x);
    output_.last = s_.dtype_of(last->outputs[0]);
    output_.relu = relu;
    uses_[Op::Other] = {from->x, layout_};
    uses_[Op::OtherScale] = {from->scale};
    uses_[Op::OtherZero] = {from->zero};
    uses_[Op::MiddleScale] = {first->inputs[1]};
    uses_[Op::MiddleZero] = {first->input(2)};
    uses_[Op::LastScale] = {last->inputs[1]};
    uses_[Op::LastZero] = {last->input(2)};
    at_ += relu ? 4 : 3;
    made_ = last->outputs[0];
  }

  Selector& s_;
  kernels::SumOutput& output_;
  std::vector<Operand>& uses_;
  Layout layout_;
  std::size_t channel_;
  std::int64_t depth_;
  program::ValueId made_;
  std::size_t at_ = 0;
};

bool conv(Selector& s, const Inputs& in) {
  kernels::ConvInt8Config config;
  std::vector<Operand> uses;
  if (!common(s, "conv", in, uses, config.output, Layout::ChannelsLast)) return false;
  config.x = s.dims(in.x);
  config.w = s.dims(in.w);
  config.out = s.out_dims();
  const ops::ConvParams params = ops::resolve_conv(SelectedNode(s), config.x, config.w);
  config.group = params.group;
  config.strides = params.window.strides;
  config.dilations = params.window.dilations;
  config.pads_begin = params.window.pads_begin;
  config.pads_end = params.window.pads_end;
  config.x_type = s.dtype(in.x);
  config.w_type = s.dtype(in.w);
  config.weights = s.contents(in.w);
  config.w_zeros = count(s, in.w_zero);
  if (config.w_zeros > 0) config.w_zero = s.contents(in.w_zero);
  const auto none = [](const Shape& pads) {
    return std::all_of(pads.begin(), pads.end(), [](auto p) { return p == 0; });
  };
  config.pads_are_zero =
      (none(config.pads_begin) && none(config.pads_end)) || !s.has(in.x_zero) || is_zero(s.constant(in.x_zero));
  if (in.bias && s.has(*in.bias) && s.dims(*in.bias) != Shape{config.w[0]}) {
    s.refuse("conv", "a bias that is not one number for each filter");
    return false;
  }
  const std::int64_t depth = config.w[0] == 0 ? 0 : element_count(config.w) / config.w[0];
  Parts parts(s, config.output, uses, Layout::ChannelsLast, 1, depth);
  const program::ValueId made = parts.read();
  know_constants(s, in, uses, config.output);
  const std::size_t taken = s.taken();
  if (config.blocks = parts.places(); !config.blocks.empty()) {
    if (s.choose(kernels::conv_int8_candidates(), config, uses, {parts.made(), Layout::ChannelsLast})) return true;
    s.take(taken);
    config.blocks.clear();
  }
  return s.choose(kernels::conv_int8_candidates(), config, uses, {made, Layout::ChannelsLast});
}

bool matmul(Selector& s, const Inputs& in) {
  kernels::MatMulInt8Config config;
  std::vector<Operand> uses;
  if (!common(s, "matmul", in, uses, config.output, Layout::Dense)) return false;
  config.x = s.dims(in.x);
  config.w = s.dims(in.w);
  config.out = s.out_dims();
  if (config.w.size() == 1) {
    config.w.push_back(1);
    config.out.push_back(1);
  }
  if (config.x.size() == 1) {
    config.x.insert(config.x.begin(), 1);
    config.out.insert(config.out.end() - 1, 1);
  }
  config.x_type = s.dtype(in.x);
  config.w_type = s.dtype(in.w);
  config.weights = s.contents(in.w);
  config.w_zeros = count(s, in.w_zero);
  if (config.w_zeros > 0) config.w_zero = s.contents(in.w_zero);
  program::ValueId made = s.node().outputs[0];
  if (s.dims(in.x).size() > 1 && s.dims(in.w).size() > 1)
    made = Parts(s, config.output, uses, Layout::Dense, s.out_dims().size() - 1, config.x.back()).read();
  return s.choose(kernels::matmul_int8_candidates(), config, uses, {made});
}

}  // namespace

bool select_conv_integer(Selector& s) { return conv(s, kInteger); }
bool select_qlinear_conv(Selector& s) { return conv(s, kQLinearConv); }
bool select_matmul_integer(Selector& s) { return matmul(s, kInteger); }
bool select_qlinear_matmul(Selector& s) { return matmul(s, kQLinear); }

}  // namespace norn::runtime
