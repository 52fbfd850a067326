#include <algorithm>
#include <cmath>

#include "ops/common/elements.h"
#include "ops/math/rounding/rounding.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

using opset::ReferenceContext;

template <class D, class F>
void map(ReferenceContext& ctx, F f) {
  const Tensor& x = ctx.input(0);
  auto values = load_all<D>(x);
  std::transform(values.begin(), values.end(), values.begin(), f);
  store_all<D>(ctx.output(0, x.dtype(), x.dims()), values);
}

void ceil_ref(ReferenceContext& ctx) {
  map<double>(ctx, [](double x) { return std::ceil(x); });
}
void floor_ref(ReferenceContext& ctx) {
  map<double>(ctx, [](double x) { return std::floor(x); });
}
void round_ref(ReferenceContext& ctx) {
  map<double>(ctx, [](double x) { return std::nearbyint(x); });
}

}  // namespace

void rounding_references(opset::ReferenceTable& table) {
  table.add(Ceil, ceil_ref);
  table.add(Floor, floor_ref);
  table.add(Round, round_ref);
}

}  // namespace norn::ops
