#include <algorithm>
#include <cmath>

#include "ops/common/elements.h"
#include "ops/math/unary_log/unary_log.h"
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

void log_ref(ReferenceContext& ctx) {
  map<double>(ctx, [](double x) { return std::log(x); });
}
void reciprocal_ref(ReferenceContext& ctx) {
  map<double>(ctx, [](double x) { return 1.0 / x; });
}
void sign_ref(ReferenceContext& ctx) {
  const auto sign = [](auto x) -> decltype(x) { return x > 0 ? 1 : x < 0 ? -1 : x; };
  visit_real(domain_of(ctx.input(0).dtype()), [&]<class D>(D) { map<D>(ctx, sign); });
}

}  // namespace

void unary_log_references(opset::ReferenceTable& table) {
  table.add(Log, log_ref);
  table.add(Reciprocal, reciprocal_ref);
  table.add(Sign, sign_ref);
}

}  // namespace norn::ops
