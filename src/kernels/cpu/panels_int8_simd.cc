// Rows of bytes times panels for CPUs without dot products of bytes: pairs of 16-bit integers, whose products are added
// in 32 bits, which is exact where products of bytes that are added in 16 bits would saturate.
//
// Rows are widened once for all panels. Weights stay bytes in memory and are widened as they are read.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/fork.h"
#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/panels_int8_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace panels_int8_simd_cc {

constexpr std::int64_t kPair = 2;  // bytes of a column that lie side by side

#if HWY_TARGET == HWY_SCALAR

constexpr std::int64_t kRowBlock = 1;

void multiply_vector(const PanelProduct& p, std::int64_t rows, const std::int8_t* w, const std::int32_t* start,
                     std::int32_t* to, std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows; ++r, to += to_row) {
    std::copy_n(start, kPanelLanes, to);
    const std::int8_t* from = w;
    for (std::int64_t tap = 0; tap < p.taps; ++tap) {
      const auto* x = reinterpret_cast<const std::int16_t*>(p.x[tap * p.x_tap + r]);
      for (std::int64_t k = 0; k < 4 * p.quads; k += kPair, from += kPair * kPanelLanes)
        for (std::int64_t c = 0; c < kPanelLanes; ++c)
          to[c] = static_cast<std::int32_t>(
              static_cast<std::uint32_t>(to[c]) +
              static_cast<std::uint32_t>(x[k] * from[kPair * c] + x[k + 1] * from[kPair * c + 1]));
    }
  }
}

#else

constexpr std::int64_t kLanes = std::min<std::int64_t>(HWY_MAX_BYTES / 4, kPanelLanes);  // of sums
constexpr int kVectors = static_cast<int>(kPanelLanes / kLanes);
// Sums of twelve vectors: with weights, a pair of a row and its products they fill sixteen registers.
constexpr int kRowBlock = 12 / kVectors;

template <int rows>
void multiply_rows(const PanelProduct& p, std::int64_t first, const std::int8_t* w, const std::int32_t* start,
                   std::int32_t* to, std::int64_t to_row) {
  const hn::Rebind<std::int8_t, D16> narrow;
  VI sums[rows][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const VI from = hn::LoadU(I(), start + v * kLanes);
    for (int r = 0; r < rows; ++r) sums[r][v] = from;
  }
  for (std::int64_t tap = 0; tap < p.taps; ++tap) {
    const std::uint8_t* x[rows];
    for (int r = 0; r < rows; ++r) x[r] = p.x[tap * p.x_tap + first + r];
    for (std::int64_t k = 0; k < 8 * p.quads; k += 4, w += kPair * kPanelLanes) {
      V16 column[kVectors];
      for (int v = 0; v < kVectors; ++v) column[v] = hn::PromoteTo(D16(), hn::LoadU(narrow, w + v * kPair * kLanes));
      for (int r = 0; r < rows; ++r) {
        std::int32_t two;
        std::memcpy(&two, x[r] + k, sizeof two);
        const V16 pair = hn::BitCast(D16(), hn::Set(I(), two));
        for (int v = 0; v < kVectors; ++v) sums[r][v] = add_pair_products(pair, column[v], sums[r][v]);
      }
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], I(), to + r * to_row + v * kLanes);
}

using MultiplyRows = decltype(&multiply_rows<1>);
template <int... rows>
constexpr std::array<MultiplyRows, kRowBlock> by_rows(std::integer_sequence<int, rows...>) {
  return {multiply_rows<rows + 1>...};
}

// Rows times one vector of a panel.
void multiply_vector(const PanelProduct& p, std::int64_t rows, const std::int8_t* w, const std::int32_t* start,
                     std::int32_t* to, std::int64_t to_row) {
  static constexpr auto kByRows = by_rows(std::make_integer_sequence<int, kRowBlock>());
  for (std::int64_t first = 0; first < rows; first += kRowBlock) {
    const std::int64_t count = std::min<std::int64_t>(kRowBlock, rows - first);
    kByRows[static_cast<std::size_t>(count - 1)](p, first, w, start, to + first * to_row, to_row);
  }
}

#endif

void multiply(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, PanelBytes, std::int32_t* sums,
              std::int64_t sums_row) {
  std::int32_t start[kPanelVectors * kPanelLanes] = {};
  if (p.base != nullptr) std::copy_n(p.base, p.columns, start);
  const std::int64_t vector_bytes = p.taps * p.quads * 4 * kPanelLanes;
  for (std::int64_t v = 0; v < vectors; ++v)
    multiply_vector(p, rows, p.w + v * vector_bytes, start + v * kPanelLanes, sums + v * kPanelLanes, sums_row);
  add_corrections(p, rows, vectors * kPanelLanes, sums, sums_row);
}

