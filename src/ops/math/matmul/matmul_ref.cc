// Products in double, or exactly modulo 2^64; one rounding at the end.
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul/multiply.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void matmul_ref(opset::ReferenceContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  if (a.rank() == 0 || b.rank() == 0)
    ctx.fail("a scalar cannot be multiplied as a matrix", "Mul multiplies by scalars");
  Shape as = a.dims(), bs = b.dims();
  const bool row = as.size() == 1, column = bs.size() == 1;
  if (row) as.insert(as.begin(), 1);
  if (column) bs.push_back(1);
  const std::int64_t m = as[as.size() - 2], k = as.back(), n = bs.back();
  if (bs[bs.size() - 2] != k) {
    ctx.fail("A " + to_string(a.dims()) + " has " + std::to_string(k) + " columns, B " + to_string(b.dims()) + " has " +
             std::to_string(bs[bs.size() - 2]) + " rows");
  }
  as.resize(as.size() - 2);
  bs.resize(bs.size() - 2);
  const Shape batch = broadcast(as, bs);
  Shape out = batch;
  if (!row) out.push_back(m);
  if (!column) out.push_back(n);
  Tensor& y = ctx.output(0, a.dtype(), out);
  if (y.size() == 0) return;
  visit_real(domain_of(a.dtype()), [&](auto d) {
    using D = decltype(d);
    const std::vector<D> av = load_all<D>(a), bv = load_all<D>(b);
    std::vector<D> product(static_cast<std::size_t>(m * n));
    std::int64_t at = 0;
    for (Odometer o(batch, {broadcast_strides(as, batch), broadcast_strides(bs, batch)}); !o.done(); o.next()) {
      product.assign(product.size(), D{});
      multiply(m, n, k, av.data() + o.offset(0) * m * k, bv.data() + o.offset(1) * k * n, product.data());
      store<D>(y, at, m * n, product.data());
      at += m * n;
    }
  });
}

}  // namespace

void matmul_references(opset::ReferenceTable& table) { table.add(MatMul, matmul_ref); }

}  // namespace norn::ops
