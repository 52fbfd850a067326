// Slice: the input read with strides, which are negative where the slice goes backwards.
#include "ops/tensor/slice/slice.h"

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace slice_ref_cc {
namespace {

void slice_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const std::vector<SliceRange> ranges = slice_ranges(ctx, in.dims());
  std::vector<std::int64_t> strides = dense_strides(in.dims());
  Shape dims;
  std::int64_t first = 0;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    dims.push_back(ranges[d].size);
    first += ranges[d].start * strides[d];
    strides[d] *= ranges[d].step;
  }
  copy_strided(ctx.output(0, in.dtype(), dims), in, first, strides);
}

}  // namespace
}  // namespace slice_ref_cc

void slice_references(opset::ReferenceTable& table) { table.add(Slice, slice_ref, 10); }

}  // namespace norn::ops
