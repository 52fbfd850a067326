// Tiles of filters by pixels for each instruction set, whose sums stay in registers, and panels of patches for them.
#include "kernels/cpu/channels_first.h"

#include <array>
#include <utility>

#include "base/fork.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/channels_first_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace channels_first_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::F, tiles::Few, tiles::V, tiles::lanes;

constexpr int kAcross = 2;  // vectors of a panel
constexpr int kTileRows = tiles::kMostRows<kAcross>;

// The loops over sums are unrolled, so that GCC keeps them in registers; bounds in registers would put sums of AVX2
// into memory.
template <int rows, int vectors, bool packed>
HWY_NOINLINE void filter_tile(std::int64_t depth, const float* weights, std::int64_t weights_row,
                              const std::int64_t* offsets, const PixelVector* pixels, std::int64_t out_row,
                              const float* bias, bool onto, const Bounds& bounds) {
  const F d;
  V sums[rows][vectors];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums[r][v] = hn::Zero(d);
      if (!onto) __builtin_prefetch(pixels[v].out + r * out_row, 1, 3);
    }
  const float *const left_from = pixels[0].from, *const right_from = pixels[vectors - 1].from;
  for (std::int64_t i = 0; i < depth; ++i, weights += packed ? rows : 1) {
    const V first = hn::LoadU(d, left_from + offsets[i]);
    const V second = vectors > 1 ? hn::LoadU(d, right_from + offsets[i]) : first;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const V weight = hn::Set(d, weights[packed ? r : r * weights_row]);
      sums[r][0] = hn::MulAdd(weight, first, sums[r][0]);
      if constexpr (vectors > 1) sums[r][1] = hn::MulAdd(weight, second, sums[r][1]);
    }
  }
  const V least = hn::Set(d, bounds.low), most = hn::Set(d, bounds.high);
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t n = pixels[v].n;
    const Few few(n);
    float* to = pixels[v].out;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r, to += out_row) {
      const V before = !onto ? hn::Set(d, bias[r]) : n == lanes() ? hn::LoadU(d, to) : few.load(to);
      const V sum = tiles::within(least, most, hn::Add(sums[r][v], before));
      if (n == lanes())
        hn::StoreU(sum, d, to);
      else
        few.store(sum, to);
    }
  }
}

using Tile = void (*)(std::int64_t, const float*, std::int64_t, const std::int64_t*, const PixelVector*, std::int64_t,
                      const float*, bool, const Bounds&);
template <int vectors, bool packed, int... rows>
constexpr std::array<Tile, sizeof...(rows)> tiles_of(std::integer_sequence<int, rows...>) {
  return {filter_tile<rows + 1, vectors, packed>...};
}

void multiply_filters(std::int64_t filters, std::int64_t depth, const float* weights, std::int64_t weights_row,
                      const std::int64_t* offsets, const PixelVector* vectors, std::int64_t count, std::int64_t out_row,
                      const float* bias, bool onto, const Bounds& bounds) {
  constexpr auto kRows = std::make_integer_sequence<int, kTileRows>();
  static constexpr auto kOne = tiles_of<1, true>(kRows), kTwo = tiles_of<2, true>(kRows);
  static constexpr auto kOneAsIs = tiles_of<1, false>(kRows), kTwoAsIs = tiles_of<2, false>(kRows);
  const auto& by = weights_row == 0 ? (count == 1 ? kOne : kTwo) : (count == 1 ? kOneAsIs : kTwoAsIs);
  by[static_cast<std::size_t>(filters - 1)](depth, weights, weights_row, offsets, vectors, out_row, bias, onto, bounds);
}

// How elements of a run become neighbours: `from` is the first of a vector of them, of which n are there. Nothing
// behind the last one is read.
struct Neighbours {
  HWY_INLINE V whole(const float* from) const { return hn::LoadU(F(), from); }
  HWY_INLINE V few(const float* from, std::int64_t n) const { return Few(n).load(from); }
};
struct EveryOther {
  // The second vector begins an element early, and so ends with the last one.
  static HWY_INLINE V joined([[maybe_unused]] V high, V low) {
#if HWY_TARGET == HWY_SCALAR
    return low;
#else
    const F d;
    return hn::ConcatUpperLower(d, hn::ConcatOdd(d, high, high), hn::ConcatEven(d, low, low));
#endif
  }
  HWY_INLINE V whole(const float* from) const {
    return joined(hn::LoadU(F(), from + lanes() - 1), hn::LoadU(F(), from));
  }
  HWY_INLINE V few(const float* from, std::int64_t n) const {
    const std::int64_t there = 2 * n - 1, rest = std::max<std::int64_t>(there - lanes() + 1, 0);
    return joined(Few(rest).load(from + lanes() - 1), Few(std::min(there, lanes())).load(from));
  }
};
struct EveryFourth {
  HWY_INLINE V whole(const float* from) const {
    return EveryOther::joined(pairs.whole(from + 2 * (lanes() - 1)), pairs.whole(from));
  }
  HWY_INLINE V few(const float* from, std::int64_t n) const {
    const std::int64_t there = 2 * n - 1, rest = there - lanes() + 1;
    const V low = there < lanes() ? pairs.few(from, there) : pairs.whole(from);
    return EveryOther::joined(rest > 0 ? pairs.few(from + 2 * (lanes() - 1), rest) : low, low);
  }
  EveryOther pairs;
};
#if HWY_TARGET != HWY_SCALAR
// Every third, fifth or seventh: no two of as many as a vector has are the same lane of the vectors that hold them, so
// that one look-up in all of these is enough.
template <int apart>
class EveryOdd {
 public:
  EveryOdd() {
    constexpr std::int64_t kLanes = hn::MaxLanes(F());
    HWY_ALIGN std::int32_t at[kLanes];
    HWY_ALIGN float of[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) {
      const std::int64_t vector = i * apart / kLanes;
      at[i] = static_cast<std::int32_t>(i * apart - vector * kLanes);
      of[at[i]] = static_cast<float>(vector);
    }
    at_ = hn::SetTableIndices(F(), at);
    of_ = hn::Load(F(), of);
  }
  HWY_INLINE V whole(const float* from) const {
    const std::int64_t there = (lanes() - 1) * apart + 1;
    return picked([&](std::int64_t v) HWY_ATTR {
      const std::int64_t rest = there - v * lanes();
      return rest >= lanes() ? hn::LoadU(F(), from + v * lanes())
                             : Few(std::max<std::int64_t>(rest, 0)).load(from + v * lanes());
    });
  }
  HWY_INLINE V few(const float* from, std::int64_t n) const {
    const std::int64_t there = (n - 1) * apart + 1;
    return picked([&](std::int64_t v) HWY_ATTR {
      return Few(std::clamp<std::int64_t>(there - v * lanes(), 0, lanes())).load(from + v * lanes());
    });
  }

