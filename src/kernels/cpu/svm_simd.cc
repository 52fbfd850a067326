// Distances from many vectors at once, for each instruction set: plain loops, which the compiler vectorises.
#include "kernels/cpu/svm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/svm_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace svms {

void distances(const float* x, const float* columns, std::int64_t features, std::int64_t count,
               float* HWY_RESTRICT out) {
  constexpr std::int64_t kTogether = 64;
  std::int64_t first = 0;
  for (; first + kTogether <= count; first += kTogether) {
    float sums[kTogether] = {};
    for (std::int64_t f = 0; f < features; ++f) {
      const float* HWY_RESTRICT from = columns + f * count + first;
      const float a = x[f];
      for (std::int64_t i = 0; i < kTogether; ++i) sums[i] += (a - from[i]) * (a - from[i]);
    }
    for (std::int64_t i = 0; i < kTogether; ++i) out[first + i] = sums[i];
  }
  for (std::int64_t i = first; i < count; ++i) out[i] = 0;
  for (std::int64_t f = 0; f < features && first < count; ++f) {
    const float* HWY_RESTRICT from = columns + f * count;
    const float a = x[f];
    for (std::int64_t i = first; i < count; ++i) out[i] += (a - from[i]) * (a - from[i]);
  }
}

}  // namespace svms

DistanceLoop find_distance_loop() { return svms::distances; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_distance_loop);

DistanceLoop distance_loop() { return HWY_DYNAMIC_DISPATCH(find_distance_loop)(); }

}  // namespace norn::kernels
#endif
