// Conv of x and w without their zero points, modulo 2^32.
#include "ops/common/loops.h"
#include "ops/nn/conv/convolve.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/conv_integer/quantized_filters.h"

namespace norn::ops {
inline namespace conv_integer_ref_cc {
namespace {

void conv_integer_ref(opset::ReferenceContext& ctx) {
  const Shape &x = ctx.input(0).dims(), &w = ctx.input(1).dims();
  const ConvParams p = resolve_conv(ctx, x, w);
  const ConvOperands operands = conv_operands(ctx, 0, 2, 1, 3);
  const std::vector<double> none(static_cast<std::size_t>(w[0]));
  const std::vector<double> sums = convolve(p, x, w, operands.x, operands.w, none);
  store_all<std::int64_t>(ctx.output(0, DataType::Int32, convolved_shape(p, x, w)), {sums.begin(), sums.end()});
}

}  // namespace
}  // namespace conv_integer_ref_cc

std::vector<double> per_filter(const opset::ReferenceContext& ctx, int input, std::int64_t filters) {
  const Tensor& t = ctx.input(input);
  if (t.dims() == Shape{filters}) return load_numbers(t);
  return std::vector<double>(static_cast<std::size_t>(filters), single_number(ctx, input));
}

ConvOperands conv_operands(const opset::ReferenceContext& ctx, int x, int x_zero_point, int w, int w_zero_point) {
  ConvOperands o{load_numbers(ctx.input(x)), load_numbers(ctx.input(w))};
  if (ctx.has_input(x_zero_point)) {
    const double zero_point = single_number(ctx, x_zero_point);
    for (double& v : o.x) v -= zero_point;
  }
  if (ctx.has_input(w_zero_point)) {
    const std::int64_t filters = ctx.input(w).dims()[0];
    const std::vector<double> zero_points = per_filter(ctx, w_zero_point, filters);
    const std::size_t each = filters ? o.w.size() / static_cast<std::size_t>(filters) : 0;
    for (std::size_t i = 0; i < o.w.size(); ++i) o.w[i] -= zero_points[i / each];
  }
  return o;
}

void conv_integer_references(opset::ReferenceTable& table) { table.add(ConvInteger, conv_integer_ref); }

}  // namespace norn::ops
