// In float throughout, as the function body has it; NaN as an integer is 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/loops.h"
#include "ops/quantization/dynamic_quantize/dynamic_quantize.h"

namespace norn::ops {
inline namespace dynamic_quantize_ref_cc {
namespace {

std::uint8_t saturated(float v) {
  return v > 255.0f ? std::uint8_t{255} : v > 0.0f ? static_cast<std::uint8_t>(v) : std::uint8_t{0};
}

void dynamic_quantize_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const float* values = x.as<float>();
  float low = 0, high = 0;
  bool is_number = true;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    is_number = is_number && !std::isnan(values[i]);
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  const float scale = is_number ? (high - low) / 255.0f : std::numeric_limits<float>::quiet_NaN();
  const float divisor = scale == 0.0f ? 1.0f : scale;
  const std::uint8_t zero = saturated(std::nearbyint(-(low / divisor)));
  std::uint8_t* y = ctx.wants_output(0) ? ctx.output(0, DataType::Uint8, x.dims()).as_mutable<std::uint8_t>() : nullptr;
  for (std::int64_t i = 0; y && i < x.size(); ++i) {
    const float steps = std::nearbyint(values[i] / divisor);
    y[i] = std::isnan(steps) ? std::uint8_t{0} : saturated(steps + static_cast<float>(zero));
  }
  if (ctx.wants_output(1)) *ctx.output(1, DataType::Float, {}).as_mutable<float>() = scale;
  if (ctx.wants_output(2)) *ctx.output(2, DataType::Uint8, {}).as_mutable<std::uint8_t>() = zero;
}

}  // namespace
}  // namespace dynamic_quantize_ref_cc

void dynamic_quantize_references(opset::ReferenceTable& table) {
  table.add(DynamicQuantizeLinear, dynamic_quantize_ref);
}

}  // namespace norn::ops
