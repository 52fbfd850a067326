// ZipMap: every row's map has the same keys. Each has them for itself, since it may be written to.
#include <string>
#include <utility>

#include "ops/common/elements.h"
#include "ops/common/scores.h"
#include "ops/traditionalml/zip_map/zip_map.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace zip_map_ref_cc {
namespace {

void zip_map_ref(opset::ReferenceContext& ctx) {
  const Labels labels = resolve_labels(ctx, "classlabels_int64s", "classlabels_strings");
  const Tensor& x = ctx.input(0);
  const Rows rows = rows_of(ctx, x.dims());
  if (rows.features != labels.size())
    ctx.fail("X has " + std::to_string(rows.features) + " columns, but there are " + std::to_string(labels.size()) +
             " labels");
  Sequence maps;
  maps.items.reserve(static_cast<std::size_t>(rows.count));
  for (std::int64_t r = 0; r < rows.count; ++r) {
    // The values are views of one copy of the row.
    Tensor row(DataType::Float, {rows.features});
    copy_elements(row, 0, x, r * rows.features, rows.features);
    Map map{Tensor(labels.type(), {labels.size()}), {}};
    for (std::int64_t k = 0; k < labels.size(); ++k) labels.write(map.keys, k, k);
    map.values.reserve(static_cast<std::size_t>(rows.features));
    for (std::int64_t k = 0; k < rows.features; ++k)
      map.values.emplace_back(Tensor::borrow(DataType::Float, {}, row.as_mutable<float>() + k, row.owner()));
    maps.items.emplace_back(std::move(map));
  }
  ctx.set_output(0, Value(std::move(maps)));
}

}  // namespace
}  // namespace zip_map_ref_cc

void zip_map_references(opset::ReferenceTable& table) { table.add(ZipMap, zip_map_ref); }

}  // namespace norn::ops
