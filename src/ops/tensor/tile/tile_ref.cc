// The output seen with two dimensions for each of the input's, the repeats and the input's own size, of which only the
// latter moves in the input. Its last own dimension is copied at once.
#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/tile/tile.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace tile_ref_cc {
namespace {

void tile_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (ctx.version() >= 6 && ctx.input(1).rank() != 1)
    ctx.fail("repeats must have rank 1, not shape " + to_string(ctx.input(1).dims()));
  const auto repeats =
      opset::to_constants(*resolve_tile(ctx, x.rank(), &ctx.input(1), ctx.has_input(2) ? &ctx.input(2) : nullptr));
  const std::vector<std::int64_t> strides = dense_strides(x.dims());
  Shape dims, paired;
  std::vector<std::int64_t> steps;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    const auto size = base::checked_mul(x.dims()[d], repeats[d]);
    if (!size) ctx.fail("axis " + std::to_string(d) + " repeated " + std::to_string(repeats[d]) + " times is too long");
    dims.push_back(*size);
    paired.insert(paired.end(), {repeats[d], x.dims()[d]});
    steps.insert(steps.end(), {0, strides[d]});
  }
  Tensor& y = ctx.output(0, x.dtype(), dims);
  if (y.size() == 0) return;
  if (x.rank() == 0) return copy_elements(y, 0, x, 0, 1);
  const std::int64_t row = paired.back();
  paired.pop_back();
  steps.pop_back();
  std::int64_t to = 0;
  for (Odometer at(paired, {steps}); !at.done(); at.next(), to += row) copy_elements(y, to, x, at.offset(0), row);
}

}  // namespace
}  // namespace tile_ref_cc

void tile_references(opset::ReferenceTable& table) { table.add(Tile, tile_ref); }

}  // namespace norn::ops
