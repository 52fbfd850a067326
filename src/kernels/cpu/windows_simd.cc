// Rows of addresses times a panel: as many rows at a time as leave the sums in registers.
#include "kernels/cpu/windows.h"

#include <algorithm>

#include "base/division.h"
#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/windows_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace windows_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::Ahead, tiles::F, tiles::Fetch, tiles::fetch, tiles::V, tiles::kMostRows, tiles::kSums, tiles::kVectors,
    tiles::finish, tiles::lanes, tiles::start, tiles::Target;

// With vectors of 8 and fewer, what is stored is fetched before the sums are there (separable_simd.cc has the same).
constexpr bool kShort = HWY_MAX_BYTES < 64;
// Steps of the sums in one turn of their loop, as there.
constexpr int kUnroll = 2;

bool are_all(const void* address, const void* const* addresses, int rows) {
  return std::all_of(addresses, addresses + rows, [&](const void* at) { return at == address; });
}

// `skips`: some addresses are of padding.
template <int rows, int vectors, Fetch fetches, bool skips>
HWY_INLINE void tile(const WindowProduct& p, std::int64_t row, Ahead& ahead) {
  const F d;
  const std::int64_t step = lanes();
  const Target target = {.bias = p.bias,
                         .added = p.added == nullptr ? nullptr : p.added + row * p.c_row,
                         .low = p.low,
                         .high = p.high,
                         .c = p.c + row * p.c_row,
                         .c_row = p.c_row,
                         .columns = p.columns};
  V sums[rows][vectors];
  start(target, sums);
  if (kShort || p.added != nullptr)
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) {
        if (kShort) __builtin_prefetch(target.c + r * p.c_row + v * step, 1);
        if (p.added != nullptr) __builtin_prefetch(target.added + r * p.c_row + v * step, 0);
      }
  const auto* w = static_cast<const float*>(p.w);
  const void* const* addresses = p.x + row;
  const char* next = ahead.at;
  for (std::int64_t tap = 0; tap < p.taps; ++tap, addresses += p.x_tap) {
    if constexpr (skips) {
      if (addresses[0] == p.padding && are_all(p.padding, addresses, rows)) {
        w += p.depth * vectors * step;
        continue;
      }
    }
    const float* x[rows];
    for (int r = 0; r < rows; ++r) x[r] = static_cast<const float*>(addresses[r]) + p.offset;
    const auto add = [&](const float* columns, std::int64_t k) HWY_ATTR {
      V right[vectors];
      for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, columns + v * step);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        const V left = hn::Set(d, x[r][k]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
      }
    };
    std::int64_t k = 0;
    for (; k + kUnroll <= p.depth; k += kUnroll, w += kUnroll * vectors * step) {
      if constexpr (fetches == Fetch::Line) {
        __builtin_prefetch(next, 0, 2);
        next += kUnroll * ahead.step;
      }
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        if constexpr (fetches == Fetch::Lines) next = fetch(next, ahead.step);
        add(w + u * vectors * step, k + u);
      }
    }
    for (; k < p.depth; ++k, w += vectors * step) add(w, k);
  }
  ahead.at = next;
  finish(target, sums);
}

template <int vectors, Fetch fetches, bool skips>
HWY_NOINLINE void panel(const WindowProduct& p, std::int64_t rows, Ahead ahead) {
  constexpr int kMost = kMostRows<vectors>;
  std::int64_t row = 0;
  const auto go = [&]<int count>() {
    for (; row + count <= rows; row += count) tile<count, vectors, fetches, skips>(p, row, ahead);
  };
  go.template operator()<kMost>();
  if constexpr (kMost > 6) go.template operator()<6>();
  if constexpr (kMost > 4) go.template operator()<4>();
  if constexpr (kMost > 3) go.template operator()<3>();
  go.template operator()<2>();
  go.template operator()<1>();
}

template <bool skips>
void multiply_panel(const WindowProduct& p, std::int64_t rows) {
  const std::int64_t vectors = (p.columns + lanes() - 1) / lanes();
  if (vectors == kVectors && (kShort || has_slow_third_cache())) {
    const std::int64_t steps = p.taps * p.depth,
                       bytes = steps * vectors * lanes() * static_cast<std::int64_t>(sizeof(float));
    const auto ahead =
        Ahead::of(static_cast<const char*>(p.w) + bytes, bytes, base::quotient_up(rows, kMostRows<kVectors>), steps);
    if (fetch_of(ahead, kUnroll) == Fetch::Line) return panel<kVectors, Fetch::Line, skips>(p, rows, ahead);
    return panel<kVectors, Fetch::Lines, skips>(p, rows, ahead);
  }
  if (vectors == 1) panel<1, Fetch::None, skips>(p, rows, {});
  if (vectors == 2) panel<2, Fetch::None, skips>(p, rows, {});
  if constexpr (kVectors > 2) {
    if (vectors == 3) panel<3, Fetch::None, skips>(p, rows, {});
    if (vectors == 4) panel<4, Fetch::None, skips>(p, rows, {});
  }
}
void multiply(const WindowProduct& p, std::int64_t rows) {
  if (p.padding != nullptr) return multiply_panel<true>(p, rows);
  multiply_panel<false>(p, rows);
}

WindowTable windows() { return {lanes(), kVectors * lanes(), multiply, nullptr}; }

}  // namespace windows_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(windows);

const WindowTable& window_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(windows)(); });
}

}  // namespace norn::kernels
#endif
