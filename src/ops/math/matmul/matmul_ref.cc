// Products in double, or exactly modulo 2^64; one rounding at the end.
#include "ops/common/elements.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul/multiply.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace matmul_ref_cc {
namespace {

void matmul_ref(opset::ReferenceContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const MatMulShape s = resolve_matmul(ctx, a.dims(), b.dims());
  Tensor& y = ctx.output(0, a.dtype(), s.out);
  if (y.size() == 0) return;
  visit_real(domain_of(a.dtype()),
             [&]<class D>(D) { store_all<D>(y, multiply_all(s, load_all<D>(a), load_all<D>(b))); });
}

}  // namespace
}  // namespace matmul_ref_cc

void matmul_references(opset::ReferenceTable& table) { table.add(MatMul, matmul_ref); }

}  // namespace norn::ops
