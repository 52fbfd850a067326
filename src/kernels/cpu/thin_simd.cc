// The loops of thin products for each instruction set. By rows, sums of a stretch of columns lie in the output, in the
// first cache, while eight rows of B at a time stream past; by columns, four dot products go on at once.
#include <algorithm>

#include "base/fork.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/thin.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/thin_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace thin_simd_cc {

constexpr int kDeep = 8;                 // rows of B at a time
constexpr std::int64_t kStretch = 4096;  // columns whose sums stay in the first cache

// c[j] (+)= the sum over i < deep of a[i * a_column] * b[i * b_row + j].
template <int deep>
HWY_INLINE void add_rows(std::int64_t n, const float* a, std::int64_t a_column, const float* b, std::int64_t b_row,
                         float* c, bool first) {
  V x[deep];
  for (int i = 0; i < deep; ++i) x[i] = constant(a[i * a_column]);
  const auto sums = [&](auto load, V start) HWY_ATTR {
    if constexpr (deep == 1) return hn::MulAdd(x[0], load(b), start);
    V even = hn::Mul(x[0], load(b)), odd = hn::Mul(x[1], load(b + b_row));
    for (int i = 2; i < deep; i += 2) {
      even = hn::MulAdd(x[i], load(b + i * b_row), even);
      odd = hn::MulAdd(x[i + 1], load(b + (i + 1) * b_row), odd);
    }
    return hn::Add(start, hn::Add(even, odd));
  };
  const std::int64_t lanes = lane_count();
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto load = [j](const float* p) HWY_ATTR { return hn::LoadU(F(), p + j); };
    hn::StoreU(sums(load, first ? hn::Zero(F()) : load(c)), F(), c + j);
  }
  if (j < n) {
    const auto load = [j, n](const float* p) HWY_ATTR { return load_tail(p + j, n - j, 0.0f); };
    store_tail(sums(load, first ? hn::Zero(F()) : load(c)), c + j, n - j);
  }
}

void by_rows(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column,
             const float* b, std::int64_t b_row, float* c, std::int64_t c_row, const float* bias, float alpha) {
  for (std::int64_t n0 = 0; n0 < n; n0 += kStretch) {
    const std::int64_t columns = std::min(kStretch, n - n0);
    std::int64_t i = 0;
    for (; i + kDeep <= k; i += kDeep)
      for (std::int64_t r = 0; r < m; ++r)
        add_rows<kDeep>(columns, a + r * a_row + i * a_column, a_column, b + i * b_row + n0, b_row, c + r * c_row + n0,
                        i == 0);
    for (; i < k; ++i)
      for (std::int64_t r = 0; r < m; ++r)
        add_rows<1>(columns, a + r * a_row + i * a_column, a_column, b + i * b_row + n0, b_row, c + r * c_row + n0,
                    i == 0);
    if (alpha == 1.0f && bias == nullptr) continue;
    for (std::int64_t r = 0; r < m; ++r)
      for (std::int64_t j = n0; j < n0 + columns; ++j) {
        float& sum = c[r * c_row + j];
        sum = bias == nullptr ? alpha * sum : alpha * sum + bias[j];
      }
  }
}

// Dot products of `rows` rows of A with `columns` columns of B.
template <int rows, int columns>
HWY_INLINE void dots(std::int64_t k, const float* a, std::int64_t a_row, const float* b, std::int64_t b_column,
                     float* c, std::int64_t c_row, const float* bias, float alpha) {
  V sums[rows][columns];  // in registers, as every loop over them is unrolled
#pragma GCC unroll 4
  for (auto& row : sums)
#pragma GCC unroll 4
    for (V& sum : row) sum = hn::Zero(F());
  const auto step = [&](auto load) HWY_ATTR {
    V right[columns];
    for (int j = 0; j < columns; ++j) right[j] = load(b + j * b_column);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const V left = load(a + r * a_row);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) sums[r][j] = hn::MulAdd(left, right[j], sums[r][j]);
    }
  };
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= k; i += lanes) step([i](const float* p) HWY_ATTR { return hn::LoadU(F(), p + i); });
  if (i < k) step([i, k](const float* p) HWY_ATTR { return load_tail(p + i, k - i, 0.0f); });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      const float sum = alpha * hn::GetLane(hn::SumOfLanes(F(), sums[r][j]));
      c[r * c_row + j] = bias == nullptr ? sum : sum + bias[j];
    }
}

template <int rows>
void columns_of(std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                std::int64_t b_column, float* c, std::int64_t c_row, const float* bias, float alpha) {
  std::int64_t j = 0;
  for (; j + 4 <= n; j += 4)
    dots<rows, 4>(k, a, a_row, b + j * b_column, b_column, c + j, c_row, bias == nullptr ? bias : bias + j, alpha);
  for (; j < n; ++j)
    dots<rows, 1>(k, a, a_row, b + j * b_column, b_column, c + j, c_row, bias == nullptr ? bias : bias + j, alpha);
}

void by_columns(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                std::int64_t b_column, float* c, std::int64_t c_row, const float* bias, float alpha) {
  constexpr decltype(&columns_of<1>) kRows[] = {columns_of<1>, columns_of<2>, columns_of<3>, columns_of<4>};
  kRows[m - 1](n, k, a, a_row, b, b_column, c, c_row, bias, alpha);
}

ThinTable thin() { return {by_rows, by_columns}; }

}  // namespace thin_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(thin);

const ThinTable& thin_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(thin)(); });
}

}  // namespace norn::kernels
#endif
