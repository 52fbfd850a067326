// Tables of 256 bytes in registers, sixteen entries in each, which shuffles of bytes look up.
#include "kernels/cpu/byte_table.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/byte_table_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace byte_table {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
constexpr std::size_t kRow = 16, kRows = 16;
using D = hn::ScalableTag<std::uint8_t>;
using V = hn::Vec<D>;

// What the highest four bits choose among the results of the rows.
template <std::size_t bit>
HWY_INLINE V chosen(D d, V v, const V* of) {
  constexpr std::size_t half = std::size_t{1} << (bit - 4);
  const auto upper = hn::TestBit(v, hn::Set(d, static_cast<std::uint8_t>(1u << bit)));
  if constexpr (bit == 4)
    return hn::IfThenElse(upper, of[1], of[0]);
  else
    return hn::IfThenElse(upper, chosen<bit - 1>(d, v, of + half), chosen<bit - 1>(d, v, of));
}

HWY_INLINE V looked_up(D d, V v, const V* rows) {
  if constexpr (HWY_TARGET <= HWY_AVX3) {
    const V place = hn::And(v, hn::Set(d, std::uint8_t{15}));
    V of[kRows];
    for (std::size_t r = 0; r < kRows; ++r) of[r] = hn::TableLookupBytes(rows[r], place);
    return chosen<7>(d, v, of);
  } else {
    // Bytes of other rows than r get their highest bit, for which there is nothing: choosing by masks takes longer.
    V all = hn::Zero(d);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V place = hn::And(hn::SaturatedAdd(v, hn::Set(d, std::uint8_t{0x70})), hn::Set(d, std::uint8_t{0x8f}));
      all = hn::Or(all, hn::TableLookupBytesOr0(rows[r], place));
      v = hn::Sub(v, hn::Set(d, std::uint8_t{kRow}));
    }
    return all;
  }
}

void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, std::int64_t n) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  V rows[kRows];
  for (std::size_t r = 0; r < kRows; ++r) rows[r] = hn::LoadDup128(d, table + r * kRow);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(looked_up(d, hn::LoadU(d, x + i), rows), d, y + i);
  for (; i < n; ++i) y[i] = table[x[i]];
}
#else
void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = table[x[i]];
}
#endif

}  // namespace byte_table

ByteLookup target_byte_lookup() { return byte_table::look_up; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(target_byte_lookup);

ByteLookup shuffled_lookup() { return HWY_DYNAMIC_DISPATCH(target_byte_lookup)(); }

}  // namespace norn::kernels
#endif
