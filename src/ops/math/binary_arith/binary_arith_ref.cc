// Integers wrap around; their division truncates towards zero, and a zero divisor is an error. Floating formats compute
// in double and round once: for float and everything narrower that is the correctly rounded result.
#include "base/input_refused.h"
#include "ops/common/loops.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace binary_arith_ref_cc {
namespace {

using opset::ReferenceContext;

template <class D>
D divisor(D b) {
  if (b == 0) throw base::InputRefused("an integer is divided by zero", 1);
  return b;
}

void add_ref(ReferenceContext& ctx) { map_pairs(ctx, {plus<double>, plus<std::int64_t>, plus<std::uint64_t>}); }
void sub_ref(ReferenceContext& ctx) { map_pairs(ctx, {minus<double>, minus<std::int64_t>, minus<std::uint64_t>}); }
void mul_ref(ReferenceContext& ctx) { map_pairs(ctx, {times<double>, times<std::int64_t>, times<std::uint64_t>}); }
void div_ref(ReferenceContext& ctx) {
  map_pairs(ctx,
            {.f64 = [](double a, double b) { return a / b; },
             // The least value over -1 has no positive: it stays as it is.
             .i64 = [](std::int64_t a, std::int64_t b) { return b == -1 ? minus<std::int64_t>(0, a) : a / divisor(b); },
             .u64 = [](std::uint64_t a, std::uint64_t b) { return a / divisor(b); }});
}

}  // namespace
}  // namespace binary_arith_ref_cc

void binary_arith_references(opset::ReferenceTable& table) {
  table.add(Add, add_ref);
  table.add(Sub, sub_ref);
  table.add(Mul, mul_ref);
  table.add(Div, div_ref);
}

}  // namespace norn::ops
