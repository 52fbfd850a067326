// The first k positions of each line in the order that is asked for; always sorted. NaN counts as the greatest, as in
// NumPy's order.
#include "ops/math/topk/topk.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

template <class D>
bool less(D a, D b) {
  return a < b || (b != b && a == a);
}

template <class D>
void pick(const Tensor& x, const AxisView& view, std::int64_t k, bool largest, Tensor& values, Tensor& indices) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(view.n));
  std::vector<D> picked(static_cast<std::size_t>(values.size()));
  auto* positions = indices.as_mutable<std::int64_t>();
  std::int64_t number = 0;  // of the line
  for_each_line<D>(x, view, [&](std::span<const D> line) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t i, std::int64_t j) {
      const D a = line[static_cast<std::size_t>(i)], b = line[static_cast<std::size_t>(j)];
      if (less(a, b)) return !largest;
      if (less(b, a)) return largest;
      return i < j;
    });
    const std::int64_t first = number / view.inner * k * view.inner + number % view.inner;
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t from = order[static_cast<std::size_t>(j)], to = first + j * view.inner;
      picked[static_cast<std::size_t>(to)] = line[static_cast<std::size_t>(from)];
      positions[to] = from;
    }
    ++number;
  });
  store_all(values, picked);
}

void topk_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const TopKParams p = resolve_topk(ctx, x.rank());
  const std::int64_t k = ctx.require(p.k, "K").constant();
  Shape dims = x.dims();
  std::int64_t& size = dims[static_cast<std::size_t>(p.axis)];
  if (k > size) {
    ctx.fail("k is " + std::to_string(k) + ", but there are " + std::to_string(size) + " elements along axis " +
             std::to_string(p.axis));
  }
  size = k;
  Tensor spare(DataType::Int64, ctx.wants_output(1) ? Shape{0} : dims);
  Tensor none(x.dtype(), ctx.wants_output(0) ? Shape{0} : dims);
  Tensor& values = ctx.wants_output(0) ? ctx.output(0, x.dtype(), dims) : none;
  Tensor& indices = ctx.wants_output(1) ? ctx.output(1, DataType::Int64, dims) : spare;
  visit_real(domain_of(x.dtype()),
             [&]<class D>(D) { pick<D>(x, view_along(x.dims(), p.axis), k, p.largest, values, indices); });
}

}  // namespace

void topk_references(opset::ReferenceTable& table) { table.add(TopK, topk_ref); }

}  // namespace norn::ops
