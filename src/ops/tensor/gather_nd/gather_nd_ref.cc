// GatherND: each row of the indices names a block of the data within its batch.
#include <algorithm>
#include <string>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/gather_nd/gather_nd.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace gather_nd_ref_cc {
namespace {

void gather_nd_ref(opset::ReferenceContext& ctx) {
  const Tensor &data = ctx.input(0), &indices = ctx.input(1);
  const GatherNdParams p = resolve_gather_nd(ctx);
  const auto b = static_cast<std::int64_t>(p.batches.size()), n = *p.length;
  Shape dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + b + n, data.dims().end());
  Tensor& y = ctx.output(0, data.dtype(), dims);
  const std::vector<std::int64_t> tuples = to_ints(indices), strides = dense_strides(data.dims());
  const AxisView picked = view_along(data.dims(), b, b + n);  // batches, what an index moves in, blocks
  const std::int64_t rows = view_along(indices.dims(), b, indices.rank() - 1).n;  // in each batch
  std::int64_t to = 0;
  auto index = tuples.begin();
  for (std::int64_t batch = 0; batch < picked.outer; ++batch) {
    for (std::int64_t row = 0; row < rows; ++row, to += picked.inner) {
      std::int64_t from = batch * picked.n * picked.inner;
      for (std::int64_t d = b; d < b + n; ++d, ++index) {
        const std::int64_t size = data.dims()[static_cast<std::size_t>(d)];
        if (*index < -size || *index >= size)
          ctx.fail("index " + std::to_string(*index) + " is outside [" + std::to_string(-size) + ", " +
                   std::to_string(size) + ") of axis " + std::to_string(d));
        from += (*index < 0 ? *index + size : *index) * strides[static_cast<std::size_t>(d)];
      }
      if (y.size() > 0) copy_elements(y, to, data, from, picked.inner);
    }
  }
}

}  // namespace
}  // namespace gather_nd_ref_cc

void gather_nd_references(opset::ReferenceTable& table) { table.add(GatherND, gather_nd_ref); }

}  // namespace norn::ops
