#include <cmath>

#include "ops/common/elements.h"
#include "ops/tensor/is_special/is_special.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace is_special_ref_cc {
namespace {

using opset::ReferenceContext;

template <class F>
void classify(ReferenceContext& ctx, F is_special) {
  const Tensor& x = ctx.input(0);
  bool* y = ctx.output(0, DataType::Bool, x.dims()).as_mutable<bool>();
  for (const double v : load_all<double>(x)) *y++ = is_special(v);
}

void is_nan_ref(ReferenceContext& ctx) {
  classify(ctx, [](double x) { return std::isnan(x); });
}
void is_inf_ref(ReferenceContext& ctx) {
  const auto [negative, positive] = resolve_is_inf(ctx.attrs());
  classify(ctx, [&](double x) { return std::isinf(x) && (x < 0 ? negative : positive); });
}

}  // namespace
}  // namespace is_special_ref_cc

void is_special_references(opset::ReferenceTable& table) {
  table.add(IsInf, is_inf_ref);
  table.add(IsNaN, is_nan_ref);
}

}  // namespace norn::ops
