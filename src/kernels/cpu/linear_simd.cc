// Rows times few rows, each read once, for each instruction set.
#include "kernels/cpu/linear.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace dots {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// Sums in lanes, of even and odd vectors apart.
template <std::int64_t n>
void row(const float* x, std::int64_t k, const float* w, const float* bias, float* out) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const float* rows[4];
  for (std::int64_t s = 0; s < 4; ++s) rows[s] = w + (s < n ? s : 0) * k;
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= k; i += 2 * lanes) {
    const auto v = hn::LoadU(d, x + i), u = hn::LoadU(d, x + i + lanes);
    a0 = hn::MulAdd(v, hn::LoadU(d, rows[0] + i), a0);
    b0 = hn::MulAdd(u, hn::LoadU(d, rows[0] + i + lanes), b0);
    if constexpr (n > 1) {
      a1 = hn::MulAdd(v, hn::LoadU(d, rows[1] + i), a1);
      b1 = hn::MulAdd(u, hn::LoadU(d, rows[1] + i + lanes), b1);
    }
    if constexpr (n > 2) {
      a2 = hn::MulAdd(v, hn::LoadU(d, rows[2] + i), a2);
      b2 = hn::MulAdd(u, hn::LoadU(d, rows[2] + i + lanes), b2);
    }
    if constexpr (n > 3) {
      a3 = hn::MulAdd(v, hn::LoadU(d, rows[3] + i), a3);
      b3 = hn::MulAdd(u, hn::LoadU(d, rows[3] + i + lanes), b3);
    }
  }
  float sums[4] = {hn::GetLane(hn::SumOfLanes(d, hn::Add(a0, b0))), hn::GetLane(hn::SumOfLanes(d, hn::Add(a1, b1))),
                   hn::GetLane(hn::SumOfLanes(d, hn::Add(a2, b2))), hn::GetLane(hn::SumOfLanes(d, hn::Add(a3, b3)))};
  for (; i < k; ++i)
    for (std::int64_t s = 0; s < n; ++s) sums[s] += x[i] * rows[s][i];
  for (std::int64_t s = 0; s < n; ++s) out[s] = sums[s] + (bias ? bias[s] : 0.0f);
}

void rows(const float* x, std::int64_t count, std::int64_t k, const float* w, std::int64_t n, const float* bias,
          float* out) {
  const auto f = n == 1 ? row<1> : n == 2 ? row<2> : n == 3 ? row<3> : row<4>;
  for (std::int64_t r = 0; r < count; ++r) f(x + r * k, k, w, bias, out + r * n);
}

}  // namespace dots

DotRows find_dot_rows() { return dots::rows; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_dot_rows);

DotRows dot_rows() { return HWY_DYNAMIC_DISPATCH(find_dot_rows)(); }

}  // namespace norn::kernels
#endif
