// GatherElements: every index is checked against the axis before anything is copied.
#include "ops/tensor/gather_elements/gather_elements.h"

#include <string>

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace gather_elements_ref_cc {
namespace {

void gather_elements_ref(opset::ReferenceContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const auto along = static_cast<std::size_t>(*elements_axis(ctx, ctx.known_shape(1)));
  const std::vector<std::int64_t> picks = indices_from_front(ctx, 1, data.dims()[along]);
  Tensor& out = ctx.output(0, data.dtype(), indices.dims());
  // Where each position would lie in the data if its coordinate along the axis were 0.
  std::vector<std::int64_t> strides = dense_strides(data.dims());
  const std::int64_t step = strides[along];
  strides[along] = 0;
  std::int64_t to = 0;
  for (Odometer at(indices.dims(), {strides}); !at.done(); at.next(), ++to)
    copy_elements(out, to, data, at.offset(0) + picks[static_cast<std::size_t>(to)] * step, 1);
}

}  // namespace
}  // namespace gather_elements_ref_cc

void gather_elements_references(opset::ReferenceTable& table) { table.add(GatherElements, gather_elements_ref); }

}  // namespace norn::ops
