// Conv, MatMul and Gemm, with what is fused behind them.
#include <optional>
#include <string>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/matmul.h"
#include "norn/session.h"
#include "ops/math/gemm/gemm.h"
#include "ops/nn/conv/conv.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

namespace {

// What every product of matrices has; nothing for types that the kernels do not compute.
std::optional<kernels::MatMulConfig> product(Selector& s) {
  if (!s.is_float("matmul")) return {};
  kernels::MatMulConfig config;
  config.a = s.dims(0);
  config.b = s.dims(1);
  config.out = s.out_dims();
  config.b_constant = s.contents(1);
  return config;
}

// Whether A, as it lies, is many matrices of a few rows each, and would be one if it were dense: to copy it takes less
// than so many products.
bool is_in_slivers(const kernels::MatMulConfig& config) {
  constexpr std::int64_t kFewRows = 32;
  if (config.a_strides.empty() || config.out[config.out.size() - 2] >= kFewRows) return false;
  if (kernels::product_count(config) == 1) return false;
  kernels::MatMulConfig dense = config;
  dense.a_strides.clear();
  return kernels::product_count(dense) == 1;
}

// Offers the product with the factors as they lie, if one dimension of their matrices is contiguous, else dense.
bool choose_product(Selector& s, kernels::MatMulConfig& config, std::vector<Operand>& uses, program::ValueId made) {
  const auto lies = [&](std::size_t i, const Shape& dims) -> std::vector<std::int64_t> {
    const auto* strides = s.strides_of(uses[i].value);
    if (!strides || strides->size() != dims.size()) return {};
    const std::size_t rank = dims.size();
    const bool runs = (*strides)[rank - 1] == 1 || (*strides)[rank - 2] == 1;
    return runs ? *strides : std::vector<std::int64_t>();
  };
  config.a_strides = lies(0, config.a);
  config.b_strides = lies(1, config.b);
  if (is_in_slivers(config)) config.a_strides.clear();
  uses[0].as_it_lies = !config.a_strides.empty();
  uses[1].as_it_lies = !config.b_strides.empty();
  if (s.precision() == Precision::BFloat16 && config.b_constant.known() &&
      s.choose(kernels::matmul_bf16_candidates(), config, uses, {made}))
    return true;
  if (s.choose(kernels::matmul_candidates(), config, uses, {made})) return true;
  if (!uses[0].as_it_lies && !uses[1].as_it_lies) return false;
  config.a_strides.clear();
  config.b_strides.clear();
  uses[0].as_it_lies = uses[1].as_it_lies = false;
  return s.choose(kernels::matmul_candidates(), config, uses, {made});
}

// A convolution of images of one pixel is a product of matrices.
bool select_pixel_conv(Selector& s) {
  const Shape &x = s.dims(0), &w = s.dims(1), &out = s.out_dims();
  for (const Shape* dims : {&x, &w, &out})
    for (std::size_t d = 2; d < dims->size(); ++d)
      if ((*dims)[d] != 1) return false;
  const ops::ConvParams params = ops::resolve_conv(SelectedNode(s), x, w);
  if (params.group != 1) return false;
  for (std::int64_t p : params.window.pads_begin)
    if (p != 0) return false;
  kernels::MatMulConfig config;
  config.a = {x[0], x[1]};
  config.b = {w[0], w[1]};
  config.out = {x[0], w[0]};
  config.b_constant = s.contents(1);
  config.trans_b = true;
  config.has_c = s.has(2);
  if (config.has_c) {
    config.c = s.dims(2);
    config.c_constant = s.constant_data(2);
  }
  std::vector<Operand> uses{{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}};
  program::ValueId made = s.take_parts(config.post, config.extra, uses, Layout::Dense);
  if (!config.extra.empty()) return false;
  return s.choose(kernels::matmul_candidates(), config, uses, {made});
}

}  // namespace

