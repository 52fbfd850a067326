// Integer divisors of zero are an error, as those of Div. Floating types go through double, where the remainder of a
// cut quotient is exact; the other one is rounded when the divisor is added.
#include <cmath>

#include "base/input_refused.h"
#include "ops/common/loops.h"
#include "ops/math/mod/mod.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace mod_ref_cc {
namespace {

using opset::ReferenceContext;

template <class D>
D rest(D a, D b) {
  if (b == 0) throw base::InputRefused("an integer is divided by zero", 1);
  if (std::is_signed_v<D> && b == static_cast<D>(-1)) return 0;  // the least integer has no quotient
  return a % b;
}
std::int64_t floored_rest(std::int64_t a, std::int64_t b) {
  const std::int64_t r = rest(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double floored_rest(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) && !std::isnan(r) ? r + b : r;
}

void mod_ref(ReferenceContext& ctx) {
  if (truncates_quotient(ctx))
    map_pairs(ctx, {.f64 = [](double a, double b) { return std::fmod(a, b); },
                    .i64 = rest<std::int64_t>,
                    .u64 = rest<std::uint64_t>});
  else
    map_pairs(ctx, {.f64 = floored_rest, .i64 = floored_rest, .u64 = rest<std::uint64_t>});
}

// Before version 28 the quotient of floating types is always cut.
void mod_10_ref(ReferenceContext& ctx) {
  if (domain_of(ctx.input(0).dtype()) == Domain::F64 && !truncates_quotient(ctx))
    ctx.fail("before version 28 floating-point numbers require fmod = 1", "set fmod to 1");
  mod_ref(ctx);
}

}  // namespace
}  // namespace mod_ref_cc

void mod_references(opset::ReferenceTable& table) {
  table.add(Mod, mod_ref, 28);
  table.add(Mod, mod_10_ref, 10, 27);
}

}  // namespace norn::ops
