#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/division.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/copy_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void copy_vectors(std::uint8_t* to, const std::uint8_t* from, std::int64_t n) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, from + i), v1 = hn::LoadU(d, from + i + lanes);
    const auto v2 = hn::LoadU(d, from + i + 2 * lanes), v3 = hn::LoadU(d, from + i + 3 * lanes);
    hn::StoreU(v0, d, to + i);
    hn::StoreU(v1, d, to + i + lanes);
    hn::StoreU(v2, d, to + i + 2 * lanes);
    hn::StoreU(v3, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < n) hn::StoreU(hn::LoadU(d, from + n - lanes), d, to + n - lanes);
}

template <class T>
HWY_INLINE T element_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Of elements side by side the compiler makes shuffles.
template <class T, std::int64_t columns, class Step>
void spread_few(const char* from, Step step, char* to, std::int64_t rows) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t r = 0; r < rows; ++r) {
    const T value = element_at<T>(from + r * step * kBytes);
    for (std::int64_t i = 0; i < columns; ++i) std::memcpy(to + (r * columns + i) * kBytes, &value, sizeof value);
  }
}
template <class T, std::int64_t columns>
void spread_few(const char* from, std::int64_t step, char* to, std::int64_t rows) {
  if (step == 1) return spread_few<T, columns>(from, std::integral_constant<std::int64_t, 1>(), to, rows);
  spread_few<T, columns, std::int64_t>(from, step, to, rows);
}

// Whole vectors as far as those of a row that reach beyond it are written over by the rows after it.
template <class T>
void spread_elements(const char* from, std::int64_t step, char* to, std::int64_t columns, std::int64_t rows) {
  if (columns == 2) return spread_few<T, 2>(from, step, to, rows);
  if (columns == 3) return spread_few<T, 3>(from, step, to, rows);
  if (columns == 4) return spread_few<T, 4>(from, step, to, rows);
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t vectors = base::quotient_up(columns, lanes);
  const std::int64_t safe = rows + 1 - base::quotient_up(vectors * lanes, columns);
  std::int64_t r = 0;
  const auto each = [&](auto count) HWY_ATTR {
    for (; r < safe; ++r, from += step * kBytes, to += columns * kBytes) {
      const auto v = hn::Set(d, element_at<T>(from));
      for (std::int64_t i = 0; i < count; ++i) hn::StoreU(v, d, reinterpret_cast<T*>(to) + i * lanes);
    }
  };
  if (vectors == 1)
    each(std::integral_constant<std::int64_t, 1>());
  else if (vectors == 2)
    each(std::integral_constant<std::int64_t, 2>());
  else
    each(vectors);
  for (; r < rows; ++r, from += step * kBytes)
    for (std::int64_t i = 0; i < columns; ++i, to += kBytes) std::memcpy(to, from, sizeof(T));
}

void spread(const void* from, std::int64_t step, void* to, std::int64_t size, std::int64_t columns, std::int64_t rows) {
  const auto go = [&]<class T>() {
    spread_elements<T>(static_cast<const char*>(from), step, static_cast<char*>(to), columns, rows);
  };
  if (size == 1) return go.template operator()<std::uint8_t>();
  if (size == 2) return go.template operator()<std::uint16_t>();
  if (size == 4) return go.template operator()<std::uint32_t>();
  go.template operator()<std::uint64_t>();
}

// What is read again so soon after it was written in other pieces has to wait: the run stays in registers.
template <int vectors>
void repeat_vectors(const std::uint8_t* run, std::int64_t n, std::uint8_t* to, std::int64_t all) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> v[vectors];
#pragma GCC unroll 4
  for (int i = 0; i < vectors; ++i) v[i] = hn::Load(d, run + i * lanes);
  std::int64_t at = 0;
  for (; at + vectors * lanes <= all; at += n)
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) hn::StoreU(v[i], d, to + at + i * lanes);
  for (; at < all; at += n) std::memcpy(to + at, run, static_cast<std::size_t>(std::min(n, all - at)));
}

// Returns false where a run is too long for it.
bool repeat(std::uint8_t* out, std::int64_t run, std::int64_t all) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (run > 4 * lanes) return false;
  HWY_ALIGN std::uint8_t first[4 * 64];
  std::int64_t n = 0;
  // As many runs as fill a vector.
  do {
    std::memcpy(first + n, out, static_cast<std::size_t>(run));
    n += run;
  } while (n + run <= lanes && n < all);
  std::memset(first + n, 0, sizeof(first) - static_cast<std::size_t>(n));
  const std::int64_t vectors = base::quotient_up(n, lanes);
  out += run;
  all -= run;
  if (vectors == 1) repeat_vectors<1>(first, n, out, all);
  if (vectors == 2) repeat_vectors<2>(first, n, out, all);
  if (vectors == 3) repeat_vectors<3>(first, n, out, all);
  if (vectors == 4) repeat_vectors<4>(first, n, out, all);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(copy_vectors);
HWY_EXPORT(spread);
HWY_EXPORT(repeat);

void copy_in_vectors(char* to, const char* from, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(copy_vectors)(reinterpret_cast<std::uint8_t*>(to), reinterpret_cast<const std::uint8_t*>(from),
                                     n);
}

bool repeat_in_vectors(char* out, std::int64_t run, std::int64_t all) {
  return HWY_DYNAMIC_DISPATCH(repeat)(reinterpret_cast<std::uint8_t*>(out), run, all);
}

void spread_rows(const void* from, std::int64_t step, void* to, std::int64_t size, std::int64_t columns,
                 std::int64_t rows) {
  HWY_DYNAMIC_DISPATCH(spread)(from, step, to, size, columns, rows);
}

}  // namespace norn::kernels
#endif