bool select_conv(Selector& s) {
  if (!s.is_float("conv")) return false;
  for (const program::Node& part : s.parts())
    if (part.op == &ops::Conv) {
      if (select_separable(s)) return true;
      break;
    }
  if (select_pixel_conv(s)) return true;
  const Shape &x = s.dims(0), &w = s.dims(1);
  const ops::ConvParams params = ops::resolve_conv(SelectedNode(s), x, w);
  const ops::Window& window = params.window;
  auto attempt = [&](Layout in, Layout out, bool first) {
    kernels::ConvConfig config;
    config.x = x;
    config.w = w;
    config.out = s.out_dims();
    config.group = params.group;
    config.strides = window.strides;
    config.dilations = window.dilations;
    config.pads_begin = window.pads_begin;
    config.pads_end = window.pads_end;
    config.x_layout = in;
    config.out_layout = out;
    config.weights = s.contents(1);
    config.has_bias = s.has(2);
    config.bias = s.constant_data(2);
    std::vector<Operand> uses{
        {s.node().inputs[0], in}, {s.node().inputs[1], Layout::Dense}, {s.node().input(2), Layout::Dense}};
    const program::ValueId made = s.take_parts(config.post, config.extra, uses, out);
    if (s.precision() == Precision::BFloat16 && s.choose(kernels::conv_bf16_candidates(), config, uses, {made, out}))
      return true;
    if (first) return s.choose(kernels::channels_first_conv_candidates(), config, uses, {made, out});
    return s.choose(kernels::conv_candidates(), config, uses, {made, out});
  };
  const auto advised = s.advised_layout();
  if (advised.value_or(s.made_in(s.node().inputs[0])) == Layout::Dense) {
    const auto cost =
        kernels::cost_of_channels_first({x, w, s.out_dims(), window.strides, window.dilations, params.group,
                                         s.contents(1).known(), s.precision() == Precision::BFloat16});
    // Without advice, there is nothing to reorder, or too much to ask about.
    if (cost && (advised || cost == 0) && attempt(Layout::Dense, Layout::Dense, true)) return true;
  }
  if (attempt(Layout::ChannelsLast, Layout::ChannelsLast, false)) return true;
  return attempt(Layout::Dense, Layout::Dense, false);
}

bool select_matmul(Selector& s) {
  if (select_attention_chain(s)) return true;
  auto found = product(s);
  if (!found) return select_product(s);
  kernels::MatMulConfig& config = *found;
  // numpy: a vector on the left is a row, on the right a column, and that dimension leaves the result.
  if (config.b.size() == 1) {
    config.b.push_back(1);
    config.out.push_back(1);
  }
  if (config.a.size() == 1) {
    config.a.insert(config.a.begin(), 1);
    config.out.insert(config.out.end() - 1, 1);
  }
  std::vector<Operand> uses{{s.node().inputs[0]}, {s.node().inputs[1]}, {}};
  program::ValueId made = s.node().outputs[0];
  if (s.dims(0).size() > 1 && s.dims(1).size() > 1)
    made = s.take_parts(config.post, config.extra, uses, Layout::Dense);
  else if (!s.parts().empty())
    s.refuse("matmul+" + std::string(s.parts()[0].op->name), "a product with a vector takes no fused operations");
  return choose_product(s, config, uses, made);
}

bool select_gemm(Selector& s) {
  auto found = product(s);
  if (!found) return select_gemm_product(s);
  kernels::MatMulConfig& config = *found;
  const ops::GemmParams params = ops::resolve_gemm(SelectedNode(s));
  config.trans_a = params.trans_a;
  config.trans_b = params.trans_b;
  config.alpha = params.alpha;
  config.beta = params.beta;
  config.has_c = s.has(2);
  if (config.has_c) {
    config.c = s.dims(2);
    config.c_constant = s.constant_data(2);
  }
  std::vector<Operand> uses{{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}};
  const program::ValueId made = s.take_parts(config.post, config.extra, uses, Layout::Dense);
  return choose_product(s, config, uses, made);
}

}  // namespace norn::runtime
