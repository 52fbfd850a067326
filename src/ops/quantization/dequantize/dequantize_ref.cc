// y = (x - x_zero_point) * x_scale. The difference is exact but for int32 and wide floats, where it is rounded to
// float; so the product is exact in double, and rounded once.
#include "ops/common/elements.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace dequantize_ref_cc {
namespace {

void dequantize_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &scale = ctx.input(1);
  const ScaleLayout layout = resolve_scales(ctx, x.dims(), scale.dims());
  std::vector<double> values = load_numbers(x), zero_points(static_cast<std::size_t>(scale.size()));
  const std::vector<double> scales = load_numbers(scale);
  if (ctx.has_input(2)) {
    require_shape_of_scale(ctx, 1, 2);
    zero_points = load_numbers(ctx.input(2));
  }
  layout.for_each([&](std::int64_t element, std::int64_t at) {
    double& v = values[static_cast<std::size_t>(element)];
    const auto s = static_cast<std::size_t>(at);
    v = static_cast<double>(static_cast<float>(v - zero_points[s])) * scales[s];
  });
  store_all<double>(ctx.output(0, dequantized_type(ctx, scale.dtype()), x.dims()), values);
}

}  // namespace
}  // namespace dequantize_ref_cc

void dequantize_references(opset::ReferenceTable& table) { table.add(DequantizeLinear, dequantize_ref); }

}  // namespace norn::ops
