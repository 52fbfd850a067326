#include <cmath>

#include "ops/common/loops.h"
#include "ops/math/unary_log/unary_log.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace unary_log_ref_cc {
namespace {

using opset::ReferenceContext;

void log_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return std::log(x); }});
}
void reciprocal_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.f64 = [](double x) { return 1.0 / x; }});
}
// NaN and zeros of both signs stay as they are.
template <class D>
D sign(D x) {
  return x > 0 ? D{1} : x < 0 ? static_cast<D>(-1) : x;
}
void sign_ref(ReferenceContext& ctx) { map_elements(ctx, {sign<double>, sign<std::int64_t>, sign<std::uint64_t>}); }

}  // namespace
}  // namespace unary_log_ref_cc

void unary_log_references(opset::ReferenceTable& table) {
  table.add(Log, log_ref);
  table.add(Reciprocal, reciprocal_ref);
  table.add(Sign, sign_ref);
}

}  // namespace norn::ops
