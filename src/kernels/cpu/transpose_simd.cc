// Squares and planes turned in vector registers for each instruction set.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/transpose_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/transpose_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace turning {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void copy_one(const T* from, T* to) {
  std::memcpy(to, from, sizeof(T));
}

#if HWY_TARGET != HWY_SCALAR
// 16 bytes of each of as many rows as a vector has blocks, `step` elements apart.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, std::int64_t step) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto blocks = static_cast<std::int64_t>(hn::MaxLanes(half) * sizeof(T) / 16);
    return hn::Combine(d, load_blocks(half, from + blocks * step, step), load_blocks(half, from, step));
  }
}

// Squares of 16 bytes a side, one in each block of the vectors: neighbours are interleaved until columns are rows.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void turn(D d, hn::Vec<D> (&v)[16 / sizeof(T)]) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  hn::Vec<D> w[kSide];
  for (std::int64_t stage = 1; stage < kSide; stage *= 2) {
    for (std::int64_t i = 0; i < kSide / 2; ++i) {
      w[2 * i] = hn::InterleaveLower(d, v[i], v[i + kSide / 2]);
      w[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kSide / 2]);
    }
    for (std::int64_t i = 0; i < kSide; ++i) v[i] = w[i];
  }
}

// Returns how many of the rows it has done. Only so many columns are written; 16 bytes of each row are read.
template <class D, class T>
HWY_INLINE std::int64_t squares(D d, const T* x, std::int64_t x_row, T* out, std::int64_t out_row, std::int64_t rows,
                                std::int64_t columns = 16 / sizeof(T)) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  std::int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) {
    hn::Vec<D> v[kSide];
    for (std::int64_t i = 0; i < kSide; ++i) v[i] = load_blocks(d, x + (r + i) * x_row, kSide * x_row);
    turn(d, v);
    for (std::int64_t i = 0; i < kSide; ++i)
      if (i < columns) hn::StoreU(v[i], d, out + i * out_row + r);
  }
  return r;
}

// The vector's bytes, the first `shift` elements last.
template <class D>
HWY_INLINE hn::Vec<D> rotated(D d, hn::Vec<D> v, std::int64_t shift) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto first =
      hn::Set(bytes, static_cast<std::uint8_t>(shift * static_cast<std::int64_t>(sizeof(hn::TFromD<D>))));
  const auto at = hn::And(hn::Add(hn::Iota(bytes, 0), first), hn::Set(bytes, 15));
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), at));
}

// Fewer columns than a square has: rows are read beyond their ends, the last ones from before their beginnings.
template <int bytes, class T>
void few_columns(const T* x, std::int64_t x_row, T* out, std::int64_t out_row, std::int64_t rows,
                 std::int64_t columns) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  const hn::CappedTag<T, 16 / sizeof(T)> one;
  // Of the last rows, 16 bytes would end behind the matrix.
  const std::int64_t whole = rows - (kSide - columns + x_row - 1) / x_row;
  std::int64_t r = squares(hn::CappedTag<T, bytes / sizeof(T)>(), x, x_row, out, out_row, whole, columns);
  r += squares(one, x + r * x_row, x_row, out + r, out_row, whole - r, columns);
  if (r == rows) return;
  const std::int64_t missing = kSide - columns;
  hn::Vec<decltype(one)> v[kSide];
  for (std::int64_t last = r + kSide; r < rows; r = last, last += kSide) {
    last = std::min(last, rows);
    const T* from = x + (last - kSide) * x_row - missing;
    for (std::int64_t i = 0; i < kSide; ++i) v[i] = rotated(one, hn::LoadU(one, from + i * x_row), missing);
    turn(one, v);
    for (std::int64_t i = 0; i < columns; ++i) hn::StoreU(v[i], one, out + i * out_row + last - kSide);
  }
}

// The first `count` elements.
template <int count, class D>
HWY_INLINE void store_first(D d, hn::Vec<D> v, hn::TFromD<D>* to) {
  if constexpr (hn::MaxLanes(D()) > count) {
    const hn::Half<D> half;
    store_first<count>(half, hn::LowerHalf(half, v), to);
  } else {
    hn::StoreU(v, d, to);
  }
}

// Fewer rows than a square has, at least `half` and at most twice as many: those of the output are written in two parts
// that may overlap.
template <int half, class T>
void few_rows(const T* x, std::int64_t x_row, T* out, std::int64_t out_row, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  const hn::CappedTag<T, 16 / sizeof(T)> one;
  hn::Vec<decltype(one)> v[kSide];
  for (std::int64_t c = 0; c < columns; c += kSide) {
    c = std::min(c, columns - kSide);
    for (std::int64_t i = 0; i < kSide; ++i) v[i] = i < rows ? hn::LoadU(one, x + i * x_row + c) : hn::Zero(one);
    turn(one, v);
    for (std::int64_t i = 0; i < kSide; ++i) {
      T* to = out + (c + i) * out_row;
      store_first<half>(one, v[i], to);
      store_first<half>(one, rotated(one, v[i], rows - half), to + rows - half);
    }
  }
}

