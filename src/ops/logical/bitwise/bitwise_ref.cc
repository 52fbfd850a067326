#include <functional>

#include "ops/common/loops.h"
#include "ops/logical/bitwise/bitwise.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace bitwise_ref_cc {
namespace {

using opset::ReferenceContext;

template <template <class> class Op>
void bitwise(ReferenceContext& ctx) {
  map_pairs(ctx, {.i64 = [](std::int64_t a, std::int64_t b) { return Op<std::int64_t>()(a, b); },
                  .u64 = [](std::uint64_t a, std::uint64_t b) { return Op<std::uint64_t>()(a, b); }});
}
void bitwise_not_ref(ReferenceContext& ctx) {
  map_elements(ctx, {.i64 = [](std::int64_t x) { return ~x; }, .u64 = [](std::uint64_t x) { return ~x; }});
}

}  // namespace
}  // namespace bitwise_ref_cc

void bitwise_references(opset::ReferenceTable& table) {
  table.add(BitwiseAnd, bitwise<std::bit_and>);
  table.add(BitwiseOr, bitwise<std::bit_or>);
  table.add(BitwiseXor, bitwise<std::bit_xor>);
  table.add(BitwiseNot, bitwise_not_ref);
}

}  // namespace norn::ops
