// Y = (A - a_zero_point) * (B - b_zero_point), modulo 2^32.
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/matmul/multiply.h"
#include "ops/math/matmul_integer/quantized_matrix.h"

namespace norn::ops {
inline namespace matmul_integer_ref_cc {
namespace {

void matmul_integer_ref(opset::ReferenceContext& ctx) {
  const MatMulShape s = resolve_matmul(ctx, ctx.input(0).dims(), ctx.input(1).dims());
  const std::vector<double> a = without_zero_point(ctx, 0, 2, s.a_batch, s.m, s.k, By::Row);
  const std::vector<double> b = without_zero_point(ctx, 1, 3, s.b_batch, s.k, s.n, By::Column);
  const std::vector<double> product = multiply_all(s, a, b);
  store_all<std::int64_t>(ctx.output(0, DataType::Int32, s.out), {product.begin(), product.end()});
}

}  // namespace
}  // namespace matmul_integer_ref_cc

std::vector<double> without_zero_point(const opset::ReferenceContext& ctx, int input, int zero_point, Shape batch,
                                       std::int64_t rows, std::int64_t columns, By by) {
  std::vector<double> values = load_numbers(ctx.input(input));
  if (!ctx.has_input(zero_point)) return values;
  Shape matrix = std::move(batch);
  matrix.insert(matrix.end(), {rows, columns});
  const Shape given =
      opset::to_constants(resolve_by(ctx, opset::to_dims(matrix), opset::to_dims(ctx.input(zero_point).dims()), by));
  const std::vector<double> zero_points = load_numbers(ctx.input(zero_point));
  Odometer at(matrix, {broadcast_strides(given, matrix)});
  for (double& v : values) {
    v -= zero_points[static_cast<std::size_t>(at.offset(0))];
    at.next();
  }
  return values;
}

void matmul_integer_references(opset::ReferenceTable& table) { table.add(MatMulInteger, matmul_integer_ref); }

}  // namespace norn::ops
