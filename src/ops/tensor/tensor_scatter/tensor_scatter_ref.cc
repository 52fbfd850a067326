// The standard leaves negative write indices open: linear mode refuses them, circular mode counts them from the end.
#include "ops/tensor/tensor_scatter/tensor_scatter.h"

#include <string>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace tensor_scatter_ref_cc {
namespace {

void tensor_scatter_ref(opset::ReferenceContext& ctx) {
  const Tensor &cache = ctx.input(0), &update = ctx.input(1);
  const TensorScatterParams p = resolve_tensor_scatter(ctx, cache.rank());
  const auto along = static_cast<std::size_t>(p.axis);
  Shape fitting = update.dims();
  if (fitting.size() == cache.dims().size()) fitting[along] = cache.dims()[along];
  if (fitting != cache.dims() || update.dims()[along] > cache.dims()[along]) {
    ctx.fail("an update of shape " + to_string(update.dims()) + " does not fit a cache of shape " +
             to_string(cache.dims()) + " along axis " + std::to_string(p.axis));
  }
  const AxisView view = view_along(cache.dims(), p.axis);
  const std::int64_t batch = cache.dims()[0], length = update.dims()[along];
  std::vector<std::int64_t> starts;  // empty: all zero
  if (ctx.has_input(2)) {
    if (ctx.input(2).dims() != Shape{batch}) {
      ctx.fail("write_indices have shape " + to_string(ctx.input(2).dims()) + ", but the batch has " +
               std::to_string(batch) + " entries");
    }
    starts = to_ints(ctx.input(2));
  }
  for (std::int64_t& start : starts) {
    if (p.circular && view.n > 0) {
      start %= view.n;
      if (start < 0) start += view.n;
    } else if (!p.circular && (start < 0 || start > view.n - length)) {
      ctx.fail("write index " + std::to_string(start) + " and " + std::to_string(length) +
                   " positions leave the cache's " + std::to_string(view.n),
               "mode = circular wraps around");
    }
  }
  Tensor& y = ctx.output(0, cache.dtype(), cache.dims());
  copy_elements(y, 0, cache, 0, cache.size());
  if (update.size() == 0) return;
  const std::int64_t lines_each = view.outer / batch;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    std::int64_t at = starts.empty() ? 0 : starts[static_cast<std::size_t>(o / lines_each)];
    for (std::int64_t k = 0; k < length; ++k, ++at) {
      copy_elements(y, (o * view.n + at % view.n) * view.inner, update, (o * length + k) * view.inner, view.inner);
    }
  }
}

}  // namespace
}  // namespace tensor_scatter_ref_cc

void tensor_scatter_references(opset::ReferenceTable& table) { table.add(TensorScatter, tensor_scatter_ref); }

}  // namespace norn::ops
