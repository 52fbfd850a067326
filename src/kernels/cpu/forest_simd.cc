// Small trees for each instruction set: all tests of a tree on the rows of a block, without a walk.
#include "base/fork.h"
#include "kernels/cpu/forest_pack.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/forest_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace forest_simd_cc {

using U = hn::RebindToUnsigned<F>;
using VU = hn::Vec<U>;

// leaves & mask where x <= bound
HWY_INLINE VU keep_where(V x, V bound, VU leaves, VU mask) {
#if HWY_TARGET == HWY_AVX3
  return VU{_mm512_mask_and_epi32(leaves.raw, hn::Le(x, bound).raw, leaves.raw, mask.raw)};
#else
  return hn::IfThenElse(hn::RebindMask(U(), hn::Le(x, bound)), hn::And(leaves, mask), leaves);
#endif
}

// The number of zeros above the highest bit; there is one.
HWY_INLINE VU zeros_above(VU v) {
  // Without the bit below the highest, rounding to a float does not reach the next power of two.
  const VI top = hn::BitCast(I(), hn::AndNot(hn::ShiftRight<1>(v), v));
  const VI exponent = hn::ShiftRight<23>(hn::BitCast(I(), hn::ConvertTo(F(), top)));
  return hn::BitCast(U(), hn::AndNot(hn::ShiftRight<31>(top), hn::Sub(hn::Set(I(), 158), exponent)));
}

HWY_INLINE V weights_of(const float* table, VU leaf) {
#if HWY_TARGET == HWY_AVX3
  return V{_mm512_permutex2var_ps(hn::LoadU(F(), table).raw, leaf.raw, hn::LoadU(F(), table + 16).raw)};
#else
  return hn::GatherIndex(F(), table, hn::BitCast(I(), leaf));
#endif
}

HWY_INLINE void add_to(double* sums, V v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  using D = hn::Repartition<double, F>;
  const hn::Half<F> half;
  double* upper = sums + hn::Lanes(D());
  hn::StoreU(hn::Add(hn::LoadU(D(), sums), hn::PromoteTo(D(), hn::LowerHalf(half, v))), D(), sums);
  hn::StoreU(hn::Add(hn::LoadU(D(), upper), hn::PromoteTo(D(), hn::UpperHalf(half, v))), D(), upper);
#else
  HWY_ALIGN float weights[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, F(), weights);
  for (std::int64_t i = 0; i < lane_count(); ++i) sums[i] += static_cast<double>(weights[i]);
#endif
}

template <int vectors>
void run_vectors(const PackedForest& forest, std::size_t first, std::size_t last, const float* x, std::int64_t stride,
                 double* sums) {
  const std::int64_t lanes = lane_count();
  for (std::size_t t = first; t < last; ++t) {
    const ForestTree& tree = forest.trees[t];
    VU leaves[vectors];
    for (VU& v : leaves) v = hn::Set(U(), ~std::uint32_t{0});
    const QuickTest* test = forest.quick_tests.data() + tree.first_test;
    for (const QuickTest* end = test + tree.tests; test < end; ++test) {
      const V bound = constant(test->bound);
      const VU mask = hn::Set(U(), test->mask);
      const float* column = x + static_cast<std::int64_t>(test->feature) * stride;
      for (int v = 0; v < vectors; ++v)
        leaves[v] = keep_where(hn::LoadU(F(), column + v * lanes), bound, leaves[v], mask);
    }
    const float* table = forest.quick_weights.data() + tree.quick_leaves;
    double* to = sums + tree.target * stride;
    for (int v = 0; v < vectors; ++v) add_to(to + v * lanes, weights_of(table, zeros_above(leaves[v])));
  }
}

void run(const PackedForest& forest, std::size_t first, std::size_t last, const float* x, std::int64_t stride,
         int vectors, double* sums) {
  (vectors == 1   ? run_vectors<1>
   : vectors == 2 ? run_vectors<2>
                  : run_vectors<4>)(forest, first, last, x, stride, sums);
}

QuickTable quick() { return {lane_count(), run}; }

}  // namespace forest_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(quick);

const QuickTable& quick_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(quick)(); });
}

}  // namespace norn::kernels
#endif
