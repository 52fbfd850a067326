// Rows added at strides, or put between each other, for each instruction set.
#include "base/fork.h"
#include "kernels/cpu/plane_adds.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plane_adds_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace plane_adds_simd_cc {

void add_row(float* to, const float* from, std::int64_t n) {
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
#if HWY_MAX_BYTES < 64
  if (n >= lanes) {  // the last vector is read before those that it overlaps are written
    const V last = hn::Add(hn::LoadU(F(), to + n - lanes), hn::LoadU(F(), from + n - lanes));
    for (; i + lanes < n; i += lanes)
      hn::StoreU(hn::Add(hn::LoadU(F(), to + i), hn::LoadU(F(), from + i)), F(), to + i);
    return hn::StoreU(last, F(), to + n - lanes);
  }
#endif
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(F(), to + i), hn::LoadU(F(), from + i)), F(), to + i);
  if (i < n) store_tail(hn::Add(load_tail(to + i, n - i, 0.0f), load_tail(from + i, n - i, 0.0f)), to + i, n - i);
}

// to[2 * i] += from[i], as far as whole vectors of D go; of the last element there may be nothing behind it.
template <class D>
HWY_INLINE std::int64_t add_every_second(D d, float* to, const float* from, std::int64_t i, std::int64_t n) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes < n; i += lanes) {
    hn::Vec<D> even, odd;
    hn::LoadInterleaved2(d, to + 2 * i, even, odd);
    hn::StoreInterleaved2(hn::Add(even, hn::LoadU(d, from + i)), odd, d, to + 2 * i);
  }
  return i;
}

void add_apart(float* to, std::int64_t to_row, std::int64_t step, const float* from, std::int64_t from_row,
               std::int64_t n, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r, to += to_row, from += from_row) {
    if (step == 1) {
      add_row(to, from, n);
      continue;
    }
    std::int64_t i = 0;
    if (step == 2) {
      i = add_every_second(F(), to, from, i, n);
      i = add_every_second(hn::CappedTag<float, 8>(), to, from, i, n);
      i = add_every_second(hn::CappedTag<float, 4>(), to, from, i, n);
    }
    for (; i < n; ++i) to[i * step] += from[i];
  }
}

#if HWY_TARGET != HWY_SCALAR
template <class D>
HWY_INLINE std::int64_t add_interleaved(D d, float* to, const float* even, const float* odd, std::int64_t i,
                                        std::int64_t n) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  for (; i + kLanes <= n; i += kLanes) {
    const auto a = hn::LoadU(d, even + i), b = hn::LoadU(d, odd + i);
    auto first = hn::InterleaveLower(d, a, b), second = hn::InterleaveUpper(d, a, b);
    if constexpr (kLanes == 8) {
      const auto lower = first;
      first = hn::ConcatLowerLower(d, second, lower);
      second = hn::ConcatUpperUpper(d, second, lower);
    }
    float* const at = to + 2 * i;
    first = hn::Add(hn::LoadU(d, at), first);
    second = hn::Add(hn::LoadU(d, at + kLanes), second);
    hn::StoreU(first, d, at);
    hn::StoreU(second, d, at + kLanes);
  }
  return i;
}
#endif

void add_pairs(float* to, std::int64_t to_row, const float* even, const float* odd, std::int64_t from_row,
               std::int64_t n, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r, to += to_row, even += from_row, odd += from_row) {
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    i = add_interleaved(hn::CappedTag<float, 8>(), to, even, odd, i, n);
    i = add_interleaved(hn::CappedTag<float, 4>(), to, even, odd, i, n);
#endif
    for (; i < n; ++i) {
      to[2 * i] += even[i];
      to[2 * i + 1] += odd[i];
    }
  }
}

// As far as whole vectors go.
template <int step>
HWY_INLINE std::int64_t join_vectors([[maybe_unused]] const float* const* from, [[maybe_unused]] std::int64_t n,
                                     [[maybe_unused]] float other, [[maybe_unused]] float* to) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::int64_t lanes = lane_count();
  for (; i + lanes <= n; i += lanes) {
    const auto one = [&](int k)
                         HWY_ATTR { return from[k] == nullptr ? hn::Set(F(), other) : hn::LoadU(F(), from[k] + i); };
    if constexpr (step == 2) hn::StoreInterleaved2(one(0), one(1), F(), to + 2 * i);
    if constexpr (step == 3) hn::StoreInterleaved3(one(0), one(1), one(2), F(), to + 3 * i);
    if constexpr (step == 4) hn::StoreInterleaved4(one(0), one(1), one(2), one(3), F(), to + 4 * i);
  }
#endif
  return i;
}

void join_rows(const float* const* from, std::int64_t step, std::int64_t n, float other, float* to) {
  std::int64_t i = 0;
  if (step == 2) i = join_vectors<2>(from, n, other, to);
  if (step == 3) i = join_vectors<3>(from, n, other, to);
  if (step == 4) i = join_vectors<4>(from, n, other, to);
  for (std::int64_t k = 0; k < step; ++k)
    for (std::int64_t j = i; j < n; ++j) to[j * step + k] = from[k] == nullptr ? other : from[k][j];
}

PlaneAdds find_plane_adds() { return {add_apart, add_pairs, join_rows}; }

}  // namespace plane_adds_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_plane_adds);

const PlaneAdds& plane_adds() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(find_plane_adds)(); });
}

}  // namespace norn::kernels
#endif
