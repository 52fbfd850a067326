// Max, Min and Sum: a fold over the inputs, each broadcast to the common shape.
//
// NaN wins over everything, in Max and Min too. Floating types are folded in double and rounded once at the end, so a
// Sum in half precision neither overflows on the way nor depends on the order.
#include <cmath>
#include <type_traits>
#include <utility>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

using opset::ReferenceContext;

enum class Fold { Max, Min, Sum };

template <class D>
D combine(Fold fold, D a, D b) {
  if constexpr (std::is_same_v<D, double>) {
    if (fold == Fold::Sum) return a + b;
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  return (fold == Fold::Max) == (a > b) ? a : b;
}

void fold_inputs(ReferenceContext& ctx, Fold fold) {
  if (ctx.input_count() == 0) ctx.fail("there is no input");
  const DataType type = ctx.input(0).dtype();
  Shape dims = ctx.input(0).dims();
  for (int i = 1; i < ctx.input_count(); ++i) {
    if (ctx.version() < 8 && ctx.input(i).dims() != dims) {
      ctx.fail("all inputs must have the same shape, but there are " + to_string(dims) + " and " +
                   to_string(ctx.input(i).dims()),
               "broadcasting came with version 8 of the operator");
    }
    dims = broadcast(dims, ctx.input(i).dims());
  }
  if (fold == Fold::Sum && domain_of(type) != Domain::F64) ctx.fail("Sum takes floating-point tensors only");
  Tensor& out = ctx.output(0, type, dims);
  visit_real(domain_of(type), [&]<class D>(D) {
    std::vector<D> all(static_cast<std::size_t>(out.size()));
    for (int i = 0; i < ctx.input_count(); ++i) {
      const std::vector<D> in = load_all<D>(ctx.input(i));
      Odometer at(dims, {broadcast_strides(ctx.input(i).dims(), dims)});
      for (D& element : all) {
        const D value = in[static_cast<std::size_t>(at.offset(0))];
        element = i == 0 ? value : combine(fold, element, value);
        at.next();
      }
    }
    store_all<D>(out, all);
  });
}

void max_ref(ReferenceContext& ctx) { fold_inputs(ctx, Fold::Max); }
void min_ref(ReferenceContext& ctx) { fold_inputs(ctx, Fold::Min); }
void sum_ref(ReferenceContext& ctx) { fold_inputs(ctx, Fold::Sum); }

}  // namespace

void variadic_arith_references(opset::ReferenceTable& table) {
  table.add(Max, max_ref);
  table.add(Min, min_ref);
  table.add(Sum, sum_ref);
}

}  // namespace norn::ops
