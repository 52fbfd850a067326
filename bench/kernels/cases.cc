// Configurations that networks have: of each table some of every kind that its candidates were written for.
#include "kernel_bench.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/plane_pool.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/topk.h"

namespace norn::bench {
namespace {

using namespace kernels;

double count(const Shape& dims) { return static_cast<double>(element_count(dims)); }
std::size_t floats(const Shape& dims) { return static_cast<std::size_t>(element_count(dims)) * sizeof(float); }
std::string words(const Shape& dims) {
  std::string text;
  for (const std::int64_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}
Contents constant(const Shape& dims) {
  const auto n = static_cast<std::size_t>(element_count(dims));
  return {random_numbers(n), true, n * sizeof(float)};
}

void products(std::vector<Case>& cases) {
  struct Product {
    std::int64_t batch, m, k, n;
    bool constant = true;
  };
  for (const Product& p : {Product{1, 1, 768, 3072},
                           {1, 1, 4096, 4096},
                           {1, 4, 768, 768},
                           {1, 16, 768, 3072},
                           {1, 128, 768, 768},
                           {1, 128, 768, 3072},
                           {1, 128, 3072, 768},
                           {1, 197, 768, 2304},
                           {1, 512, 64, 64},
                           {1, 1000, 3, 1000},
                           {1, 256, 1000, 10},
                           {1, 33, 65, 127},
                           {12, 128, 64, 128, false},
                           {12, 128, 128, 64, false},
                           {12, 1, 64, 512, false}}) {
    MatMulConfig c;
    c.a = p.batch == 1 ? Shape{p.m, p.k} : Shape{p.batch, p.m, p.k};
    c.b = p.batch == 1 ? Shape{p.k, p.n} : Shape{p.batch, p.k, p.n};
    c.out = p.batch == 1 ? Shape{p.m, p.n} : Shape{p.batch, p.m, p.n};
    if (p.constant) c.b_constant = constant(c.b);
    add_case(cases, matmul_candidates(), c,
             "matmul/" + words(c.a) + "*" + words(c.b) + (p.constant ? "" : " both computed"),
             2 * count(c.out) * static_cast<double>(p.k), {floats(c.a), floats(c.b), 0, floats(c.out)});
  }
}

// In both layouts; the rest of `c` is complete but for the weights.
void convolution(std::vector<Case>& cases, ConvConfig c, const std::string& how) {
  c.weights = constant(c.w);
  for (const Layout layout : {Layout::ChannelsLast, Layout::Dense}) {
    c.x_layout = c.out_layout = layout;
    add_case(cases, conv_candidates(), c,
             "conv/" + words(c.x) + " by " + words(c.w) + " stride " + std::to_string(c.strides[0]) + how +
                 (layout == Layout::Dense ? " dense" : ""),
             2 * count(c.out) * count(c.w) / static_cast<double>(c.w[0]), {floats(c.x), floats(c.w), 0, floats(c.out)});
  }
}

void convolutions(std::vector<Case>& cases) {
  struct Window {
    std::int64_t channels, size, filters, kernel, stride = 1, group = 1;
  };
  for (const Window& w :
       {Window{3, 224, 64, 7, 2}, {3, 224, 32, 3, 2},        {64, 56, 64, 3},           {128, 28, 128, 3},
        {256, 14, 256, 3},        {512, 7, 512, 3},          {64, 56, 256, 1},          {256, 56, 64, 1},
        {1024, 14, 256, 1},       {96, 112, 24, 1},          {128, 56, 128, 3, 2},      {96, 56, 96, 3, 1, 96},
        {96, 112, 96, 3, 2, 96},  {240, 28, 240, 5, 1, 240}, {960, 7, 960, 3, 1, 960},  {128, 56, 128, 3, 1, 32},
        {256, 28, 256, 3, 1, 32}, {512, 14, 512, 3, 1, 32},  {1024, 7, 1024, 3, 1, 32}, {256, 56, 256, 3, 2, 32},
        {64, 56, 64, 3, 1, 4},    {224, 28, 224, 3, 1, 28},  {96, 28, 96, 3, 1, 6}}) {
    const std::int64_t pad = w.kernel / 2, out = (w.size + 2 * pad - w.kernel) / w.stride + 1;
    ConvConfig c;
    c.x = {1, w.channels, w.size, w.size};
    c.w = {w.filters, w.channels / w.group, w.kernel, w.kernel};
    c.out = {1, w.filters, out, out};
    c.group = w.group;
    c.strides = {w.stride, w.stride};
    c.dilations = {1, 1};
    c.pads_begin = c.pads_end = {pad, pad};
    convolution(cases, std::move(c), " group " + std::to_string(w.group));
  }
}

void line_convolutions(std::vector<Case>& cases) {
  struct Window {
    std::int64_t channels, size, filters, kernel, stride = 1, dilation = 1;
  };
  for (const Window& w : {Window{512, 3199, 512, 3, 2},
                          {512, 799, 512, 2, 2},
                          {80, 3000, 384, 3},
                          {384, 3000, 384, 3, 2},
                          {64, 4096, 64, 7, 1, 3},
                          {64, 2000, 128, 2, 1, 64},
                          {32, 2000, 64, 9},
                          {128, 250, 128, 3}}) {
    const std::int64_t reach = (w.kernel - 1) * w.dilation, out = (w.size - 1 - reach % 2) / w.stride + 1;
    ConvConfig c;
    c.x = {1, w.channels, w.size};
    c.w = {w.filters, w.channels, w.kernel};
    c.out = {1, w.filters, out};
    c.strides = {w.stride};
    c.dilations = {w.dilation};
    c.pads_begin = c.pads_end = {reach / 2};
    convolution(cases, std::move(c), " dilation " + std::to_string(w.dilation));
  }
}

void pools(std::vector<Case>& cases) {
  struct Window {
    std::int64_t channels, size, kernel, stride, pad;
  };
  for (const PoolKind kind : {PoolKind::Max, PoolKind::Average})
    for (const Window& w :
         {Window{64, 112, 3, 2, 1}, {32, 56, 2, 2, 0}, {192, 28, 3, 1, 1}, {128, 20, 5, 1, 2}, {512, 7, 7, 1, 0}}) {
      const std::int64_t out = (w.size + 2 * w.pad - w.kernel) / w.stride + 1;
      const std::string name = std::string(kind == PoolKind::Max ? "max" : "average") + " pool/" +
                               words({1, w.channels, w.size, w.size}) + " by " + std::to_string(w.kernel) + " stride " +
                               std::to_string(w.stride);
      PoolConfig c;
      c.kind = kind;
      c.x = {1, w.channels, w.size, w.size};
      c.out = {1, w.channels, out, out};
      c.window = {w.kernel, w.kernel};
      c.strides = {w.stride, w.stride};
      c.dilations = {1, 1};
      c.pads_begin = c.pads_end = {w.pad, w.pad};
      const double flop = count(c.out) * static_cast<double>(w.kernel * w.kernel);
      const PlanePoolConfig planes{DataType::Float, kind,        c.x,          c.out,     c.window,
                                   c.strides,       c.dilations, c.pads_begin, c.pads_end};
      add_case(cases, plane_pool_candidates(), planes, name, flop, {floats(c.x), floats(c.out)});
      c.x_layout = c.out_layout = Layout::ChannelsLast;
      add_case(cases, pool_candidates(), c, name + " channels last", flop, {floats(c.x), floats(c.out)});
    }
}

void lines(std::vector<Case>& cases) {
  for (const auto& [outer, n, inner] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1536, 128, 1},
                                        {12, 1000, 1},
                                        {1, 50257, 1},
                                        {20000, 5, 1},
                                        {8, 21, 4096}}) {
    const SoftmaxConfig c{outer, n, inner};
    const Shape dims = {outer, n, inner};
    add_case(cases, softmax_candidates(), c, "softmax/" + words(dims), 5 * count(dims), {floats(dims), floats(dims)});
  }
  for (const auto& [outer, n] : {std::pair<std::int64_t, std::int64_t>{128, 768}, {1, 4096}, {3136, 96}})
    for (const bool root : {false, true}) {
      LayerNormConfig c;
      c.outer = outer;
      c.n = n;
      c.has_bias = !root;
      c.root_mean_square = root;
      const Shape dims = {outer, n};
      const std::size_t row = floats({n});
      add_case(cases, layer_norm_candidates(), c, std::string(root ? "rms" : "layer") + " norm/" + words(dims),
               6 * count(dims), {floats(dims), row, root ? 0 : row, floats(dims)});
    }
  for (const auto& [outer, n, inner, k] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>{1, 50257, 1, 5},
        {1, 8400, 1, 300},
        {4, 32, 3600, 3},
        {100000, 5, 1, 2},
        {1, 32000, 1, 1}}) {
    const TopKConfig c{DataType::Float, true, k, outer, n, inner};
    const Shape x = {outer, n, inner}, out = {outer, k, inner};
    add_case(cases, topk_candidates(), c, "top " + std::to_string(k) + "/" + words(x), 0,
             {floats(x), floats(out), 2 * floats(out)});
  }
}

