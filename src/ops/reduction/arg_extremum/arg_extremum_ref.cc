// NaN counts as the extremum, as in NumPy.
#include "ops/common/loops.h"
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace arg_extremum_ref_cc {
namespace {

template <class D>
bool beats(D candidate, D best, bool largest, bool last) {
  const bool nan = candidate != candidate;
  if (best != best) return nan && last;
  if (nan) return true;
  if (candidate == best) return last;
  return largest ? candidate > best : candidate < best;
}

void run(opset::ReferenceContext& ctx, bool largest) {
  const Tensor& data = ctx.input(0);
  const ArgExtremumParams p = resolve_arg_extremum(ctx, data.rank());
  const AxisView view = view_along(data.dims(), p.axis);
  Shape out = data.dims();
  if (!out.empty()) {
    if (p.keepdims)
      out[static_cast<std::size_t>(p.axis)] = 1;
    else
      out.erase(out.begin() + p.axis);
  }
  Tensor& y = ctx.output(0, DataType::Int64, out);
  if (y.size() == 0) return;
  if (view.n == 0) {
    ctx.fail("axis " + std::to_string(p.axis) + " of " + to_string(data.dims()) + " has no element to choose");
  }
  auto* to = y.as_mutable<std::int64_t>();
  visit_real(domain_of(data.dtype()), [&]<class D>(D) {
    for_each_line<D>(data, view, [&](std::span<const D> line) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < line.size(); ++k) {
        if (beats(line[k], line[best], largest, p.last)) best = k;
      }
      *to++ = static_cast<std::int64_t>(best);
    });
  });
}

void arg_max_ref(opset::ReferenceContext& ctx) { run(ctx, true); }
void arg_min_ref(opset::ReferenceContext& ctx) { run(ctx, false); }

}  // namespace
}  // namespace arg_extremum_ref_cc

void arg_extremum_references(opset::ReferenceTable& table) {
  table.add(ArgMax, arg_max_ref);
  table.add(ArgMin, arg_min_ref);
}

}  // namespace norn::ops
