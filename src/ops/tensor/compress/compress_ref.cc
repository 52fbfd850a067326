#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/compress/compress.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace compress_ref_cc {
namespace {

void compress_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &condition = ctx.input(1);
  const CompressParams p = resolve_compress(ctx);
  Shape dims = p.flattened ? Shape{x.size()} : x.dims();
  const AxisView view = view_along(dims, p.axis);
  const std::vector<std::int64_t> chosen = compress_choice(ctx, condition, view.n);
  dims[static_cast<std::size_t>(p.axis)] = static_cast<std::int64_t>(chosen.size());
  Tensor& y = ctx.output(0, x.dtype(), dims);
  if (y.size() == 0) return;
  std::int64_t to = 0;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    copy_picked(y, to, x, o * view.n * view.inner, chosen, view.inner);
    to += static_cast<std::int64_t>(chosen.size()) * view.inner;
  }
}

}  // namespace
}  // namespace compress_ref_cc

void compress_references(opset::ReferenceTable& table) { table.add(Compress, compress_ref); }

}  // namespace norn::ops