// Whether a matrix had few rows or columns and is done.
template <int bytes, class T>
HWY_INLINE bool narrow(const T* x, std::int64_t x_row, T* out, std::int64_t out_row, std::int64_t rows,
                       std::int64_t columns) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  if constexpr (kSide < 4) return false;
  if (columns < kSide && columns >= kSide / 4 && rows >= kSide && (rows - kSide) * x_row >= kSide - columns) {
    few_columns<bytes>(x, x_row, out, out_row, rows, columns);
    return true;
  }
  if (rows >= kSide || columns < kSide) return false;
  if (rows >= kSide / 2) {
    few_rows<kSide / 2>(x, x_row, out, out_row, rows, columns);
    return true;
  }
  if (kSide < 8 || rows < kSide / 4) return false;
  few_rows<std::max<int>(1, kSide / 4)>(x, x_row, out, out_row, rows, columns);
  return true;
}
#endif

// In vectors of at most `bytes`.
template <class T, int bytes>
void block(const void* x_data, std::int64_t x_row, void* out_data, std::int64_t out_row, std::int64_t rows,
           std::int64_t columns) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  std::int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  if (narrow<bytes>(x, x_row, out, out_row, rows, columns)) return;
  constexpr std::int64_t kSide = 16 / sizeof(T);
  for (; c < columns && columns >= kSide; c += kSide) {
    c = std::min(c, columns - kSide);  // the last squares turn some again
    const T* from = x + c;
    T* to = out + c * out_row;
    const hn::CappedTag<T, 16 / sizeof(T)> one;
    std::int64_t r = squares(hn::CappedTag<T, bytes / sizeof(T)>(), from, x_row, to, out_row, rows);
    if constexpr (bytes > 32)
      r += squares(hn::CappedTag<T, 32 / sizeof(T)>(), from + r * x_row, x_row, to + r, out_row, rows - r);
    r += squares(one, from + r * x_row, x_row, to + r, out_row, rows - r);
    if (r < rows && rows >= kSide) {
      squares(one, from + (rows - kSide) * x_row, x_row, to + rows - kSide, out_row, kSide);
      continue;
    }
    for (; r < rows; ++r)
      for (std::int64_t k = 0; k < kSide; ++k) copy_one(from + r * x_row + k, to + k * out_row + r);
  }
#endif
  for (; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r) copy_one(x + r * x_row + c, out + c * out_row + r);
}

template <class T, int planes>
void together_of(const T* x, std::int64_t plane, T* out, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    T* to = out + i * planes;
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + plane + i);
    if constexpr (planes == 2) hn::StoreInterleaved2(a, b, d, to);
    if constexpr (planes == 3) hn::StoreInterleaved3(a, b, hn::LoadU(d, x + 2 * plane + i), d, to);
    if constexpr (planes == 4)
      hn::StoreInterleaved4(a, b, hn::LoadU(d, x + 2 * plane + i), hn::LoadU(d, x + 3 * plane + i), d, to);
  }
  for (; i < n; ++i)
    for (int p = 0; p < planes; ++p) copy_one(x + p * plane + i, out + i * planes + p);
}
template <class T, int planes>
void apart_of(const T* x, T* out, std::int64_t plane, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const T* from = x + i * planes;
    hn::Vec<decltype(d)> a, b;
    if constexpr (planes == 2) hn::LoadInterleaved2(d, from, a, b);
    if constexpr (planes == 3) {
      hn::Vec<decltype(d)> c;
      hn::LoadInterleaved3(d, from, a, b, c);
      hn::StoreU(c, d, out + 2 * plane + i);
    }
    if constexpr (planes == 4) {
      hn::Vec<decltype(d)> c, e;
      hn::LoadInterleaved4(d, from, a, b, c, e);
      hn::StoreU(c, d, out + 2 * plane + i);
      hn::StoreU(e, d, out + 3 * plane + i);
    }
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + plane + i);
  }
  for (; i < n; ++i)
    for (int p = 0; p < planes; ++p) copy_one(x + i * planes + p, out + p * plane + i);
}

template <class T>
void together(const void* x_data, std::int64_t plane, std::int64_t planes, void* out_data, std::int64_t n) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  if (planes == 2) return together_of<T, 2>(x, plane, out, n);
  if (planes == 3) return together_of<T, 3>(x, plane, out, n);
  together_of<T, 4>(x, plane, out, n);
}
template <class T>
void apart(const void* x_data, std::int64_t planes, void* out_data, std::int64_t plane, std::int64_t n) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  if (planes == 2) return apart_of<T, 2>(x, out, plane, n);
  if (planes == 3) return apart_of<T, 3>(x, out, plane, n);
  apart_of<T, 4>(x, out, plane, n);
}
template <class T>
TransposeLoops loops() {
  constexpr int kWidest = HWY_MAX_BYTES > 32 ? 64 : 32;
  // Putting four blocks together takes longer than what is done with them at once: for squares of 8 elements a side
  // everywhere, for those of 16 where wide vectors are halved.
  if constexpr (sizeof(T) == 2)
    return {block<T, 32>, together<T>, apart<T>};
  else if (sizeof(T) == 1 && halves_wide_vectors())
    return {block<T, 32>, together<T>, apart<T>};
  else
    return {block<T, kWidest>, together<T>, apart<T>};
}

}  // namespace turning

TransposeLoops find_transpose_loops(std::size_t element_bytes) {
  using namespace turning;
  switch (element_bytes) {
    case 1: return loops<std::uint8_t>();
    case 2: return loops<std::uint16_t>();
    case 4: return loops<std::uint32_t>();
    default: return loops<std::uint64_t>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_transpose_loops);

TransposeLoops transpose_loops(std::size_t element_bytes) {
  return HWY_DYNAMIC_DISPATCH(find_transpose_loops)(element_bytes);
}

}  // namespace norn::kernels
#endif
