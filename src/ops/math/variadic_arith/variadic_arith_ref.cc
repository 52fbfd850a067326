// Max, Min, Sum and Mean: a fold over the inputs, each broadcast to the common shape.
//
// NaN wins over everything, in Max and Min too. Floating types are folded in double and rounded once at the end, so a
// Sum or Mean in half precision neither overflows on the way nor depends on the order.
#include <cmath>

#include "ops/common/loops.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace variadic_arith_ref_cc {
namespace {

using opset::ReferenceContext;

template <class D>
D larger(D a, D b) {
  return a > b ? a : b;
}
template <class D>
D smaller(D a, D b) {
  return a > b ? b : a;
}

void fold(ReferenceContext& ctx, const BinaryFn& f, double divisor = 1) {
  if (ctx.input_count() == 0) ctx.fail("there is no input");
  if (ctx.version() < 8) resolve_same_shape(ctx, ctx.input_count());
  fold_inputs(ctx, f, divisor);
}

void max_ref(ReferenceContext& ctx) {
  fold(ctx, {.f64 = [](double a, double b) { return std::isnan(a)   ? a
                                                    : std::isnan(b) ? b
                                                                    : larger(a, b); },
             .i64 = larger<std::int64_t>,
             .u64 = larger<std::uint64_t>});
}
void min_ref(ReferenceContext& ctx) {
  fold(ctx, {.f64 = [](double a, double b) { return std::isnan(a)   ? a
                                                    : std::isnan(b) ? b
                                                                    : smaller(a, b); },
             .i64 = smaller<std::int64_t>,
             .u64 = smaller<std::uint64_t>});
}
void sum_ref(ReferenceContext& ctx) { fold(ctx, {.f64 = plus<double>}); }
void mean_ref(ReferenceContext& ctx) { fold(ctx, {.f64 = plus<double>}, ctx.input_count()); }

}  // namespace
}  // namespace variadic_arith_ref_cc

void variadic_arith_references(opset::ReferenceTable& table) {
  table.add(Max, max_ref);
  table.add(Min, min_ref);
  table.add(Sum, sum_ref);
  table.add(Mean, mean_ref);
}

}  // namespace norn::ops
