// Each lane is an output channel; every lane takes from a pixel the channel of its own group that is its turn, which is
// one permutation for all the pixels of the window that the input pixel belongs to.
#include "base/fork.h"
#include "kernels/cpu/conv_grouped.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/conv_grouped_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace grouped {

// Sums of the columns stay in registers, beside a row of weights and a pixel.
constexpr int kColumns = HWY_TARGET <= HWY_AVX3 ? 14 : 8;

template <int columns, int stride>
void pixels(std::int64_t group, const float* const* rows, const float* const* weights, std::int64_t count,
            std::int64_t step, const float* bias, float low, float high, float* out, std::int64_t out_step,
            std::int64_t n, std::int64_t channels) {
  constexpr int kReach = (columns - 1) * stride + 3;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  const I d;
  VI from = hn::And(hn::Iota(d, 0), hn::Set(d, static_cast<std::int32_t>(-group)));  // the group's first channel
  V sums[columns];
#pragma GCC unroll 16
  for (int p = 0; p < columns; ++p) sums[p] = hn::Zero(F());
  for (std::int64_t c = 0; c < group; ++c) {
    const auto turn = hn::IndicesFromVec(F(), from);
    from = hn::Add(from, hn::Set(d, 1));
    for (std::int64_t r = 0; r < count; ++r) {
      const float* x = rows[r];
      const float* w = weights[r] + c * 3 * lanes;
      const V w0 = hn::LoadU(F(), w), w1 = hn::LoadU(F(), w + lanes), w2 = hn::LoadU(F(), w + 2 * lanes);
#pragma GCC unroll 32
      for (int k = 0; k < kReach; ++k) {
        const V v = hn::TableLookupLanes(hn::LoadU(F(), x + k * step), turn);
        if (k % stride == 0 && k / stride < columns) sums[k / stride] = hn::MulAdd(v, w0, sums[k / stride]);
        if (k >= 1 && (k - 1) % stride == 0 && (k - 1) / stride < columns)
          sums[(k - 1) / stride] = hn::MulAdd(v, w1, sums[(k - 1) / stride]);
        if (k >= 2 && (k - 2) % stride == 0 && (k - 2) / stride < columns)
          sums[(k - 2) / stride] = hn::MulAdd(v, w2, sums[(k - 2) / stride]);
      }
    }
  }
  V start = hn::Zero(F());
  if (bias) start = channels == lanes ? hn::LoadU(F(), bias) : load_tail(bias, channels, 0.0f);
#pragma GCC unroll 16
  for (int p = 0; p < columns; ++p) {
    const V v = at_most(constant(high), at_least(constant(low), hn::Add(sums[p], start)));
    if (p < n) {
      if (channels == lanes)
        hn::StoreU(v, F(), out + p * out_step);
      else
        store_tail(v, out + p * out_step, channels);
    }
  }
}

template <int columns>
void run(std::int64_t stride, std::int64_t group, const float* const* rows, const float* const* weights,
         std::int64_t count, std::int64_t step, const float* bias, float low, float high, float* out,
         std::int64_t out_step, std::int64_t n, std::int64_t channels) {
  (stride == 1 ? pixels<columns, 1> : pixels<columns, 2>)(group, rows, weights, count, step, bias, low, high, out,
                                                          out_step, n, channels);
}

}  // namespace grouped

GroupedConvTable make_grouped_conv_table() {
  return {static_cast<std::int64_t>(hn::Lanes(F())), grouped::kColumns, grouped::run<grouped::kColumns>,
          grouped::run<grouped::kColumns / 2>};
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(make_grouped_conv_table);

const GroupedConvTable& grouped_conv_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(make_grouped_conv_table)(); });
}

}  // namespace norn::kernels
#endif