template <class T>
HWY_INLINE void widen(const T* from, std::int64_t n, std::int16_t* to) {
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<std::int16_t, 8> eight;
  const hn::Rebind<T, decltype(eight)> narrow;
  if (n >= 8) {
    for (std::int64_t i = 0; i + 8 < n; i += 8)
      hn::StoreU(hn::PromoteTo(eight, hn::LoadU(narrow, from + i)), eight, to + i);
    hn::StoreU(hn::PromoteTo(eight, hn::LoadU(narrow, from + n - 8)), eight, to + n - 8);
    return;
  }
#endif
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

// An odd number of lines of a cache, so that rows do not lie in the same places of it.
std::int64_t copied_row_bytes(std::int64_t depth) {
  constexpr std::int64_t kLine = 64;
  return ((depth + 3) / 4 * 8 + kLine - 1) / kLine * kLine | kLine;
}

std::int64_t copy_bytes(std::int64_t rows, std::int64_t taps, std::int64_t depth) {
  return rows * taps * copied_row_bytes(depth);
}

template <class T>
void gather_as(const PanelProduct& p, std::int64_t parts, std::int64_t depth, std::int64_t rows,
               const std::uint8_t** to, std::uint8_t* copy) {
  const std::int64_t row = copied_row_bytes(parts * depth);
  for (std::int64_t tap = 0; tap < p.taps / parts; ++tap)
    for (std::int64_t r = 0; r < rows; ++r, copy += row) {
      const std::uint8_t* const* from = p.x + tap * parts * p.x_tap + r;
      to[tap * p.x_tap + r] = copy;
      auto* wide = reinterpret_cast<std::int16_t*>(copy);
      for (std::int64_t part = 0; part < parts; ++part, wide += depth)
        widen(reinterpret_cast<const T*>(from[part * p.x_tap] + p.offset), depth, wide);
      for (std::int64_t k = parts * depth; k % 4 != 0; ++k) *wide++ = 0;
    }
}

void gather(const PanelProduct& p, std::int64_t parts, std::int64_t depth, std::int64_t rows, PanelBytes bytes,
            const std::uint8_t** to, std::uint8_t* copy) {
  if (bytes == PanelBytes::Uint8)
    gather_as<std::uint8_t>(p, parts, depth, rows, to, copy);
  else
    gather_as<std::int8_t>(p, parts, depth, rows, to, copy);
}

// A pair of each of up to 16 columns; those that are not there are 0.
HWY_INLINE void pack_pair(const std::uint8_t* first, const std::uint8_t* second, std::int64_t columns,
                          std::uint8_t flip, std::int8_t* to, std::int32_t* sums) {
  for (std::int64_t c = 0; c < columns; ++c) {
    to[kPair * c] = static_cast<std::int8_t>(first[c] ^ flip);
    to[kPair * c + 1] = second == nullptr ? std::int8_t{0} : static_cast<std::int8_t>(second[c] ^ flip);
    sums[c] += to[kPair * c] + to[kPair * c + 1];
  }
  std::fill(to + kPair * columns, to + kPair * kPanelLanes, std::int8_t{0});
}

void pack(const std::uint8_t* from, std::int64_t row, std::int64_t depth, std::int64_t columns, bool flips,
          std::int8_t* to, std::int32_t* sums) {
  const std::uint8_t flip = flips ? 0x80 : 0;
  std::fill_n(sums, kPanelLanes, 0);
  std::int64_t k = 0;
  for (; k < depth; k += kPair, from += kPair * row, to += kPair * kPanelLanes) {
    const std::uint8_t* const second = k + 1 < depth ? from + row : nullptr;
    if (columns == kPanelLanes)
      pack_pair(from, second, kPanelLanes, flip, to, sums);
    else
      pack_pair(from, second, columns, flip, to, sums);
  }
  if (k % 4 != 0) std::fill_n(to, kPair * kPanelLanes, std::int8_t{0});
}

PanelTable pair_panels() {
  constexpr auto most = [](std::int64_t vectors) {
    return kPanelSums / (vectors * kPanelLanes) / kRowBlock * kRowBlock;
  };
  return {.rows = {most(1), most(2), most(3), most(4)},
          .row_unit = kRowBlock,
          .quad_unit = 1,
          .depth_unit = kPair,
          .takes_int8 = true,
          .takes_signed = false,
          .vectors_apart = true,
          .copies = RowCopies::All,
          .multiply = multiply,
          .finish = nullptr,
          .row_sums = panel_row_sums,
          .pack = pack,
          .mark = nullptr,
          .begin = nullptr,
          .end = nullptr,
          .copy_bytes = copy_bytes,
          .gather = gather};
}

}  // namespace panels_int8_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(pair_panels);

const PanelTable& pair_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(pair_panels)(); });
}

}  // namespace norn::kernels
#endif