 private:
  template <class Load>
  HWY_INLINE V picked(const Load& load) const {
    const F d;
    V all = load(0);
#pragma GCC unroll 7
    for (std::int64_t v = 1; v < apart; ++v)
      all = hn::IfThenElse(hn::Eq(of_, hn::Set(d, static_cast<float>(v))), load(v), all);
    return hn::TableLookupLanes(all, at_);
  }

  decltype(hn::SetTableIndices(F(), static_cast<const std::int32_t*>(nullptr))) at_;
  V of_;  // by lane: which vector holds the element
};
#endif
class Apart {
 public:
  explicit Apart(std::int64_t apart) : apart_(apart) {
    const hn::RebindToSigned<F> d;
    at_ = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<std::int32_t>(apart)));
  }
  HWY_INLINE V whole(const float* from) const { return hn::GatherIndex(F(), from, at_); }
  HWY_INLINE V few(const float* from, std::int64_t n) const {
    HWY_ALIGN float taken[16] = {};
    for (std::int64_t i = 0; i < n; ++i) taken[i] = from[i * apart_];
    return hn::Load(F(), taken);
  }

 private:
  std::int64_t apart_;
  hn::Vec<hn::RebindToSigned<F>> at_;
};

template <class Take>
HWY_INLINE void take_run(const Take& take, const float* from, std::int64_t apart, std::int64_t n, float* to) {
  const F d;
  if (n < lanes()) return Few(n).store(take.few(from, n), to);
  for (std::int64_t i = 0; i < n; i += lanes()) {
    i = std::min(i, n - lanes());  // the last vector holds some of the one before again
    hn::StoreU(take.whole(from + i * apart), d, to + i);
  }
}
// Planes lie far from each other: nothing but this brings the next ones into the first cache in time.
HWY_INLINE void fetch_ahead(const PatchRun& run, const float* x, std::int64_t plane) {
  __builtin_prefetch(x + run.from + plane, 0, 3);
  __builtin_prefetch(x + run.from + plane + 16, 0, 3);
}

template <class Take>
HWY_INLINE void take_runs(const Take& take, const PatchTap* taps, std::int64_t tap_count, const PatchRun* runs,
                          std::int64_t apart, const float* x, std::int64_t channels, std::int64_t plane, float* to) {
  const F d;
  const std::int64_t width = kAcross * lanes(), ahead = tap_count == 1 ? 8 * plane : plane;
  for (std::int64_t c = 0; c < channels; ++c, x += plane) {
    const PatchRun* run = runs;
    for (std::int64_t t = 0; t < tap_count; ++t, to += width) {
      if (taps[t].runs == 1 && run->n == width) {
        fetch_ahead(*run, x, ahead);
        const float* const from = x + run->from;
        hn::StoreU(take.whole(from), d, to);
        hn::StoreU(take.whole(from + lanes() * apart), d, to + lanes());
        ++run;
        continue;
      }
      if (taps[t].count < width)
        for (int v = 0; v < kAcross; ++v) hn::StoreU(hn::Zero(d), d, to + v * lanes());
      for (const PatchRun* const end = run + taps[t].runs; run != end; ++run) {
        fetch_ahead(*run, x, ahead);
        take_run(take, x + run->from, apart, run->n, to + run->to);
      }
    }
  }
}

// Calls with(how elements that are so far apart become neighbours).
template <class With>
HWY_INLINE void with_apart(std::int64_t apart, const With& with) {
  if (apart == 1) return with(Neighbours());
  if (apart == 2) return with(EveryOther());
#if HWY_TARGET != HWY_SCALAR
  if (apart == 3) return with(EveryOdd<3>());
  if (apart == 4) return with(EveryFourth());
  if (apart == 5) return with(EveryOdd<5>());
  if (apart == 7) return with(EveryOdd<7>());
#endif
  with(Apart(apart));
}

void pack_patches(const PatchTap* taps, std::int64_t tap_count, const PatchRun* runs, std::int64_t apart,
                  const float* x, std::int64_t channels, std::int64_t plane, float* to) {
  with_apart(apart,
             [&](const auto& take) HWY_ATTR { take_runs(take, taps, tap_count, runs, apart, x, channels, plane, to); });
}

void take_apart(const float* from, std::int64_t apart, std::int64_t n, float* to) {
  with_apart(apart, [&](const auto& take) HWY_ATTR { take_run(take, from, apart, n, to); });
}

ChannelsFirstTable channels_first() { return {lanes(), kTileRows, pack_patches, take_apart, multiply_filters}; }

}  // namespace channels_first_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(channels_first);

const ChannelsFirstTable& channels_first_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(channels_first)(); });
}

}  // namespace norn::kernels
#endif
