// Normalizer: a row that has nothing to be divided by stays as it is.
#include <algorithm>
#include <cmath>

#include "ops/common/elements.h"
#include "ops/common/scores.h"
#include "ops/traditionalml/normalizer/normalizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace normalizer_ref_cc {
namespace {

double divisor(RowNorm norm, std::span<const double> row) {
  double result = norm == RowNorm::Max && !row.empty() ? row[0] : 0;
  for (const double v : row)
    result = norm == RowNorm::Max  ? std::max(result, v)
             : norm == RowNorm::L1 ? result + std::fabs(v)
                                   : std::hypot(result, v);
  return result;
}

void normalizer_ref(opset::ReferenceContext& ctx) {
  const RowNorm norm = resolve_normalizer(ctx);
  const Tensor& x = ctx.input(0);
  const Rows rows = rows_of(ctx, x.dims());
  std::vector<double> values = load_numbers(x);
  for (std::int64_t r = 0; !values.empty() && r < rows.count; ++r) {
    const auto row =
        std::span(values).subspan(static_cast<std::size_t>(r * rows.features), static_cast<std::size_t>(rows.features));
    const double by = divisor(norm, row);
    if (by == 0) continue;
    for (double& v : row) v /= by;
  }
  store_all<double>(ctx.output(0, DataType::Float, x.dims()), values);
}

}  // namespace
}  // namespace normalizer_ref_cc

void normalizer_references(opset::ReferenceTable& table) { table.add(Normalizer, normalizer_ref); }

}  // namespace norn::ops
