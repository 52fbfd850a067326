// Reductions: for each output element, a small function folds the elements that belong to it.
//
// Integers: sums, products and sums of squares wrap; means, norms and logarithms are truncated towards zero. Where the
// standard leaves a reduction over nothing undefined (the mean), floating types give NaN and integers 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/reduction/reduce/reduce.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace reduce_ref_cc {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

// The elements that one output element is made of.
template <class D>
struct Group {
  const D* base;
  std::span<const std::int64_t> offsets;
  std::size_t size() const { return offsets.size(); }
  D operator[](std::size_t k) const { return base[offsets[k]]; }
};

template <class D>
constexpr bool kReal = std::is_same_v<D, double>;

// A real result as an element: truncated, NaN is 0, out of range is the nearest value.
template <class D>
D from_real(double v) {
  if constexpr (kReal<D>)
    return v;
  else if (std::isnan(v))
    return 0;
  else if (v <= static_cast<double>(std::numeric_limits<D>::min()))
    return std::numeric_limits<D>::min();
  else if (v >= static_cast<double>(std::numeric_limits<D>::max()))
    return std::numeric_limits<D>::max();
  else
    return static_cast<D>(v);
}
// A logarithm, minus infinity perhaps, which is converted as Cast does: newer versions compute it in double.
template <class D>
D from_log(double v, DataType type) {
  if (kReal<D> || !std::isinf(v) || v > 0) return from_real<D>(v);
  if (type == DataType::Int32) return static_cast<D>(std::numeric_limits<std::int32_t>::min());
  return static_cast<D>(std::uint64_t{1} << 63);
}

template <class D>
D sum(const Group<D>& g) {
  D total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) total = plus(total, g[k]);
  return total;
}

template <class D>
D mean(const Group<D>& g) {
  if constexpr (kReal<D>) {
    return sum(g) / static_cast<double>(g.size());
  } else {
    if (g.size() == 0) return 0;
    Wide total = 0;
    for (std::size_t k = 0; k < g.size(); ++k) total += static_cast<Wide>(g[k]);
    return static_cast<D>(total / static_cast<Wide>(g.size()));
  }
}

template <class D>
D prod(const Group<D>& g) {
  D total = 1;
  for (std::size_t k = 0; k < g.size(); ++k) total = times(total, g[k]);
  return total;
}

template <class D>
D l1(const Group<D>& g) {
  D total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    const D v = g[k];
    if constexpr (kReal<D>)
      total += std::abs(v);
    else
      total = plus(total, v < D{} ? times(v, static_cast<D>(-1)) : v);
  }
  return total;
}

template <class D>
D sum_square(const Group<D>& g) {
  D total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) total = plus(total, times(g[k], g[k]));
  return total;
}

template <class D>
D l2(const Group<D>& g) {
  if constexpr (kReal<D>) return std::sqrt(sum_square(g));
  UnsignedWide total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    const auto v = static_cast<Wide>(g[k]);
    const auto magnitude = static_cast<UnsignedWide>(v < 0 ? -v : v);
    total += magnitude * magnitude;
  }
  auto root = static_cast<UnsignedWide>(std::sqrt(static_cast<long double>(total)));
  while (root >> 64 != 0 || root * root > total) --root;
  while (root < std::numeric_limits<std::uint64_t>::max() && (root + 1) * (root + 1) <= total) ++root;
  return static_cast<D>(root);
}

template <class D>
D log_sum(const Group<D>& g, DataType type) {
  double total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) total += static_cast<double>(g[k]);
  return from_log<D>(std::log(total), type);
}

template <class D>
D log_sum_exp(const Group<D>& g, DataType type) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < g.size(); ++k) top = std::fmax(top, static_cast<double>(g[k]));
  const double shift = std::isfinite(top) ? top : 0;
  double total = 0;
  for (std::size_t k = 0; k < g.size(); ++k) total += std::exp(static_cast<double>(g[k]) - shift);
  return from_log<D>(std::log(total) + shift, type);
}

// NaN wins, as in NumPy. `none` is the answer for no elements.
template <class D>
D extremum(const Group<D>& g, bool largest, D none) {
  if (g.size() == 0) return none;
  D best = g[0];
  for (std::size_t k = 1; k < g.size() && best == best; ++k) {
    const D v = g[k];
    if (largest ? !(best >= v) : !(best <= v)) best = v;
  }
  return best;
}

