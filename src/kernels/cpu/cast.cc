// Half types go through f32, which holds them exactly, a tile at a time. What would round twice that way is refused.
#include "kernels/cpu/cast.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kTile = 1024;

struct Truth {  // a bool's byte
  std::uint8_t byte;
};

template <class To, class From>
To converted(From v) {
  if constexpr (std::is_same_v<From, Truth>) {
    return converted<To>(v.byte);
  } else if constexpr (std::is_same_v<To, Truth>) {
    return {static_cast<std::uint8_t>(v != From{0})};  // NaN is true
  } else if constexpr (!std::is_floating_point_v<From> || std::is_floating_point_v<To>) {
    return static_cast<To>(v);
  } else if constexpr (std::is_same_v<To, std::int32_t> || std::is_same_v<To, std::int64_t>) {
    constexpr From limit = sizeof(To) == 4 ? From{0x1p31} : From{0x1p63};
    if (v >= limit) return std::numeric_limits<To>::max();
    if (v >= -limit) return static_cast<To>(v);
    return std::isnan(v) ? To{0} : std::numeric_limits<To>::min();
  } else {
    // The low bits of the 64-bit integer, which saturates.
    if (std::isnan(v) || (std::isinf(v) && sizeof(To) < 4)) return 0;
    const double whole = std::trunc(static_cast<double>(v));
    if (whole >= 0x1p64) return static_cast<To>(std::numeric_limits<std::uint64_t>::max());
    if (whole < -0x1p63) return static_cast<To>(std::numeric_limits<std::int64_t>::min());
    return whole < 0 ? static_cast<To>(static_cast<std::int64_t>(whole))
                     : static_cast<To>(static_cast<std::uint64_t>(whole));
  }
}

using Loop = void (*)(const void* x, void* out, std::int64_t n);

template <class From, class To>
void loop(const void* x, void* out, std::int64_t n) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(out);
  for (std::int64_t i = 0; i < n; ++i) to[i] = converted<To>(from[i]);
}

// Calls f(T{}) for the C++ type of an element type that has one here; half types, and others, give Loop{}.
template <class F>
Loop for_type(DataType type, F&& f) {
  switch (type) {
    case DataType::Float: return f(float{});
    case DataType::Double: return f(double{});
    case DataType::Int8: return f(std::int8_t{});
    case DataType::Int16: return f(std::int16_t{});
    case DataType::Int32: return f(std::int32_t{});
    case DataType::Int64: return f(std::int64_t{});
    case DataType::Uint8: return f(std::uint8_t{});
    case DataType::Uint16: return f(std::uint16_t{});
    case DataType::Uint32: return f(std::uint32_t{});
    case DataType::Uint64: return f(std::uint64_t{});
    case DataType::Bool: return f(Truth{});
    default: return nullptr;
  }
}
Loop find_loop(DataType from, DataType to) {
  return for_type(from,
                  [&]<class From>(From) { return for_type(to, []<class To>(To) -> Loop { return loop<From, To>; }); });
}

bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

class Cast final : public Kernel {
 public:
  explicit Cast(const CastConfig& c)
      : c_(c), loop_(find_loop(is_half(c.from) ? DataType::Float : c.from, is_half(c.to) ? DataType::Float : c.to)) {
    const double bytes = static_cast<double>(element_size(c.from) + element_size(c.to));
    const bool cut = c.from == DataType::Float || c.from == DataType::Double;  // to integers, with comparisons
    element_ns_ = bytes * 0.05 + (cut && c.to != DataType::Float && c.to != DataType::Double ? 1 : 0);
  }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* out = static_cast<std::byte*>(operands[1]);
    const auto from_bytes = static_cast<std::int64_t>(element_size(c_.from)),
               to_bytes = static_cast<std::int64_t>(element_size(c_.to));
    parallel_ranges(c_.elements, element_ns_, kTile, [&](std::int64_t begin, std::int64_t end) {
      if (!is_half(c_.from) && !is_half(c_.to))
        return loop_(x + begin * from_bytes, out + begin * to_bytes, end - begin);
      for (; begin < end; begin += kTile)
        tile(x + begin * from_bytes, out + begin * to_bytes, std::min(kTile, end - begin));
    });
  }

 private:
  void tile(const std::byte* x, std::byte* out, std::int64_t n) const {
    const HalfTable& halves = half_table();
    std::array<float, kTile> wide, narrow;
    const void* from = x;
    if (is_half(c_.from)) {
      float* to = c_.to == DataType::Float ? reinterpret_cast<float*>(out) : wide.data();
      const auto widen = c_.from == DataType::Float16 ? halves.float16_to_float : halves.bfloat16_to_float;
      widen(reinterpret_cast<const std::uint16_t*>(x), to, n);
      if (c_.to == DataType::Float) return;
      from = to;
    }
    if (!is_half(c_.to)) return loop_(from, out, n);
    if (!is_half(c_.from) && c_.from != DataType::Float) {
      loop_(from, narrow.data(), n);
      from = narrow.data();
    }
    const auto shrink = c_.to == DataType::Float16 ? halves.float_to_float16 : halves.float_to_bfloat16;
    shrink(static_cast<const float*>(from), reinterpret_cast<std::uint16_t*>(out), n);
  }

  CastConfig c_;
  Loop loop_;
  double element_ns_;
};

std::string refuses(const CastConfig& c) {
  const Shape dims = {c.elements};
  if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  const auto known = [](DataType type) { return is_half(type) || find_loop(type, type) != nullptr; };
  if (!known(c.from) || !known(c.to))
    return "has no loop from " + std::string(data_type_name(c.from)) + " to " + std::string(data_type_name(c.to));
  const bool exact_in_f32 = is_half(c.from) || c.from == DataType::Float || element_size(c.from) < 4;
  if (is_half(c.to) && !exact_in_f32)
    return std::string(data_type_name(c.from)) + " would be rounded twice on its way to " +
           std::string(data_type_name(c.to));
  return "";
}
std::unique_ptr<Kernel> make(const CastConfig& c, PackedConstants&) { return std::make_unique<Cast>(c); }

constexpr Candidate<CastConfig> kCandidates[] = {{"simd", refuses, make}};

}  // namespace

std::span<const Candidate<CastConfig>> cast_candidates() { return kCandidates; }

}  // namespace norn::kernels