void movements(std::vector<Case>& cases) {
  struct Turn {
    Shape x;
    std::vector<std::int64_t> perm;
    std::size_t bytes = 4;
  };
  for (const Turn& t : {Turn{{1000, 1000}, {1, 0}},
                        {{1, 64, 56, 56}, {0, 2, 3, 1}},
                        {{1, 224, 224, 3}, {0, 3, 1, 2}},
                        {{1, 224, 224, 3}, {0, 3, 1, 2}, 1},
                        {{1, 128, 12, 64}, {0, 2, 1, 3}},
                        {{1, 12, 128, 64}, {0, 1, 3, 2}},
                        {{333, 777}, {1, 0}, 1},
                        {{333, 777}, {1, 0}, 2},
                        {{333, 777}, {1, 0}, 8}}) {
    TransposeConfig c{t.x, t.perm, t.bytes};
    std::string name = "transpose/" + words(t.x) + " by ";
    for (const std::int64_t p : t.perm) name += std::to_string(p);
    const std::size_t all = static_cast<std::size_t>(element_count(t.x)) * t.bytes;
    add_case(cases, transpose_candidates(), c, name + " of " + std::to_string(t.bytes) + " bytes", 0, {all, all});
  }
}

void chains(std::vector<Case>& cases) {
  using Op = ElementOp;
  const Shape x = {128, 3072};
  const auto add = [&](const std::string& name, std::vector<ExtraOperand> inputs, std::vector<ElementStep> steps) {
    ChainConfig c;
    c.out = x;
    c.inputs = std::move(inputs);
    c.steps = std::move(steps);
    std::vector<std::size_t> operands;
    for (const ExtraOperand& input : c.inputs) operands.push_back(floats(input.dims));
    operands.push_back(floats(x));
    const double flop = count(x) * static_cast<double>(c.steps.size());
    add_case(cases, chain_candidates(), c, "chain/" + name, flop, std::move(operands));
  };
  add("add", {{x}, {x}}, {{Op::Add, 0, 0, 1}});
  add("add a row, relu", {{x}, {{3072}}}, {{Op::Add, 0, 0, 1}, {Op::Relu}});
  add("multiply by a column", {{x}, {{128, 1}}}, {{Op::Mul, 0, 0, 1}});
  add("gelu", {{x}}, {{Op::Gelu}});
  add("sigmoid, multiply", {{x}, {x}}, {{Op::Sigmoid}, {Op::Mul, 0, 0, 1}});
  add("exp", {{x}}, {{Op::Exp}});
  add("tanh", {{x}}, {{Op::Tanh}});
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  products(cases);
  convolutions(cases);
  line_convolutions(cases);
  pools(cases);
  lines(cases);
  movements(cases);
  chains(cases);
  return cases;
}

}  // namespace norn::bench
