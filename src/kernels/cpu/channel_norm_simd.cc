// A channel shifted and scaled for each instruction set: plain loops, which the compiler vectorises.
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/channel_norm_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace channel_norm_simd_cc {

template <class T>
void shift_and_scale(const T* HWY_RESTRICT x, T mean, T factor, T bias, T* HWY_RESTRICT out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor + bias;
}
template <class T>
void shift_and_scale_each(const T* HWY_RESTRICT x, const T* HWY_RESTRICT mean, const T* HWY_RESTRICT factor,
                          const T* HWY_RESTRICT bias, T* HWY_RESTRICT out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean[i]) * factor[i] + bias[i];
}
ChannelLoops<float> channel_loops_f32() { return {shift_and_scale<float>, shift_and_scale_each<float>}; }
ChannelLoops<double> channel_loops_f64() { return {shift_and_scale<double>, shift_and_scale_each<double>}; }

}  // namespace channel_norm_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(channel_loops_f32);
HWY_EXPORT(channel_loops_f64);

template <>
ChannelLoops<float> channel_loops() {
  return HWY_DYNAMIC_DISPATCH(channel_loops_f32)();
}
template <>
ChannelLoops<double> channel_loops() {
  return HWY_DYNAMIC_DISPATCH(channel_loops_f64)();
}

}  // namespace norn::kernels
#endif
