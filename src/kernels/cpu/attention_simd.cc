// Blocks of scores for each instruction set: a vector holds one key's scores for neighbouring queries, so that maxima
// and sums need no sums across lanes.
#include <cstdint>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE std::int64_t block_lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

void hide(float* scores, std::int64_t keys, std::int64_t first, const std::int32_t* low, const std::int32_t* high) {
  const V hidden = constant(-std::numeric_limits<float>::infinity());
  for (std::int64_t r = 0; r < kAttentionRows; r += block_lanes()) {
    const VI from = hn::LoadU(I(), low + r), to = hn::LoadU(I(), high + r);
    VI key = hn::Set(I(), static_cast<std::int32_t>(first));
    for (std::int64_t j = 0; j < keys; ++j) {
      float* at = scores + j * kAttentionRows + r;
      const auto seen = hn::AndNot(hn::Lt(key, from), hn::Lt(key, to));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(F(), seen), hn::LoadU(F(), at), hidden), F(), at);
      key = hn::Add(key, hn::Set(I(), 1));
    }
  }
}

void add_column(float* scores, std::int64_t keys, const float* mask, std::int64_t stride) {
  for (std::int64_t j = 0; j < keys; ++j) {
    const V m = constant(mask[j * stride]);
    float* at = scores + j * kAttentionRows;
    for (std::int64_t r = 0; r < kAttentionRows; r += block_lanes())
      hn::StoreU(hn::Add(hn::LoadU(F(), at + r), m), F(), at + r);
  }
}

void softmax_block(float* scores, std::int64_t keys, float* top, float* sum, float* factor, bool biased) {
  const V lowest = constant(-std::numeric_limits<float>::infinity());
  for (std::int64_t r = 0; r < kAttentionRows; r += block_lanes()) {
    float* column = scores + r;
    // x86's Max gives the second operand where one is NaN, which then stays or goes; exp and sum find it in any case.
    V m0 = lowest, m1 = lowest;
    std::int64_t j = 0;
    for (; j + 2 <= keys; j += 2) {
      m0 = hn::Max(m0, hn::LoadU(F(), column + j * kAttentionRows));
      m1 = hn::Max(m1, hn::LoadU(F(), column + (j + 1) * kAttentionRows));
    }
    if (j < keys) m0 = hn::Max(m0, hn::LoadU(F(), column + j * kAttentionRows));
    const V before = hn::LoadU(F(), top + r);
    const V most = hn::Max(hn::Max(m0, m1), before);
    hn::StoreU(most, F(), top + r);
    const V base = biased ? hn::IfThenElse(hn::Eq(most, lowest), hn::Zero(F()), most) : most;
    // What was added up so far began with nothing where the top was -infinity.
    const V shrink = hn::IfThenElse(hn::Eq(before, lowest), hn::Zero(F()), exp(hn::Sub(before, base)));
    hn::StoreU(shrink, F(), factor + r);
    V s0 = hn::Zero(F()), s1 = hn::Zero(F());
    for (j = 0; j + 2 <= keys; j += 2) {
      float *one = column + j * kAttentionRows, *two = one + kAttentionRows;
      const V e0 = exp(hn::Sub(hn::LoadU(F(), one), base)), e1 = exp(hn::Sub(hn::LoadU(F(), two), base));
      hn::StoreU(e0, F(), one);
      hn::StoreU(e1, F(), two);
      s0 = hn::Add(s0, e0);
      s1 = hn::Add(s1, e1);
    }
    if (j < keys) {
      float* one = column + j * kAttentionRows;
      const V e0 = exp(hn::Sub(hn::LoadU(F(), one), base));
      hn::StoreU(e0, F(), one);
      s0 = hn::Add(s0, e0);
    }
    hn::StoreU(hn::MulAdd(hn::LoadU(F(), sum + r), shrink, hn::Add(s0, s1)), F(), sum + r);
  }
}

void combine(float* y, const float* part, const float* factor, std::int64_t rows, std::int64_t n) {
  for (std::int64_t r = 0; r < rows; ++r, y += n, part += n) {
    const V f = constant(factor[r]);
    std::int64_t i = 0;
    for (; i + block_lanes() <= n; i += block_lanes())
      hn::StoreU(hn::MulAdd(hn::LoadU(F(), y + i), f, hn::LoadU(F(), part + i)), F(), y + i);
    if (i < n) store_tail(hn::MulAdd(load_tail(y + i, n - i, 0.0f), f, load_tail(part + i, n - i, 0.0f)), y + i, n - i);
  }
}

AttentionTable attention_loops() { return {hide, add_column, softmax_block, combine}; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(attention_loops);

const AttentionTable& attention_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(attention_loops)(); });
}

}  // namespace norn::kernels
#endif
