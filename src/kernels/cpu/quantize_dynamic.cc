// The range is found in one walk over the data, which is quantized in a second.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
inline namespace quantize_dynamic_cc {
namespace {

class DynamicQuantize final : public Kernel {
 public:
  explicit DynamicQuantize(const DynamicQuantizeConfig& c)
      : elements_(c.elements), pieces_(piece_count((c.elements + 1023) / 1024, 1024 * 0.06)) {}

  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(pieces_) * 2 * sizeof(float); }

  void run(void* const* operands, void* scratch) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<std::uint8_t*>(operands[1]);
    float* ranges = static_cast<float*>(scratch);
    base::parallel_for(pieces_, [&](std::int64_t i) {
      const auto [first, last] = base::part_of(elements_, pieces_, i);
      int8_table().range(x + first, last - first, ranges + 2 * i, ranges + 2 * i + 1);
    });
    const auto [scale, divisor, zero] = dynamic_range(ranges, pieces_);
    if (operands[2]) *static_cast<float*>(operands[2]) = scale;
    if (operands[3]) *static_cast<std::uint8_t*>(operands[3]) = static_cast<std::uint8_t>(zero);
    base::parallel_for(pieces_, [&](std::int64_t i) {
      const auto [first, last] = base::part_of(elements_, pieces_, i);
      quantize_table().to_uint8(x + first, divisor, zero, y + first, last - first);
    });
  }

 private:
  std::int64_t elements_, pieces_;
};

std::string refuses(const DynamicQuantizeConfig& c) {
  if (c.elements == 0) return "an empty tensor";
  return bounded_product({c.elements}) ? "" : "a tensor larger than any memory";
}
std::unique_ptr<Kernel> make(const DynamicQuantizeConfig& c, PackedConstants&) {
  return std::make_unique<DynamicQuantize>(c);
}

constexpr Candidate<DynamicQuantizeConfig> kDynamicQuantizeCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace quantize_dynamic_cc

DynamicRange dynamic_range(const float* ranges, std::int64_t count) {
  float low = 0, high = 0;
  bool is_number = true;
  for (std::int64_t i = 0; i < count; ++i) {
    is_number = is_number && ranges[2 * i] == ranges[2 * i];
    low = std::min(low, ranges[2 * i]);
    high = std::max(high, ranges[2 * i + 1]);
  }
  const float scale = is_number ? (high - low) / 255.0f : std::numeric_limits<float>::quiet_NaN();
  const float divisor = scale == 0.0f ? 1.0f : scale;
  const float exact = std::nearbyint(-(low / divisor));
  return {scale, divisor, exact > 255.0f ? 255 : exact > 0.0f ? static_cast<int>(exact) : 0};  // NaN: 0
}

std::span<const Candidate<DynamicQuantizeConfig>> dynamic_quantize_candidates() { return kDynamicQuantizeCandidates; }

}  // namespace norn::kernels
