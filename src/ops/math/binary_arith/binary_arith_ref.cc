// Integers wrap around; their division truncates towards zero, and a zero divisor is an error. Floating formats compute
// in double and round once: for float and everything narrower that is the correctly rounded result.
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

using opset::ReferenceContext;

enum class Op : std::uint8_t { Add, Sub, Mul, Div };

template <class D>
D compute(Op op, D a, D b) {
  if constexpr (std::is_same_v<D, double>) {
    return op == Op::Add ? a + b : op == Op::Sub ? a - b : op == Op::Mul ? a * b : a / b;
  } else {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (op != Op::Div) return static_cast<D>(op == Op::Add ? x + y : op == Op::Sub ? x - y : x * y);
    if (b == static_cast<D>(-1) && std::is_signed_v<D>) return static_cast<D>(0 - x);  // the minimum has no positive
    return a / b;
  }
}

// B's dimensions, brought to where NumPy's broadcasting expects them.
Shape dims_of_b(ReferenceContext& ctx) {
  const Shape &a = ctx.input(0).dims(), &b = ctx.input(1).dims();
  if (ctx.version() >= 7) return b;
  if (ctx.attrs().i("broadcast") == 0) {
    if (a != b) ctx.fail("the shapes " + to_string(a) + " and " + to_string(b) + " differ");
    return b;
  }
  const auto rank = static_cast<std::int64_t>(a.size()), rank_b = static_cast<std::int64_t>(b.size());
  std::int64_t axis = ctx.attrs().find_i("axis").value_or(rank - rank_b);
  if (axis < 0 && axis >= -rank) axis += rank;
  if (axis < 0 || axis > rank - rank_b) {
    ctx.fail("B's shape " + to_string(b) + " does not fit into A's shape " + to_string(a) + " at axis " +
             std::to_string(axis));
  }
  Shape placed = b;
  placed.resize(static_cast<std::size_t>(rank - axis), 1);
  if (broadcast(a, placed) != a) {
    ctx.fail("B's shape " + to_string(b) + " is not a run of A's shape " + to_string(a));
  }
  return placed;
}

template <class D>
void apply(ReferenceContext& ctx, Op op) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const Shape dims_b = dims_of_b(ctx);
  const Shape dims = broadcast(a.dims(), dims_b);
  Tensor& out = ctx.output(0, a.dtype(), dims);
  const auto x = load_all<D>(a), y = load_all<D>(b);
  std::vector<D> result;
  result.reserve(static_cast<std::size_t>(out.size()));
  for (Odometer at(dims, {broadcast_strides(a.dims(), dims), broadcast_strides(dims_b, dims)}); !at.done(); at.next()) {
    const D divisor = y[static_cast<std::size_t>(at.offset(1))];
    if (!std::is_same_v<D, double> && op == Op::Div && divisor == D{}) ctx.fail("an integer is divided by zero");
    result.push_back(compute<D>(op, x[static_cast<std::size_t>(at.offset(0))], divisor));
  }
  store_all<D>(out, result);
}

void run(ReferenceContext& ctx, Op op) {
  visit_real(domain_of(ctx.input(0).dtype()), [&](auto zero) { apply<decltype(zero)>(ctx, op); });
}

void add_ref(ReferenceContext& ctx) { run(ctx, Op::Add); }
void sub_ref(ReferenceContext& ctx) { run(ctx, Op::Sub); }
void mul_ref(ReferenceContext& ctx) { run(ctx, Op::Mul); }
void div_ref(ReferenceContext& ctx) { run(ctx, Op::Div); }

}  // namespace

void binary_arith_references(opset::ReferenceTable& table) {
  table.add(Add, add_ref);
  table.add(Sub, sub_ref);
  table.add(Mul, mul_ref);
  table.add(Div, div_ref);
}

}  // namespace norn::ops
