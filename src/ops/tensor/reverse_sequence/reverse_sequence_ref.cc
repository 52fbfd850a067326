#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/reverse_sequence/reverse_sequence.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace reverse_sequence_ref_cc {
namespace {

void reverse_sequence_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &given = ctx.input(1);
  if (x.rank() < 2)
    ctx.fail("the input has shape " + to_string(x.dims()) + ", but sequences and their elements take two axes");
  const bool batch_first = batch_is_first(ctx);
  const std::int64_t steps = x.dims()[batch_first ? 1 : 0];
  if (given.dims() != Shape{x.dims()[batch_first ? 0 : 1]})
    ctx.fail("sequence_lens has shape " + to_string(given.dims()) + ", which is not one length for each of the batch");
  const std::vector<std::int64_t> lengths = to_ints(given);
  for (const std::int64_t n : lengths)
    if (n < 0 || n > steps)
      ctx.fail("a sequence of length " + std::to_string(n) + " does not lie in " + std::to_string(steps) + " steps");
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  if (y.size() == 0) return;
  const std::int64_t inner = view_along(x.dims(), 1).inner, second = x.dims()[1];
  for (std::int64_t i = 0; i < x.dims()[0]; ++i) {
    for (std::int64_t j = 0; j < second; ++j) {
      const std::int64_t n = lengths[static_cast<std::size_t>(batch_first ? i : j)], step = batch_first ? j : i;
      const std::int64_t from = step < n ? n - 1 - step : step;
      copy_elements(y, (i * second + j) * inner, x, (batch_first ? i * second + from : from * second + j) * inner,
                    inner);
    }
  }
}

}  // namespace
}  // namespace reverse_sequence_ref_cc

void reverse_sequence_references(opset::ReferenceTable& table) { table.add(ReverseSequence, reverse_sequence_ref); }

}  // namespace norn::ops
