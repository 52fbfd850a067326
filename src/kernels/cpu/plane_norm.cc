#include "kernels/cpu/plane_norm.h"

#include <algorithm>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/short_norm.h"

namespace norn::kernels {
inline namespace plane_norm_cc {
namespace {

class PlaneNorm final : public Kernel {
 public:
  explicit PlaneNorm(const PlaneNormConfig& c) : c_(c), normalize_(normalize_plane()) {}

  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    const float* scale = static_cast<const float*>(operands[1]);
    const float* bias = static_cast<const float*>(operands[2]);
    float* out = static_cast<float*>(operands[3]);
    if (c_.plane <= kShortNormRow && c_.batch * c_.channels >= kFewNorms) return small_planes(x, scale, bias, out);
    const double plane_ns = 20 + 0.2 * static_cast<double>(c_.plane);
    parallel_ranges(c_.batch * c_.channels, plane_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p)
        normalize_(x + p * c_.plane, out + p * c_.plane, c_.plane, c_.epsilon, scale[p % c_.channels],
                   bias[p % c_.channels]);
    });
  }

 private:
  void small_planes(const float* x, const float* scale, const float* bias, float* out) const {
    const double plane_ns = 4 + 0.5 * static_cast<double>(c_.plane);
    parallel_ranges(c_.batch * c_.channels, plane_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) float scales[kNormBlock] = {}, biases[kNormBlock] = {};
      const ShortNormForm<float> form = {.epsilon = c_.epsilon, .row_scale = scales, .row_bias = biases};
      std::int64_t channel = begin % c_.channels;
      for (std::int64_t first = begin; first < end; first += kNormBlock) {
        const std::int64_t planes = std::min(kNormBlock, end - first);
        for (std::int64_t p = 0; p < planes; ++p) {
          scales[p] = scale[channel];
          biases[p] = bias[channel];
          if (++channel == c_.channels) channel = 0;
        }
        short_(x + first * c_.plane, out + first * c_.plane, c_.plane, planes, form);
      }
    });
  }

  PlaneNormConfig c_;
  NormalizePlane normalize_;
  ShortNorm<float> short_;
};

std::string plane_norm_refuses(const PlaneNormConfig& c) {
  if (c.batch < 1 || c.channels < 1 || c.plane < 1) return "an empty tensor";
  const Shape dims = {c.batch, c.channels, c.plane};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_plane_norm(const PlaneNormConfig& c, PackedConstants&) {
  return std::make_unique<PlaneNorm>(c);
}

constexpr Candidate<PlaneNormConfig> kPlaneNorm[] = {{"simd", plane_norm_refuses, make_plane_norm}};

}  // namespace
}  // namespace plane_norm_cc

std::span<const Candidate<PlaneNormConfig>> plane_norm_candidates() { return kPlaneNorm; }

}  // namespace norn::kernels
