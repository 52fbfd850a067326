// What floating types of 8 bits and fewer are, and quantisation to them and from them.
#include <algorithm>
#include <array>
#include <bit>

#include "base/fork.h"
#include "base/number.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
inline namespace cast_small_cc {
namespace {

constexpr std::int64_t kTile = 512;

// A zero point other than 0, which is unusual for floats, is added to the quotient before that is rounded.
template <DataType type, bool saturate>
void to_small(const void* x_data, const float* scales, const void* zeros_data, std::int64_t step, std::int64_t block,
              void* out_data, std::int64_t n) {
  const SmallFloat format = small_float(type, saturate);
  const auto* x = static_cast<const float*>(x_data);
  const auto* zeros = static_cast<const std::uint8_t*>(zeros_data);
  auto* out = static_cast<std::uint8_t*>(out_data);
  const float* const values = small_float_values(type);
  std::array<float, kTile> quotients;
  for (std::int64_t at = 0, m = 0; at < n; at += m) {
    const std::int64_t s = step == 0 ? at / block : at;
    m = std::min(kTile, step == 0 ? std::min(n, (s + 1) * block) - at : n - at);
    small_table().divide(x + at, scales + s, step, quotients.data(), m);
    small_table().encode(format, quotients.data(), out + at, m);
    for (std::int64_t i = 0; zeros != nullptr && i < m; ++i) {
      const float zero = values[zeros[s + (step == 0 ? 0 : i)]];
      if (zero == 0) {
        if (step == 0) break;
        continue;
      }
      const double moved = static_cast<double>(quotients[static_cast<std::size_t>(i)]) + static_cast<double>(zero);
      out[at + i] = static_cast<std::uint8_t>(base::double_to_small_float(type, moved, saturate));
    }
  }
}

template <DataType type>
void from_small(const void* x_data, const float* scales, const void* zeros_data, std::int64_t step, std::int64_t block,
                void* out_data, std::int64_t n) {
  const float* const values = small_float_values(type);
  const auto* x = static_cast<const std::uint8_t*>(x_data);
  const auto* zeros = static_cast<const std::uint8_t*>(zeros_data);
  auto* out = static_cast<float*>(out_data);
  for (std::int64_t at = 0, m = 0; at < n; at += m) {
    const std::int64_t s = step == 0 ? at / block : at;
    m = step == 0 ? std::min(n, (s + 1) * block) - at : n - at;
    small_table().decode(values, x + at, out + at, m);
    if (step == 0) {
      const float scale = scales[s], zero = zeros == nullptr ? 0.0f : values[zeros[s]];
      for (std::int64_t i = at; i < at + m; ++i) out[i] = (out[i] - zero) * scale;
    } else {
      for (std::int64_t i = at; i < at + m; ++i)
        out[i] = (out[i] - (zeros == nullptr ? 0.0f : values[zeros[i]])) * scales[i];
    }
  }
}

template <DataType type>
QuantizeLoop loop_of(bool saturate, bool back) {
  if (back) return from_small<type>;
  return saturate ? to_small<type, true> : to_small<type, false>;
}

using Values = std::array<float, 256>;
Values values_of(DataType type) {
  Values values;
  for (std::size_t code = 0; code < values.size(); ++code)
    values[code] = base::small_float_to_float(type, static_cast<std::uint16_t>(code));
  return values;
}

}  // namespace
}  // namespace cast_small_cc

bool is_small_float(DataType type) { return small_quantize_loop(type, true, false) != nullptr; }

SmallFloat small_float(DataType type, bool saturate) {
  const base::SmallFloatFormat& b = *base::small_float_format(type);
  const auto power_of_two = [](int e) { return static_cast<std::uint32_t>(e + 127) << 23; };
  SmallFloat f;
  f.drop = 23 - b.mantissa_bits;
  f.sign_place = b.exponent_bits + b.mantissa_bits;
  f.bias = static_cast<std::uint32_t>(127 - b.bias) << b.mantissa_bits;
  f.least_normal = power_of_two(1 - b.bias);
  f.step_place = std::bit_cast<float>(power_of_two(24 - b.bias - b.mantissa_bits));
  f.most = b.max;
  f.nan = b.nan;
  const bool finite = (b.saturates && saturate) || (b.infinity == 0 && b.nan == 0);
  f.beyond = finite ? b.max : b.infinity != 0 ? b.infinity : b.nan;
  f.negative_zero = b.negative_zero;
  f.nan_turns_sign = b.nan == 0;
  return f;
}

const float* small_float_values(DataType type) {
  switch (type) {
    case DataType::Float8E4M3FN: return base::made_once([] { return values_of(DataType::Float8E4M3FN); }).data();
    case DataType::Float8E4M3FNUZ: return base::made_once([] { return values_of(DataType::Float8E4M3FNUZ); }).data();
    case DataType::Float8E5M2: return base::made_once([] { return values_of(DataType::Float8E5M2); }).data();
    case DataType::Float8E5M2FNUZ: return base::made_once([] { return values_of(DataType::Float8E5M2FNUZ); }).data();
    default: return base::made_once([] { return values_of(DataType::Float4E2M1); }).data();
  }
}

QuantizeLoop small_quantize_loop(DataType type, bool saturate, bool back) {
  switch (type) {
    case DataType::Float8E4M3FN: return loop_of<DataType::Float8E4M3FN>(saturate, back);
    case DataType::Float8E4M3FNUZ: return loop_of<DataType::Float8E4M3FNUZ>(saturate, back);
    case DataType::Float8E5M2: return loop_of<DataType::Float8E5M2>(saturate, back);
    case DataType::Float8E5M2FNUZ: return loop_of<DataType::Float8E5M2FNUZ>(saturate, back);
    case DataType::Float4E2M1: return loop_of<DataType::Float4E2M1>(saturate, back);
    default: return nullptr;
  }
}

}  // namespace norn::kernels
