// Split: for each index before the axis, the outputs' blocks lie one after another.
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/split/split.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace split_ref_cc {
namespace {

void split_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor* given = ctx.has_input(1) ? &ctx.input(1) : nullptr;
  if (given && given->rank() != 1) ctx.fail("split must have rank 1, not shape " + to_string(given->dims()));
  const opset::Dims shape = opset::to_dims(x.dims());
  const SplitParams p = resolve_split(ctx, &shape, static_cast<std::size_t>(ctx.output_count()), given);
  const std::vector<std::int64_t> lengths = opset::to_constants(ctx.require(p.lengths, "split"));
  const AxisView view = view_along(x.dims(), p.axis);
  std::int64_t first = 0;
  for (int o = 0; o < ctx.output_count(); ++o) {
    const std::int64_t length = lengths[static_cast<std::size_t>(o)], block = length * view.inner;
    const std::int64_t from = first * view.inner;
    first += length;
    if (!ctx.wants_output(o)) continue;
    Shape dims = x.dims();
    dims[static_cast<std::size_t>(p.axis)] = length;
    Tensor& y = ctx.output(o, x.dtype(), dims);
    if (y.size() == 0) continue;
    for (std::int64_t k = 0; k < view.outer; ++k) copy_elements(y, k * block, x, k * view.n * view.inner + from, block);
  }
}

}  // namespace
}  // namespace split_ref_cc

void split_references(opset::ReferenceTable& table) { table.add(Split, split_ref); }

}  // namespace norn::ops
