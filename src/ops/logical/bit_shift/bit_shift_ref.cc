// Elements are widened to 64 bits, with their sign, and narrowed again: what a shift by at least the width gives in a
// narrow type comes out by itself.
#include "ops/common/loops.h"
#include "ops/logical/bit_shift/bit_shift.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace bit_shift_ref_cc {
namespace {

std::uint64_t left(std::uint64_t x, std::uint64_t shift) { return shift < 64 ? x << shift : 0; }
std::uint64_t right(std::uint64_t x, std::uint64_t shift) { return shift < 64 ? x >> shift : 0; }
// A negative shift is one beyond every width.
std::int64_t left(std::int64_t x, std::int64_t shift) {
  return static_cast<std::int64_t>(left(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(shift)));
}
std::int64_t right(std::int64_t x, std::int64_t shift) { return x >> (shift >= 0 && shift < 64 ? shift : 63); }

void bit_shift_ref(opset::ReferenceContext& ctx) {
  map_pairs(ctx, shifts_left(ctx) ? BinaryFn{.i64 = left, .u64 = left} : BinaryFn{.i64 = right, .u64 = right});
}

}  // namespace
}  // namespace bit_shift_ref_cc

void bit_shift_references(opset::ReferenceTable& table) { table.add(BitShift, bit_shift_ref); }

}  // namespace norn::ops
