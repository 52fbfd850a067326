// Half types, which are computed with as f32.
#pragma once
#include <cstdint>

#include "kernels/cpu/cast.h"
#include "norn/types.h"

namespace norn::kernels {

inline bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }
// What is computed in: f32 for half types, else the type itself.
inline DataType widened_half(DataType type) { return is_half(type) ? DataType::Float : type; }

// Conversions of one half type and f32; false for other types.
class Halves {
 public:
  explicit Halves(DataType type) {
    if (!is_half(type)) return;
    const HalfTable& halves = half_table();
    widen_ = type == DataType::Float16 ? halves.float16_to_float : halves.bfloat16_to_float;
    narrow_ = type == DataType::Float16 ? halves.float_to_float16 : halves.float_to_bfloat16;
  }
  explicit operator bool() const { return widen_ != nullptr; }
  void widen(const void* x, void* to, std::int64_t n) const {
    widen_(static_cast<const std::uint16_t*>(x), static_cast<float*>(to), n);
  }
  void narrow(const void* x, void* to, std::int64_t n) const {
    narrow_(static_cast<const float*>(x), static_cast<std::uint16_t*>(to), n);
  }

 private:
  void (*widen_)(const std::uint16_t*, float*, std::int64_t) = nullptr;
  void (*narrow_)(const float*, std::uint16_t*, std::int64_t) = nullptr;
};

}  // namespace norn::kernels
