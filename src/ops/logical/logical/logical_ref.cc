#include "ops/common/loops.h"
#include "ops/logical/logical/logical.h"

namespace norn::ops {
inline namespace logical_ref_cc {
namespace {

using opset::ReferenceContext;
using U64 = std::uint64_t;

template <class F>
void logical(ReferenceContext& ctx, F f) {
  map_pairs<U64, U64, U64>(ctx, DataType::Bool, [&](U64 a, U64 b) { return U64{f(a != 0, b != 0)}; });
}

void and_ref(ReferenceContext& ctx) {
  logical(ctx, [](bool a, bool b) { return a && b; });
}
void or_ref(ReferenceContext& ctx) {
  logical(ctx, [](bool a, bool b) { return a || b; });
}
void xor_ref(ReferenceContext& ctx) {
  logical(ctx, [](bool a, bool b) { return a != b; });
}
void not_ref(ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  auto values = load_all<U64>(x);
  for (U64& v : values) v = v == 0;
  store_all<U64>(ctx.output(0, DataType::Bool, x.dims()), values);
}

}  // namespace
}  // namespace logical_ref_cc

void logical_references(opset::ReferenceTable& table) {
  table.add(And, and_ref);
  table.add(Or, or_ref);
  table.add(Xor, xor_ref);
  table.add(Not, not_ref);
}

}  // namespace norn::ops
