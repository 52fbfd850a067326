// Imputer: NaN is a mark like any other, whatever its bits.
#include <cmath>

#include "ops/common/elements.h"
#include "ops/traditionalml/imputer/imputer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace imputer_ref_cc {
namespace {

void imputer_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const ImputerParams p = resolve_imputer(ctx, x.dtype(), x.rank() == 0 ? 1 : x.dims().back());
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  const auto replace = [&]<class D>(D mark, const auto& by) {
    std::vector<D> values = load_all<D>(x);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == mark || (mark != mark && values[i] != values[i])) values[i] = static_cast<D>(by[i % by.size()]);
    store_all<D>(y, values);
  };
  if (domain_of(x.dtype()) == Domain::F64)
    replace(static_cast<double>(p.replaced_float), p.floats);
  else
    replace(p.replaced_int, p.ints);
}

}  // namespace
}  // namespace imputer_ref_cc

void imputer_references(opset::ReferenceTable& table) { table.add(Imputer, imputer_ref); }

}  // namespace norn::ops
