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
ChannelLoop<float> channel_loop_f32() { return shift_and_scale<float>; }
ChannelLoop<double> channel_loop_f64() { return shift_and_scale<double>; }

}  // namespace channel_norm_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(channel_loop_f32);
HWY_EXPORT(channel_loop_f64);

template <>
ChannelLoop<float> channel_loop() {
  return HWY_DYNAMIC_DISPATCH(channel_loop_f32)();
}
template <>
ChannelLoop<double> channel_loop() {
  return HWY_DYNAMIC_DISPATCH(channel_loop_f64)();
}

}  // namespace norn::kernels
#endif
