// All is off first; then each index switches one element on, or none.
#include <cmath>
#include <optional>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace one_hot_ref_cc {
namespace {

// The class, of `depth`, that an index means; nothing if it means none. `from_end`: negative ones count from there.
std::optional<std::int64_t> class_of(double index, std::int64_t depth, bool from_end) {
  index = std::trunc(index);
  if (from_end && index < 0) index += static_cast<double>(depth);
  if (!(index >= 0 && index < static_cast<double>(depth))) return {};
  return static_cast<std::int64_t>(index);
}
std::optional<std::int64_t> class_of(std::int64_t index, std::int64_t depth, bool from_end) {
  if (from_end && index < 0) index += depth;
  return index >= 0 && index < depth ? std::optional(index) : std::nullopt;
}
std::optional<std::int64_t> class_of(std::uint64_t index, std::int64_t depth, bool) {
  if (index >= static_cast<std::uint64_t>(depth)) return {};
  return static_cast<std::int64_t>(index);
}

void one_hot_ref(opset::ReferenceContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(2);
  const OneHotParams p = resolve_one_hot(ctx);
  const std::int64_t depth = p.depth->constant(), axis = *p.axis;
  Shape dims = indices.dims();
  dims.insert(dims.begin() + axis, depth);
  Tensor& y = ctx.output(0, values.dtype(), dims);
  if (y.size() == 0) return;
  copy_elements(y, 0, values, 0, y.size(), 0);
  const std::int64_t inner = view_along(dims, axis).inner;
  visit_real(domain_of(indices.dtype()), [&]<class D>(D) {
    std::int64_t k = 0;
    for (const D index : load_all<D>(indices)) {
      if (const auto on = class_of(index, depth, ctx.version() >= 11))
        copy_elements(y, (k / inner * depth + *on) * inner + k % inner, values, 1, 1);
      ++k;
    }
  });
}

}  // namespace
}  // namespace one_hot_ref_cc

void one_hot_references(opset::ReferenceTable& table) { table.add(OneHot, one_hot_ref); }

}  // namespace norn::ops
