// y = saturate(round(sum * a_scale * b_scale / y_scale) + y_zero_point), where the sum of products of elements without
// their zero points is exact. The scales are multiplied exactly in double, so that quotients which are halves are found
// to be halves.
#include "ops/common/loops.h"
#include "ops/math/matmul/multiply.h"
#include "ops/math/matmul_integer/quantized_matrix.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/quantization/quantize/quantize_elements.h"

namespace norn::ops {
inline namespace qlinear_matmul_ref_cc {
namespace {

void qlinear_matmul_ref(opset::ReferenceContext& ctx) {
  const MatMulShape s = resolve_matmul(ctx, ctx.input(0).dims(), ctx.input(3).dims());
  for (const int i : {1, 4}) require_shape_of_scale(ctx, i, i + 1);
  const std::vector<double> a = without_zero_point(ctx, 0, 2, s.a_batch, s.m, s.k, By::Row);
  const std::vector<double> b = without_zero_point(ctx, 3, 5, s.b_batch, s.k, s.n, By::Column);
  const std::vector<double> a_scales = load_numbers(ctx.input(1)), b_scales = load_numbers(ctx.input(4));
  const double y_scale = single_number(ctx, 6), y_zero_point = single_number(ctx, 7);
  Tensor& y = ctx.output(0, ctx.input(7).dtype(), s.out);

  std::vector<double> values = multiply_all(s, a, b);
  const auto with = [](Shape batch, std::int64_t rows, std::int64_t columns) {
    batch.insert(batch.end(), {rows, columns});
    return batch;
  };
  const Shape out = with(s.batch, s.m, s.n);
  const auto steps = [&](const Shape& matrix, int scale, By by) {
    const auto shape = resolve_by(ctx, opset::to_dims(matrix), opset::to_dims(ctx.input(scale).dims()), by);
    return broadcast_strides(opset::to_constants(shape), out);
  };
  Odometer at(out, {steps(with(s.a_batch, s.m, s.k), 1, By::Row), steps(with(s.b_batch, s.k, s.n), 4, By::Column)});
  for (double& v : values) {
    const double scale =
        a_scales[static_cast<std::size_t>(at.offset(0))] * b_scales[static_cast<std::size_t>(at.offset(1))];
    v = with_zero_point(y.dtype(), v * scale / y_scale, y_zero_point);
    at.next();
  }
  store_quantized(y, values);
}

}  // namespace
}  // namespace qlinear_matmul_ref_cc

void qlinear_matmul_references(opset::ReferenceTable& table) { table.add(QLinearMatMul, qlinear_matmul_ref); }

}  // namespace norn::ops
