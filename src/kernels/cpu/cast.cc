// Half types and smaller floats go through f32, which holds them exactly, a tile at a time. What f32 does not hold is
// rounded to odd there: then the second rounding gives what one alone would. Integers of fewer than 8 bits are those of
// 8, of which they keep the lowest.
#include "kernels/cpu/cast.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace cast_cc {
namespace {

constexpr std::int64_t kTile = 1024;

bool through_f32(DataType type) { return is_half(type) || is_small_float(type); }
bool exact_in_f32(DataType type) { return type == DataType::Float || element_size(type) < 4; }

bool of_few_bits(DataType type) {
  return type == DataType::Int4 || type == DataType::Uint4 || type == DataType::Int2 || type == DataType::Uint2;
}
// The type whose loop computes it.
DataType carrier(DataType type) {
  if (through_f32(type)) return DataType::Float;
  if (of_few_bits(type)) return type == DataType::Int4 || type == DataType::Int2 ? DataType::Int8 : DataType::Uint8;
  return type;
}

class Cast final : public Kernel {
 public:
  explicit Cast(const CastConfig& c)
      : c_(c),
        tiled_(through_f32(c.from) || through_f32(c.to)),
        loop_(through_f32(c.to) && !exact_in_f32(c.from) ? odd_float_loop(c.from)
                                                         : cast_loop(carrier(c.from), carrier(c.to))) {
    if (is_small_float(c.to)) format_ = small_float(c.to, c.saturate);
    const double bytes = static_cast<double>(element_size(c.from) + element_size(c.to));
    element_ns_ = bytes * (is_small_float(c.to) ? 0.2 : 0.05);
  }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* out = static_cast<std::byte*>(operands[1]);
    const auto from_bytes = static_cast<std::int64_t>(element_size(c_.from)),
               to_bytes = static_cast<std::int64_t>(element_size(c_.to));
    parallel_ranges(c_.elements, element_ns_, kTile, [&](std::int64_t begin, std::int64_t end) {
      if (!tiled_) return finish(x + begin * from_bytes, out + begin * to_bytes, end - begin);
      for (; begin < end; begin += kTile)
        tile(x + begin * from_bytes, out + begin * to_bytes, std::min(kTile, end - begin));
    });
  }

 private:
  void tile(const std::byte* x, std::byte* out, std::int64_t n) const {
    std::array<float, kTile> wide, narrow;
    const void* from = x;
    if (through_f32(c_.from)) {
      float* to = c_.to == DataType::Float ? reinterpret_cast<float*>(out) : wide.data();
      widen(x, to, n);
      if (c_.to == DataType::Float) return;
      from = to;
    }
    if (!through_f32(c_.to)) return finish(from, out, n);
    if (!through_f32(c_.from) && c_.from != DataType::Float) {
      loop_(from, narrow.data(), n);
      from = narrow.data();
    }
    shrink(static_cast<const float*>(from), out, n);
  }
  void finish(const void* from, std::byte* out, std::int64_t n) const {
    loop_(from, out, n);
    if (of_few_bits(c_.to) && c_.from != c_.to)
      small_table().keep_few_bits(reinterpret_cast<std::uint8_t*>(out), storage_bits(c_.to),
                                  carrier(c_.to) == DataType::Int8, n);
  }
  void widen(const std::byte* x, float* to, std::int64_t n) const {
    if (is_small_float(c_.from))
      return small_table().decode(small_float_values(c_.from), reinterpret_cast<const std::uint8_t*>(x), to, n);
    const HalfTable& halves = half_table();
    const auto loop = c_.from == DataType::Float16 ? halves.float16_to_float : halves.bfloat16_to_float;
    loop(reinterpret_cast<const std::uint16_t*>(x), to, n);
  }
  void shrink(const float* from, std::byte* out, std::int64_t n) const {
    if (is_small_float(c_.to)) return small_table().encode(format_, from, reinterpret_cast<std::uint8_t*>(out), n);
    const HalfTable& halves = half_table();
    const auto loop = c_.to == DataType::Float16 ? halves.float_to_float16 : halves.float_to_bfloat16;
    loop(from, reinterpret_cast<std::uint16_t*>(out), n);
  }

  CastConfig c_;
  bool tiled_;
  CastLoop loop_;
  SmallFloat format_;
  double element_ns_;
};

std::string refuses(const CastConfig& c) {
  const Shape dims = {c.elements};
  if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  const auto known = [](DataType type) { return cast_loop(carrier(type), carrier(type)) != nullptr; };
  if (!known(c.from) || !known(c.to))
    return "has no loop from " + std::string(data_type_name(c.from)) + " to " + std::string(data_type_name(c.to));
  // Beyond 2^53, where a 64-bit integer is rounded on its way, float16 has infinity alone.
  if (c.to == DataType::BFloat16 && (c.from == DataType::Int64 || c.from == DataType::Uint64))
    return std::string(data_type_name(c.from)) + " would be rounded twice on its way to bfloat16";
  return "";
}
std::unique_ptr<Kernel> make(const CastConfig& c, PackedConstants&) { return std::make_unique<Cast>(c); }

constexpr Candidate<CastConfig> kCastCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace cast_cc

std::span<const Candidate<CastConfig>> cast_candidates() { return kCastCandidates; }

}  // namespace norn::kernels
