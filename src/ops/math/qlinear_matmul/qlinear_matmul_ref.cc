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
  for (const int i : {1, 4}) require_shape_of_scale(ctx, ctx.input(i).dims(), ctx.input(i + 1).dims());
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
  Odometer at(out,
              {broadcast_strides(resolve_by(ctx, with(s.a_batch, s.m, s.k), ctx.input(1).dims(), By::Row), out),
               broadcast_strides(resolve_by(ctx, with(s.b_batch, s.k, s.n), ctx.input(4).dims(), By::Column), out)});
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
