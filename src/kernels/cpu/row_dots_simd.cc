// Rows times one vector for each instruction set: some rows at a time, so that their sums do not wait for each other.
#include "kernels/cpu/row_dots.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/row_dots_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace row_products {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRows = 4;

// The last elements of a row, `n` of them and fewer than a vector has; zeros beyond.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_rest(D d, const T* p, std::int64_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT && HWY_TARGET != HWY_AVX2
  HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)] = {};
  for (std::int64_t i = 0; i < n; ++i) part[i] = p[i];
  return hn::Load(d, part);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(n)), d, p);
#endif
}

// Sums in lanes, of even and odd vectors apart.
template <int rows, class T>
HWY_NOINLINE void some(const T* x, std::int64_t x_row, std::int64_t k, const T* w, T* out, std::int64_t out_step) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> even[rows], odd[rows];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) even[r] = odd[r] = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= k; i += 2 * lanes) {
    const auto first = hn::LoadU(d, w + i), second = hn::LoadU(d, w + i + lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      even[r] = hn::MulAdd(hn::LoadU(d, x + r * x_row + i), first, even[r]);
      odd[r] = hn::MulAdd(hn::LoadU(d, x + r * x_row + i + lanes), second, odd[r]);
    }
  }
  if (i + lanes <= k) {
    const auto first = hn::LoadU(d, w + i);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) even[r] = hn::MulAdd(hn::LoadU(d, x + r * x_row + i), first, even[r]);
    i += lanes;
  }
  if (i < k) {
    const auto rest = load_rest(d, w + i, k - i);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) odd[r] = hn::MulAdd(load_rest(d, x + r * x_row + i, k - i), rest, odd[r]);
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) out[r * out_step] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[r], odd[r])));
}

template <class T>
void by_columns(const T* x, std::int64_t columns, std::int64_t k, const T* w, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < columns; i += lanes) {
    auto sum = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, w[0]));
    for (std::int64_t l = 1; l < k; ++l) sum = hn::MulAdd(hn::LoadU(d, x + l * columns + i), hn::Set(d, w[l]), sum);
    hn::StoreU(sum, d, out + i);
  }
}

template <class T>
void by_vector(const T* x, std::int64_t x_row, std::int64_t rows, std::int64_t k, const T* w, T* out,
               std::int64_t out_step) {
  std::int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) some<kRows>(x + r * x_row, x_row, k, w, out + r * out_step, out_step);
  for (; r < rows; ++r) some<1>(x + r * x_row, x_row, k, w, out + r * out_step, out_step);
}

// Integers, in the compiler's vectors: not every instruction set multiplies those of 64 bits.
template <class T>
void integers_by_vector(const T* x, std::int64_t x_row, std::int64_t rows, std::int64_t k, const T* w, T* out,
                        std::int64_t out_step) {
  constexpr std::size_t kBytes = HWY_MAX_BYTES < 16 ? 16 : HWY_MAX_BYTES;
  constexpr auto kLanes = static_cast<std::int64_t>(kBytes / sizeof(T));
  typedef T Vec __attribute__((vector_size(kBytes)));
  for (std::int64_t r = 0; r < rows; ++r, x += x_row, out += out_step) {
    Vec sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= k; i += 4 * kLanes)
      for (int v = 0; v < 4; ++v) {
        Vec a, b;
        std::memcpy(&a, x + i + v * kLanes, kBytes);
        std::memcpy(&b, w + i + v * kLanes, kBytes);
        sums[v] += a * b;
      }
    const Vec all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    T total = 0;
    for (std::int64_t l = 0; l < kLanes; ++l) total += all[l];
    for (; i < k; ++i) total += x[i] * w[i];
    *out = total;
  }
}

template <class T>
void integers_by_columns(const T* x, std::int64_t columns, std::int64_t k, const T* w, T* out) {
  constexpr std::int64_t kTogether = 16;
  for (std::int64_t i = 0; i < columns; i += kTogether) {
    T sums[kTogether] = {};
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < kTogether; ++j) sums[j] += x[l * columns + i + j] * w[l];
    std::copy_n(sums, kTogether, out + i);
  }
}

}  // namespace row_products

RowDotLoops<float> row_dots_f32() { return {row_products::by_vector<float>, row_products::by_columns<float>}; }
#if HWY_HAVE_FLOAT64
RowDotLoops<double> row_dots_f64() { return {row_products::by_vector<double>, row_products::by_columns<double>}; }
#else
RowDotLoops<double> row_dots_f64() {
  return {[](const double* x, std::int64_t x_row, std::int64_t rows, std::int64_t k, const double* w, double* out,
             std::int64_t out_step) {
            for (std::int64_t r = 0; r < rows; ++r) {
              double sum = 0;
              for (std::int64_t l = 0; l < k; ++l) sum += x[r * x_row + l] * w[l];
              out[r * out_step] = sum;
            }
          },
          [](const double* x, std::int64_t columns, std::int64_t k, const double* w, double* out) {
            for (std::int64_t i = 0; i < columns; ++i) {
              out[i] = 0;
              for (std::int64_t l = 0; l < k; ++l) out[i] += x[l * columns + i] * w[l];
            }
          }};
}
#endif
RowDotLoops<std::uint32_t> row_dots_u32() {
  return {row_products::integers_by_vector<std::uint32_t>, row_products::integers_by_columns<std::uint32_t>};
}
RowDotLoops<std::uint64_t> row_dots_u64() {
  return {row_products::integers_by_vector<std::uint64_t>, row_products::integers_by_columns<std::uint64_t>};
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(row_dots_f32);
HWY_EXPORT(row_dots_f64);
HWY_EXPORT(row_dots_u32);
HWY_EXPORT(row_dots_u64);

template <>
RowDotLoops<float> row_dot_loops() {
  return HWY_DYNAMIC_DISPATCH(row_dots_f32)();
}
template <>
RowDotLoops<double> row_dot_loops() {
  return HWY_DYNAMIC_DISPATCH(row_dots_f64)();
}
template <>
RowDotLoops<std::uint32_t> row_dot_loops() {
  return HWY_DYNAMIC_DISPATCH(row_dots_u32)();
}
template <>
RowDotLoops<std::uint64_t> row_dot_loops() {
  return HWY_DYNAMIC_DISPATCH(row_dots_u64)();
}

}  // namespace norn::kernels
#endif
