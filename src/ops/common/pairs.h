// Operators of two tensors, element by element. Since their version 7 both are broadcast as NumPy does; before, only B
// is stretched, and only if the attribute `broadcast` says so: its shape is then a run of A's dimensions that starts at
// the attribute `axis`, or ends at A's last.
#pragma once
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {

// Output 0 is of the type, with the shape that the two inputs have together.
void infer_pairs(opset::InferContext& ctx, DataType type);

// B's dimensions, brought to where NumPy's broadcasting expects them. Throws if they do not fit.
inline norn::Shape aligned_b(opset::ReferenceContext& ctx) {
  const norn::Shape &a = ctx.input(0).dims(), &b = ctx.input(1).dims();
  if (ctx.version() >= 7) return b;
  if (ctx.attrs().i("broadcast") == 0) {
    if (a != b) ctx.fail("the shapes " + to_string(a) + " and " + to_string(b) + " differ");
    return b;
  }
  const auto rank = static_cast<std::int64_t>(a.size()), rank_b = static_cast<std::int64_t>(b.size());
  std::int64_t axis = ctx.attrs().find_i("axis").value_or(rank - rank_b);
  if (axis < 0 && axis >= -rank) axis += rank;
  if (axis < 0 || axis > rank - rank_b)
    ctx.fail("B's shape " + to_string(b) + " does not fit into A's shape " + to_string(a) + " at axis " +
             std::to_string(axis));
  norn::Shape placed = b;
  placed.resize(static_cast<std::size_t>(rank - axis), 1);
  if (broadcast(a, placed) != a) ctx.fail("B's shape " + to_string(b) + " is not a run of A's shape " + to_string(a));
  return placed;
}

// Output 0, of the type, from f(a, b) -> To.
template <DomainType A, DomainType B, DomainType To, class F>
void map_pairs(opset::ReferenceContext& ctx, DataType type, F f) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const norn::Shape dims_b = aligned_b(ctx), dims = broadcast(a.dims(), dims_b);
  Tensor& out = ctx.output(0, type, dims);
  const auto x = load_all<A>(a);
  const auto y = load_all<B>(b);
  std::vector<To> result;
  result.reserve(static_cast<std::size_t>(out.size()));
  for (Odometer at(dims, {broadcast_strides(a.dims(), dims), broadcast_strides(dims_b, dims)}); !at.done(); at.next())
    result.push_back(f(x[static_cast<std::size_t>(at.offset(0))], y[static_cast<std::size_t>(at.offset(1))]));
  store_all<To>(out, result);
}

}  // namespace norn::ops
