#include <algorithm>

#include "ops/common/elements.h"
#include "ops/generator/eye_like/eye_like.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace eye_like_ref_cc {
namespace {

void eye_like_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 2) ctx.fail("the input has to be a matrix, but has shape " + to_string(x.dims()));
  const DataType type = eye_like_type(ctx, x.dtype());
  Tensor& y = ctx.output(0, type, x.dims());
  copy_elements(y, 0, zero_of(type), 0, y.size(), 0);
  Tensor one(type, {});
  visit_real(domain_of(type), [&]<class D>(D) { store_all<D>(one, {D{1}}); });
  const std::int64_t rows = x.dims()[0], columns = x.dims()[1];
  const std::int64_t k = std::clamp(ctx.attrs().i("k"), -rows, columns);  // no diagonal lies there or beyond
  const std::int64_t first = std::max<std::int64_t>(0, -k), last = std::min(rows, columns - k);
  for (std::int64_t i = first; i < last; ++i) copy_elements(y, i * columns + i + k, one, 0, 1);
}

}  // namespace
}  // namespace eye_like_ref_cc

void eye_like_references(opset::ReferenceTable& table) { table.add(EyeLike, eye_like_ref); }

}  // namespace norn::ops
