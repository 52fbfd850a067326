// Tiles of sums that stay in registers, for one Highway target: vectors of at most 16 lanes, the last of which need not
// be whole.
#if defined(NORN_KERNELS_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_TILES_INL_H_
#undef NORN_KERNELS_TILES_INL_H_
#else
#define NORN_KERNELS_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace tiles {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;
using V = hn::Vec<F>;

constexpr int kVectors = HWY_MAX_BYTES >= 64 ? 4 : 2;  // of a panel's width
constexpr int kSums = HWY_MAX_BYTES >= 64 ? 24 : 12;   // accumulators in registers

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

// The first n elements, or a vector of them if there are more; zeros stand for what is not loaded.
HWY_INLINE V load(const float* x, std::int64_t n) {
  const F d;
  if (n >= lanes()) return hn::LoadU(d, x);
  HWY_ALIGN float tail[16] = {};
  std::copy_n(x, std::max<std::int64_t>(n, 0), tail);
  return hn::Load(d, tail);
}
HWY_INLINE void store(V v, float* to, std::int64_t n) {
  const F d;
  if (n >= lanes()) return hn::StoreU(v, d, to);
  HWY_ALIGN float tail[16];
  hn::Store(v, d, tail);
  std::copy_n(tail, std::max<std::int64_t>(n, 0), to);
}

// Vectors, and vectors of which only the first elements are there.
struct Whole {
  HWY_INLINE V load(const float* x) const { return hn::LoadU(F(), x); }
  HWY_INLINE void store(V v, float* to) const { hn::StoreU(v, F(), to); }
};
class Few {
 public:
  explicit Few(std::int64_t n) : n_(n), mask_(hn::FirstN(F(), static_cast<std::size_t>(n))) {}

  HWY_INLINE V load(const float* x) const {
    if constexpr (kMasks) return hn::MaskedLoad(mask_, F(), x);
    return tiles::load(x, n_);
  }
  HWY_INLINE void store(V v, float* to) const {
    if constexpr (kMasks) return hn::BlendedStore(v, mask_, F(), to);
    tiles::store(v, to, n_);
  }

 private:
  static constexpr bool kMasks = HWY_TARGET <= HWY_AVX2;  // below, masked loads read whole vectors

  std::int64_t n_;
  hn::Mask<F> mask_;
};

// Rows of a tile of so many vectors whose sums stay in registers.
template <int vectors>
constexpr int kMostRows = std::min(kSums / vectors, 12);

// Memory that tiles prefetch into the second cache while they compute, for the tiles after them: each tile has a share
// of it, some bytes for each step of its sums.
struct Ahead {
  const char* at;
  std::int64_t step;

  // Of `bytes` in all, by so many tiles of `steps` each.
  static Ahead of(const void* memory, std::int64_t bytes, std::int64_t tiles, std::int64_t steps) {
    return {static_cast<const char*>(memory), bytes / std::max<std::int64_t>(1, tiles * steps)};
  }
};
constexpr std::int64_t kLine = 64;
// Nothing, a line in a turn of the loop over steps, or two lines in each step. Lines that are asked for more than once
// hold up the loads, so the first kind is for shares of which a turn, of `steps` steps, has no more than a line.
enum class Fetch { None, Line, Lines };
HWY_INLINE Fetch fetch_of(const Ahead& ahead, std::int64_t steps) {
  return ahead.at == nullptr ? Fetch::None : steps * ahead.step <= kLine ? Fetch::Line : Fetch::Lines;
}
HWY_INLINE const char* fetch(const char* at, std::int64_t step) {
  __builtin_prefetch(at, 0, 2);
  __builtin_prefetch(at + kLine, 0, 2);
  return at + step;
}

// NaN stays: x86 gives the second operand where one is NaN.
template <class AnyV>
HWY_INLINE AnyV within(AnyV low, AnyV high, AnyV v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Min(high, hn::Max(low, v));
#else
  v = hn::IfThenElse(hn::Lt(v, low), low, v);
  return hn::IfThenElse(hn::Gt(v, high), high, v);
#endif
}

HWY_INLINE bool is_bounded(float low, float high) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  return low != -kMost || high != kMost;
}

// What sums begin with, and where they go within bounds.
struct Target {
  const float *bias, *added;  // null for none; `added` lies as c does
  float low, high;
  float* c;
  std::int64_t c_row, columns;  // to be stored

  // Whether all so many vectors are; else the last of them are loaded and stored element by element.
  bool fills(int vectors) const { return columns >= vectors * lanes(); }
  bool is_bounded() const { return tiles::is_bounded(low, high); }
};

// GCC keeps an array of sums in registers only where it unrolls every loop over it at once, rows first, and nothing
// that is called sees it: otherwise it writes all of them to memory before and after the loop over their terms.
template <int rows, int vectors>
HWY_INLINE void start(const Target& to, V (&sums)[rows][vectors]) {
  const F d;
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) sums[0][v] = hn::Zero(d);
  if (to.bias != nullptr) {
    if (to.fills(vectors))
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[0][v] = hn::LoadU(d, to.bias + v * lanes());
    else
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[0][v] = load(to.bias + v * lanes(), to.columns - v * lanes());
  }
#pragma GCC unroll 12
  for (int r = 1; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[r][v] = sums[0][v];
}

inline HWY_NOINLINE void finish_tail(int rows, int vectors, const float* sums, const Target& to) {
  const F d;
  const std::int64_t w = lanes();
  const V low = hn::Set(d, to.low), high = hn::Set(d, to.high);
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v, sums += w) {
      const std::int64_t at = v * w, columns = to.columns - at;
      V sum = hn::Load(d, sums);
      if (to.added != nullptr) sum = hn::Add(sum, load(to.added + r * to.c_row + at, columns));
      store(within(low, high, sum), to.c + r * to.c_row + at, columns);
    }
}
template <int rows, int vectors>
HWY_INLINE void finish(const Target& to, V (&sums)[rows][vectors]) {
  const F d;
  const std::int64_t w = lanes();
  if (!to.fills(vectors)) {
    HWY_ALIGN float tail[rows * vectors * 16];
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) hn::Store(sums[r][v], d, tail + (r * vectors + v) * w);
    return finish_tail(rows, vectors, tail, to);
  }
  if (to.added != nullptr)
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[r][v] = hn::Add(sums[r][v], hn::LoadU(d, to.added + r * to.c_row + v * w));
  const auto put = [&](const auto& last) HWY_ATTR {
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) hn::StoreU(last(sums[r][v]), d, to.c + r * to.c_row + v * w);
  };
  if (!to.is_bounded()) return put([](V sum) HWY_ATTR { return sum; });
  const V low = hn::Set(d, to.low), high = hn::Set(d, to.high);
  put([&](V sum) HWY_ATTR { return within(low, high, sum); });
}

}  // namespace tiles
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
