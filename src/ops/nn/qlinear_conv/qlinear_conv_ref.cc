// y = saturate(round((B + sum) * x_scale * w_scale / y_scale) + y_zero_point), where the sum is that of Conv of x and w
// without their zero points, and exact.
#include "ops/common/agree.h"
#include "ops/common/loops.h"
#include "ops/nn/conv/convolve.h"
#include "ops/nn/conv_integer/quantized_filters.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/quantization/quantize/quantize_elements.h"

namespace norn::ops {
inline namespace qlinear_conv_ref_cc {
namespace {

void qlinear_conv_ref(opset::ReferenceContext& ctx) {
  const Shape &x = ctx.input(0).dims(), &w = ctx.input(3).dims();
  const ConvParams p = resolve_conv(ctx, x, w);
  const std::int64_t filters = w[0];
  std::vector<double> bias(static_cast<std::size_t>(filters));
  if (ctx.has_input(8)) {
    require_list(ctx, 8, 3, 0);
    bias = load_numbers(ctx.input(8));
  }
  require_shape_of_scale(ctx, 4, 5);
  const double x_scale = single_number(ctx, 1), y_scale = single_number(ctx, 6), y_zero_point = single_number(ctx, 7);
  const std::vector<double> w_scales = per_filter(ctx, 4, filters);
  const ConvOperands operands = conv_operands(ctx, 0, 2, 3, 5);
  Tensor& y = ctx.output(0, ctx.input(7).dtype(), convolved_shape(p, x, w));
  std::vector<double> values = convolve(p, x, w, operands.x, operands.w, bias);
  const AxisView view = view_along(y.dims(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto filter = static_cast<std::size_t>(static_cast<std::int64_t>(i) / view.inner % view.n);
    values[i] = with_zero_point(y.dtype(), values[i] * (x_scale * w_scales[filter]) / y_scale, y_zero_point);
  }
  store_quantized(y, values);
}

}  // namespace
}  // namespace qlinear_conv_ref_cc

void qlinear_conv_references(opset::ReferenceTable& table) { table.add(QLinearConv, qlinear_conv_ref); }

}  // namespace norn::ops