struct Layout {
  Shape out;
  std::vector<std::int64_t> bases, offsets;  // of the groups; of the elements within each
};

Layout make_layout(opset::ReferenceContext& ctx) {
  const Tensor& data = ctx.input(0);
  const ReduceParams p = resolve_reduce(ctx);
  const auto reduced = ctx.require(reduced_dims(ctx, p, data.rank()), "axes");
  const std::vector<std::int64_t> strides = dense_strides(data.dims());
  Shape kept, inner;
  std::vector<std::int64_t> kept_strides, inner_strides;
  Layout layout;
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    (reduced[d] ? inner : kept).push_back(data.dims()[d]);
    (reduced[d] ? inner_strides : kept_strides).push_back(strides[d]);
    if (!reduced[d])
      layout.out.push_back(data.dims()[d]);
    else if (p.keepdims)
      layout.out.push_back(1);
  }
  for (Odometer o(kept, {kept_strides}); !o.done(); o.next()) layout.bases.push_back(o.offset(0));
  if (layout.bases.empty()) return layout;  // the others may be more than memory holds
  for (Odometer o(inner, {inner_strides}); !o.done(); o.next()) layout.offsets.push_back(o.offset(0));
  return layout;
}

// f(group) for each output element.
template <class F>
void reduce(opset::ReferenceContext& ctx, F&& f) {
  const Layout layout = make_layout(ctx);
  const Tensor& data = ctx.input(0);
  Tensor& out = ctx.output(0, data.dtype(), layout.out);
  visit_real(domain_of(data.dtype()), [&](auto d) {
    using D = decltype(d);
    const std::vector<D> values = load_all<D>(data);
    std::vector<D> result;
    result.reserve(layout.bases.size());
    for (std::int64_t base : layout.bases)
      result.push_back(f(Group<D>{layout.offsets.empty() ? nullptr : values.data() + base, layout.offsets}));
    store_all(out, result);
  });
}

// The smallest and the largest value of an element type; infinities where it has them.
template <class D>
D bound(DataType type, bool upper) {
  if constexpr (kReal<D>) {
    return upper ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  } else if (type == DataType::Bool) {
    return upper ? 1 : 0;
  } else {
    const auto unused = static_cast<int>(64 - 8 * element_size(type));
    return (upper ? std::numeric_limits<D>::max() : std::numeric_limits<D>::min()) >> unused;
  }
}

void reduce_extremum(opset::ReferenceContext& ctx, bool largest) {
  const DataType type = ctx.input(0).dtype();
  reduce(ctx, [&]<class D>(const Group<D>& g) { return extremum(g, largest, bound<D>(type, !largest)); });
}

void reduce_sum_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return sum(g); });
}
void reduce_mean_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return mean(g); });
}
void reduce_prod_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return prod(g); });
}
void reduce_l1_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return l1(g); });
}
void reduce_l2_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return l2(g); });
}
void reduce_max_ref(opset::ReferenceContext& ctx) { reduce_extremum(ctx, true); }
void reduce_min_ref(opset::ReferenceContext& ctx) { reduce_extremum(ctx, false); }
void reduce_log_sum_ref(opset::ReferenceContext& ctx) {
  const DataType type = ctx.input(0).dtype();
  reduce(ctx, [&]<class D>(const Group<D>& g) { return log_sum(g, type); });
}
void reduce_log_sum_exp_ref(opset::ReferenceContext& ctx) {
  const DataType type = ctx.input(0).dtype();
  reduce(ctx, [&]<class D>(const Group<D>& g) { return log_sum_exp(g, type); });
}
void reduce_sum_square_ref(opset::ReferenceContext& ctx) {
  reduce(ctx, []<class D>(const Group<D>& g) { return sum_square(g); });
}

}  // namespace
}  // namespace reduce_ref_cc

void reduce_references(opset::ReferenceTable& table) {
  table.add(ReduceMean, reduce_mean_ref);
  table.add(ReduceSum, reduce_sum_ref);
  table.add(ReduceMax, reduce_max_ref);
  table.add(ReduceMin, reduce_min_ref);
  table.add(ReduceProd, reduce_prod_ref);
  table.add(ReduceL1, reduce_l1_ref);
  table.add(ReduceL2, reduce_l2_ref);
  table.add(ReduceLogSum, reduce_log_sum_ref);
  table.add(ReduceLogSumExp, reduce_log_sum_exp_ref);
  table.add(ReduceSumSquare, reduce_sum_square_ref);
}

}  // namespace norn::ops
