// NaN counts as the extremum, as in NumPy.
#include "ops/common/elements.h"
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "opset/reference.h"

namespace norn::ops {
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
  const std::int64_t given = ctx.attrs().i("axis"), rank = data.rank() == 0 ? 1 : data.rank();
  if (given < -rank || given >= rank) {
    ctx.fail("axis " + std::to_string(given) + " is out of range for " + to_string(data.dims()));
  }
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const bool last =
      opset::find_attr(ctx.attrs().schema(), "select_last_index") && ctx.attrs().i("select_last_index") != 0;
  Shape out = data.dims();
  std::int64_t n = 1, step = 1;
  if (data.rank() > 0) {
    n = out[axis];
    for (std::size_t d = axis + 1; d < out.size(); ++d) step *= out[d];
    if (ctx.attrs().i("keepdims") != 0)
      out[axis] = 1;
    else
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  Tensor& y = ctx.output(0, DataType::Int64, out);
  if (y.size() == 0) return;
  if (n == 0) ctx.fail("axis " + std::to_string(given) + " of " + to_string(data.dims()) + " has no element to choose");
  visit_real(domain_of(data.dtype()), [&](auto d) {
    using D = decltype(d);
    const std::vector<D> values = load_all<D>(data);
    for (std::int64_t i = 0; i < y.size(); ++i) {
      const D* row = values.data() + i / step * step * n + i % step;
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < n; ++k) {
        if (beats(row[k * step], row[best * step], largest, last)) best = k;
      }
      y.as_mutable<std::int64_t>()[i] = best;
    }
  });
}

void arg_max_ref(opset::ReferenceContext& ctx) { run(ctx, true); }
void arg_min_ref(opset::ReferenceContext& ctx) { run(ctx, false); }

}  // namespace

void arg_extremum_references(opset::ReferenceTable& table) {
  table.add(ArgMax, arg_max_ref);
  table.add(ArgMin, arg_min_ref);
}

}  // namespace norn::ops
