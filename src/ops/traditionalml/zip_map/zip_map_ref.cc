// ZipMap: every row's map has the same keys. Each has them for itself, since it may be written to: pieces of one tensor
// that do not overlap are handed out as they lie (runtime/hand_out.h).
#include <cstddef>
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
  // Pieces of one tensor of keys and one of values.
  const std::int64_t n = labels.size();
  Tensor keys(labels.type(), {rows.count * n}), values(DataType::Float, {rows.count * n});
  copy_elements(values, 0, x, 0, values.size());
  auto* key = static_cast<std::byte*>(keys.mutable_data());
  auto* value = values.as_mutable<float>();
  Sequence maps;
  maps.items.reserve(static_cast<std::size_t>(rows.count));
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t k = 0; k < n; ++k) labels.write(keys, r * n + k, k);
    Map map{Tensor::borrow(keys.dtype(), {n}, key, keys.owner()), {}};
    key += map.keys.bytes();
    map.values.reserve(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k)
      map.values.emplace_back(Tensor::borrow(DataType::Float, {}, value++, values.owner()));
    maps.items.emplace_back(std::move(map));
  }
  ctx.set_output(0, Value(std::move(maps)));
}

}  // namespace
}  // namespace zip_map_ref_cc

void zip_map_references(opset::ReferenceTable& table) { table.add(ZipMap, zip_map_ref); }

}  // namespace norn::ops
