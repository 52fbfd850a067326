// The last axis of the indices holds the coordinates at which a slice of the data begins.
#include "ops/tensor/scatter_nd/scatter_nd.h"

#include <string>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/scatter_elements/reduction.h"

namespace norn::ops {
inline namespace scatter_nd_ref_cc {
namespace {

void scatter_nd_ref(opset::ReferenceContext& ctx) {
  const Tensor &data = ctx.input(0), &indices = ctx.input(1);
  const Shape &d = data.dims(), &q = indices.dims();
  check_scatter_nd(ctx);
  const auto coordinates = static_cast<std::size_t>(q.back());
  // Tuples of no coordinates take no memory: there may be any number of them that write nothing.
  const std::int64_t tuples =
      coordinates == 0 && ctx.input(2).size() == 0 ? 0 : element_count(Shape(q.begin(), q.end() - 1));
  const std::vector<std::int64_t> strides = dense_strides(d), at = to_ints(indices);
  std::vector<std::int64_t> targets(static_cast<std::size_t>(tuples));
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t c = 0; c < coordinates; ++c) {
      const std::int64_t index = at[t * coordinates + c], size = d[c];
      if (index < -size || index >= size) {
        ctx.fail("index " + std::to_string(index) + " is outside [" + std::to_string(-size) + ", " +
                 std::to_string(size) + ") of axis " + std::to_string(c));
      }
      targets[t] += (index < 0 ? index + size : index) * strides[c];
    }
  }
  scatter_runs(ctx, targets, element_count(Shape(d.begin() + q.back(), d.end())));
}

}  // namespace
}  // namespace scatter_nd_ref_cc

void scatter_nd_references(opset::ReferenceTable& table) { table.add(ScatterND, scatter_nd_ref); }

}  // namespace norn::ops
