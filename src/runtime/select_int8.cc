// Convolutions and matrix products of 8-bit integers: ConvInteger, MatMulInteger, QLinearConv, QLinearMatMul.
#include <optional>

#include "kernels/cpu/int8.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
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
constexpr Inputs kQLinear = {0, 3, 2, 5, 1, 4, 6, 7, 8};

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
  for (const std::size_t i : {*in.x_scale, *in.w_scale, *in.y_scale})
    if (s.dtype(i) != DataType::Float) return no("scales that are not float");
  if (count(s, *in.x_scale) != 1) return no("scales for each row of the left matrix");
  if (!goes_by_channel(s, *in.w_scale)) return no("scales that are not one for each channel");
  use(Op::Scale, *in.x_scale);
  use(Op::WScale, *in.w_scale);
  use(Op::YScale, *in.y_scale);
  use(Op::YZero, *in.y_zero);
  if (s.has(*in.bias)) use(Op::Bias, *in.bias);
  output.scales = count(s, *in.w_scale);
  return true;
}

bool is_zero(const norn::Tensor* zero_point) {
  return zero_point && zero_point->size() == 1 && *static_cast<const std::uint8_t*>(zero_point->data()) == 0;
}

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
  return s.choose(kernels::conv_int8_candidates(), config, uses, {s.node().outputs[0], Layout::ChannelsLast});
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
  return s.choose(kernels::matmul_int8_candidates(), config, uses, {s.node().outputs[0]});
}

}  // namespace

bool select_conv_integer(Selector& s) { return conv(s, kInteger); }
bool select_qlinear_conv(Selector& s) { return conv(s, kQLinear); }
bool select_matmul_integer(Selector& s) { return matmul(s, kInteger); }
bool select_qlinear_matmul(Selector& s) { return matmul(s, kQLinear); }

}  // namespace norn::runtime
