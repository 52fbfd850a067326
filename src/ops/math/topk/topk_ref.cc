// The first k positions of each line in the order that is asked for; always sorted. NaN counts as the greatest, as in
// NumPy's order.
#include "ops/math/topk/topk.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace topk_ref_cc {
namespace {

// An integer that orders as the element does: both zeros are one, and so is every NaN.
template <class D>
D key_of(D x) {
  return x;
}
std::int64_t key_of(double x) {
  if (x != x) return std::numeric_limits<std::int64_t>::max();
  const auto bits = std::bit_cast<std::int64_t>(x == 0 ? 0.0 : x);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

template <class D>
void pick(const Tensor& x, const AxisView& view, std::int64_t k, bool largest, Tensor& values, Tensor& indices) {
  using Key = decltype(key_of(D{}));
  struct Entry {
    Key key;
    std::int64_t at;
  };
  std::vector<Entry> best;
  std::vector<D> picked(static_cast<std::size_t>(values.size()));
  auto* positions = indices.as_mutable<std::int64_t>();
  std::int64_t number = 0;  // of the line
  const auto choose = [&](std::span<const D> line, auto comes_first) {
    const auto before = [&](const Entry& a, const Entry& b) {
      return a.key == b.key ? a.at < b.at : comes_first(a.key, b.key);
    };
    const auto n = static_cast<std::int64_t>(line.size());
    best.clear();
    if (k * 8 > n) {
      for (std::int64_t i = 0; i < n; ++i) best.push_back({key_of(line[static_cast<std::size_t>(i)]), i});
      if (k < n) std::nth_element(best.begin(), best.begin() + k, best.end(), before);
      std::sort(best.begin(), best.begin() + k, before);
    } else if (k > 0) {
      // A heap, the last of the best on top: an element behind it that is not better never enters.
      for (std::int64_t i = 0; i < n; ++i) {
        const Key key = key_of(line[static_cast<std::size_t>(i)]);
        if (i >= k) {
          if (!comes_first(key, best.front().key)) continue;
          std::pop_heap(best.begin(), best.end(), before);
          best.pop_back();
        }
        best.push_back({key, i});
        std::push_heap(best.begin(), best.end(), before);
      }
      std::sort_heap(best.begin(), best.end(), before);
    }
    const std::int64_t first = number / view.inner * k * view.inner + number % view.inner;
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t from = best[static_cast<std::size_t>(j)].at, to = first + j * view.inner;
      picked[static_cast<std::size_t>(to)] = line[static_cast<std::size_t>(from)];
      positions[to] = from;
    }
    ++number;
  };
  for_each_line<D>(x, view, [&](std::span<const D> line) {
    if (largest)
      choose(line, [](Key a, Key b) { return a > b; });
    else
      choose(line, [](Key a, Key b) { return a < b; });
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
}  // namespace topk_ref_cc

void topk_references(opset::ReferenceTable& table) { table.add(TopK, topk_ref); }

}  // namespace norn::ops
