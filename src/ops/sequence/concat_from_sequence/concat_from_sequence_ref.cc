// ConcatFromSequence: for each index before the axis, the tensors' blocks one after another. Stacking is the same with
// a size of 1 along the new axis.
#include <string>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/sequence/concat_from_sequence/concat_from_sequence.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace concat_from_sequence_ref_cc {
namespace {

void concat_from_sequence_ref(opset::ReferenceContext& ctx) {
  const auto& items = ctx.value(0).sequence().items;
  if (items.empty()) ctx.fail("the sequence is empty, so that the shape of the result is not known");
  const Tensor& first = items[0].tensor();
  const auto [axis, stacked] = resolve_concat_from_sequence(ctx, first.rank());
  const auto along = static_cast<std::size_t>(axis);
  Shape dims = first.dims();
  if (stacked) dims.insert(dims.begin() + axis, 1);
  std::int64_t joined = 0;
  for (const Value& item : items) {
    const Tensor& next = item.tensor();
    bool fits = next.rank() == first.rank() && next.dtype() == first.dtype();
    for (std::size_t d = 0; fits && d < next.dims().size(); ++d)
      fits = (d == along && !stacked) || next.dims()[d] == first.dims()[d];
    if (!fits)
      ctx.fail("a tensor of shape " + to_string(next.dims()) + " does not join " + to_string(first.dims()) +
               " along axis " + std::to_string(axis));
    const auto sum = base::checked_add(joined, stacked ? 1 : next.dims()[along]);
    if (!sum) ctx.fail("the sizes along axis " + std::to_string(axis) + " make too large a sum");
    joined = *sum;
  }
  dims[along] = joined;
  Tensor& out = ctx.output(0, first.dtype(), dims);
  if (out.size() == 0) return;
  const AxisView view = view_along(dims, axis);
  std::int64_t to = 0;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (const Value& item : items) {
      const Tensor& next = item.tensor();
      const std::int64_t block = (stacked ? 1 : next.dims()[along]) * view.inner;
      copy_elements(out, to, next, o * block, block);
      to += block;
    }
  }
}

}  // namespace
}  // namespace concat_from_sequence_ref_cc

void concat_from_sequence_references(opset::ReferenceTable& table) {
  table.add(ConcatFromSequence, concat_from_sequence_ref);
}

}  // namespace norn::ops
