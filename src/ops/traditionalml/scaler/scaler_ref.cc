// Scaler: (x - offset) * scale.
#include "ops/common/elements.h"
#include "ops/traditionalml/scaler/scaler.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace scaler_ref_cc {
namespace {

void scaler_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const ScalerParams p = resolve_scaler(ctx, x.rank() == 0 ? 1 : x.dims().back());
  std::vector<double> values = load_numbers(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t at = i % p.scale.size();
    values[i] = (values[i] - p.offset[at]) * p.scale[at];
  }
  store_all<double>(ctx.output(0, DataType::Float, x.dims()), values);
}

}  // namespace
}  // namespace scaler_ref_cc

void scaler_references(opset::ReferenceTable& table) { table.add(Scaler, scaler_ref); }

}  // namespace norn::ops
