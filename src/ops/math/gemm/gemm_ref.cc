// Integers: exact modulo 2^n if alpha and beta are whole numbers; else the real result, truncated towards zero.
// beta = 0 leaves C unread, as in BLAS, so that its NaNs do not matter.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/multiply.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace gemm_ref_cc {
namespace {

template <class D>
std::vector<D> matrix(const Tensor& t, bool transpose) {
  std::vector<D> values = load_all<D>(t);
  if (!transpose) return values;
  const std::int64_t rows = t.dims()[0], columns = t.dims()[1];
  std::vector<D> turned(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) turned[c * rows + r] = values[r * columns + c];
  }
  return turned;
}

bool is_whole(double v) { return v == std::trunc(v) && std::abs(v) < 9e18; }

template <class D>
D combine(double alpha, D product, double beta, D c) {
  if constexpr (std::is_same_v<D, double>) {
    return beta == 0 ? alpha * product : alpha * product + beta * c;
  } else {
    if (is_whole(alpha) && is_whole(beta)) {
      const auto a = static_cast<std::uint64_t>(static_cast<std::int64_t>(alpha));
      const auto b = static_cast<std::uint64_t>(static_cast<std::int64_t>(beta));
      return static_cast<D>(a * static_cast<std::uint64_t>(product) + b * static_cast<std::uint64_t>(c));
    }
    const long double v = static_cast<long double>(alpha) * product + static_cast<long double>(beta) * c;
    if (std::isnan(v)) return 0;
    if (v <= static_cast<long double>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    if (v >= static_cast<long double>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    return static_cast<D>(v);
  }
}

void gemm_ref(opset::ReferenceContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const GemmParams p = resolve_gemm(ctx);
  const bool ta = p.trans_a, tb = p.trans_b;
  if (a.rank() != 2 || b.rank() != 2) {
    ctx.fail("A " + to_string(a.dims()) + " and B " + to_string(b.dims()) + " have to be matrices");
  }
  const std::int64_t m = a.dims()[ta], k = a.dims()[1 - ta], n = b.dims()[1 - tb];
  if (b.dims()[tb] != k) {
    ctx.fail("A " + to_string(a.dims()) + " and B " + to_string(b.dims()) + " do not fit: the inner sizes are " +
             std::to_string(k) + " and " + std::to_string(b.dims()[tb]));
  }
  const Shape out{m, n};
  const Tensor* c = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  if (c) {
    const Shape& s = c->dims();
    bool fits = s.size() <= 2 && (!p.exact_c || s == out);
    for (std::size_t d = 0; fits && d < s.size(); ++d) fits = s[d] == 1 || s[d] == out[2 - s.size() + d];
    if (!fits) ctx.fail("C " + to_string(s) + " does not fit the product's shape " + to_string(out));
  }
  Tensor& y = ctx.output(0, a.dtype(), out);
  if (y.size() == 0) return;
  visit_real(domain_of(a.dtype()), [&](auto d) {
    using D = decltype(d);
    const std::vector<D> av = matrix<D>(a, ta), bv = matrix<D>(b, tb);
    std::vector<D> product(static_cast<std::size_t>(m * n));
    multiply(m, n, k, av.data(), bv.data(), product.data());
    const std::vector<D> cv = c ? load_all<D>(*c) : std::vector<D>(1);
    const Shape c_dims = c ? c->dims() : Shape{};
    std::size_t at = 0;
    for (Odometer o(out, {broadcast_strides(c_dims, out)}); !o.done(); o.next(), ++at) {
      product[at] = combine<D>(p.alpha, product[at], c ? p.beta : 0.0, cv[static_cast<std::size_t>(o.offset(0))]);
    }
    store_all(y, product);
  });
}

}  // namespace
}  // namespace gemm_ref_cc

void gemm_references(opset::ReferenceTable& table) { table.add(Gemm, gemm_ref); }

}  // namespace norn::ops
