// Every index is checked against the axis before anything is written. Of several updates of one element the last holds;
// with a reduction they are taken one after another, in double for floating types, and rounded once at the end.
#include "ops/tensor/scatter_elements/scatter_elements.h"

#include <cmath>
#include <string>

#include "ops/common/loops.h"
#include "ops/tensor/scatter_elements/reduction.h"

namespace norn::ops {
inline namespace scatter_elements_ref_cc {
namespace {

using opset::ReferenceContext;

// NaN wins, as in Max and Min.
template <class D>
D extreme(D a, D b, bool largest) {
  if (a != a) return a;
  if (b != b) return b;
  return (b > a) == largest ? b : a;
}

template <class D>
D reduced(const ReferenceContext& ctx, ScatterReduction reduction, const D& a, const D& b) {
  constexpr bool kReal = !std::is_same_v<D, std::string> && !std::is_same_v<D, std::complex<double>>;
  if constexpr (std::is_same_v<D, std::complex<double>>) {
    if (reduction == ScatterReduction::Add) return a + b;
    if (reduction == ScatterReduction::Mul) return a * b;
  } else if constexpr (kReal) {
    switch (reduction) {
      case ScatterReduction::Add: return plus(a, b);
      case ScatterReduction::Mul: return times(a, b);
      default: return extreme(a, b, reduction == ScatterReduction::Max);
    }
  }
  ctx.fail("elements of type " + std::string(data_type_name(ctx.input(0).dtype())) + " cannot be reduced so");
}

void scatter_elements_ref(ReferenceContext& ctx) {
  const Tensor &data = ctx.input(0), &indices = ctx.input(1);
  const auto along = static_cast<std::size_t>(*scatter_axis(ctx));
  std::vector<std::int64_t> targets = indices_from_front(ctx, 1, data.dims()[along]);
  // Where each position lies in the data if its coordinate along the axis is 0.
  std::vector<std::int64_t> strides = dense_strides(data.dims());
  const std::int64_t step = strides[along];
  strides[along] = 0;
  Odometer at(indices.dims(), {strides});
  for (std::int64_t& target : targets) {
    target = at.offset(0) + target * step;
    at.next();
  }
  scatter_runs(ctx, targets, 1);
}

}  // namespace
}  // namespace scatter_elements_ref_cc

void scatter_runs(ReferenceContext& ctx, const std::vector<std::int64_t>& targets, std::int64_t run) {
  const Tensor &data = ctx.input(0), &updates = ctx.input(2);
  const ScatterReduction reduction = resolve_scatter_reduction(ctx);
  Tensor& y = ctx.output(0, data.dtype(), data.dims());
  if (reduction == ScatterReduction::None) {
    copy_elements(y, 0, data, 0, data.size());
    std::int64_t from = 0;
    for (const std::int64_t target : targets) {
      copy_elements(y, target, updates, from, run);
      from += run;
    }
    return;
  }
  visit_domain(domain_of(data.dtype()), [&]<class D>(const D&) {
    std::vector<D> values = load_all<D>(data);
    const std::vector<D> changes = load_all<D>(updates);
    const D* from = changes.data();
    for (const std::int64_t target : targets) {
      for (std::int64_t i = 0; i < run; ++i, ++from) {
        D& element = values[static_cast<std::size_t>(target + i)];
        element = reduced<D>(ctx, reduction, element, *from);
      }
    }
    store_all<D>(y, values);
  });
}

void scatter_elements_references(opset::ReferenceTable& table) {
  table.add(Scatter, scatter_elements_ref, 9, 9);  // since 11 it is deprecated
  table.add(ScatterElements, scatter_elements_ref);
}

}  // namespace norn::ops
