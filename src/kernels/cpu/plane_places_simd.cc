// Plain loops, which the compiler vectorises.
#include "kernels/cpu/plain_targets.h"
#include "kernels/cpu/plane_places.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plane_places_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace places {

template <class T, std::int64_t kStride>
void strided(const T* HWY_RESTRICT x, std::int64_t n, std::int64_t stride, T* HWY_RESTRICT out,
             std::int32_t* HWY_RESTRICT place, std::int32_t first) {
  const std::int64_t step = kStride == 0 ? stride : kStride;
  for (std::int64_t i = 0; i < n; ++i) {
    const T v = x[i * step], best = out[i];
    const bool is_new = (v > best) | ((v != v) & (best == best)) | (place[i] < 0);
    out[i] = is_new ? v : best;
    place[i] = is_new ? first + static_cast<std::int32_t>(i * step) : place[i];
  }
}
template <class T>
void any(const T* x, std::int64_t n, std::int64_t stride, T* out, std::int32_t* place, std::int32_t first) {
  if (stride == 1) return strided<T, 1>(x, n, stride, out, place, first);
  if (stride == 2) return strided<T, 2>(x, n, stride, out, place, first);
  strided<T, 0>(x, n, stride, out, place, first);
}

}  // namespace places

PlacesLoop<float> places_f32() { return places::any<float>; }
PlacesLoop<double> places_f64() { return places::any<double>; }
PlacesLoop<std::int8_t> places_i8() { return places::any<std::int8_t>; }
PlacesLoop<std::uint8_t> places_u8() { return places::any<std::uint8_t>; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(places_f32);
HWY_EXPORT(places_f64);
HWY_EXPORT(places_i8);
HWY_EXPORT(places_u8);

template <>
PlacesLoop<float> places_loop() {
  return HWY_DYNAMIC_DISPATCH(places_f32)();
}
template <>
PlacesLoop<double> places_loop() {
  return HWY_DYNAMIC_DISPATCH(places_f64)();
}
template <>
PlacesLoop<std::int8_t> places_loop() {
  return HWY_DYNAMIC_DISPATCH(places_i8)();
}
template <>
PlacesLoop<std::uint8_t> places_loop() {
  return HWY_DYNAMIC_DISPATCH(places_u8)();
}

}  // namespace norn::kernels
#endif
