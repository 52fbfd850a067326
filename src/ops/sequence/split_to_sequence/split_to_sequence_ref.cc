// SplitToSequence: the blocks of each part, cut out of every line along the axis.
#include <utility>

#include "base/stop.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/sequence/split_to_sequence/split_to_sequence.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace split_to_sequence_ref_cc {
namespace {

constexpr std::int64_t kMostEmptyParts = 1 << 20;
constexpr std::size_t kPartsBetweenLooks = 4096;

// Whether to end: what there is goes as a list does, since many parts take long.
void look(const base::Stop& stop, Sequence& parts) {
  try {
    stop.check();
  } catch (...) {
    const Value left(std::move(parts));
    throw;
  }
}

void split_to_sequence_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const SplitToSequenceParams p = resolve_split_to_sequence(ctx, x.rank());
  const AxisView view = view_along(x.dims(), p.axis);
  if (*p.is_even && x.size() == 0 && view.n > kMostEmptyParts) ctx.fail("X has no elements and too many parts");
  Sequence parts;
  const base::Stop* const stop = base::current_stop();
  std::int64_t begin = 0;
  for (const std::int64_t size : split_sizes(ctx, p, view.n)) {
    Shape dims = x.dims();
    if (p.squeeze)
      dims.erase(dims.begin() + p.axis);
    else
      dims[static_cast<std::size_t>(p.axis)] = size;
    Tensor part(x.dtype(), dims);
    const std::int64_t block = size * view.inner;
    for (std::int64_t o = 0; part.size() > 0 && o < view.outer; ++o)
      copy_elements(part, o * block, x, (o * view.n + begin) * view.inner, block);
    parts.items.emplace_back(std::move(part));
    begin += size;
    if (stop && parts.items.size() % kPartsBetweenLooks == 0) look(*stop, parts);
  }
  ctx.set_output(0, Value(std::move(parts)));
}

}  // namespace
}  // namespace split_to_sequence_ref_cc

void split_to_sequence_references(opset::ReferenceTable& table) { table.add(SplitToSequence, split_to_sequence_ref); }

}  // namespace norn::ops
