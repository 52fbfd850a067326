#include <algorithm>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/trilu/trilu.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace trilu_ref_cc {
namespace {

void trilu_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) ctx.fail("the input has to be a matrix or several, but has shape " + to_string(x.dims()));
  const TriluParams p = resolve_trilu(ctx);
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  if (y.size() == 0) return;
  const AxisView rows = view_along(x.dims(), x.rank() - 2);  // inner: the columns
  const std::int64_t columns = rows.inner;
  // Diagonals further out divide the matrix as these do.
  const std::int64_t k = std::clamp(ctx.require(p.k, "k"), -rows.n, columns);
  const Tensor zero = zero_of(x.dtype());
  for (std::int64_t r = 0; r < rows.outer * rows.n; ++r) {
    const std::int64_t at = r * columns, diagonal = std::clamp<std::int64_t>(r % rows.n + k, -1, columns);
    const std::int64_t first = p.upper ? std::max<std::int64_t>(diagonal, 0) : 0;
    const std::int64_t last = p.upper ? columns : std::min(diagonal + 1, columns);
    copy_elements(y, at, zero, 0, first, 0);
    copy_elements(y, at + first, x, at + first, last - first);
    copy_elements(y, at + last, zero, 0, columns - last, 0);
  }
}

}  // namespace
}  // namespace trilu_ref_cc

void trilu_references(opset::ReferenceTable& table) { table.add(Trilu, trilu_ref); }

}  // namespace norn::ops
