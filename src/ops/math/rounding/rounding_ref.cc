// Round goes to the nearest integer, halves to the even one, whatever rounding mode is set.
#include <cmath>

#include "ops/common/loops.h"
#include "ops/math/rounding/rounding.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace rounding_ref_cc {
namespace {

double to_even(double x) { return x - std::remainder(x, 1.0); }

void ceil_ref(opset::ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::ceil(x); }});
}
void floor_ref(opset::ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::floor(x); }});
}
void round_ref(opset::ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::isinf(x) ? x : std::copysign(to_even(x), x); }});
}

}  // namespace
}  // namespace rounding_ref_cc

void rounding_references(opset::ReferenceTable& table) {
  table.add(Ceil, ceil_ref);
  table.add(Floor, floor_ref);
  table.add(Round, round_ref);
}

}  // namespace norn::ops
