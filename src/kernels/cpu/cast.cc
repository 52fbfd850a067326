// Half types go through f32, which holds them exactly, a tile at a time. What f32 does not hold is rounded to odd
// there: then the second rounding gives what one alone would.
#include "kernels/cpu/cast.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kTile = 1024;

bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }
bool exact_in_f32(DataType type) { return is_half(type) || type == DataType::Float || element_size(type) < 4; }

class Cast final : public Kernel {
 public:
  explicit Cast(const CastConfig& c)
      : c_(c),
        loop_(is_half(c.to) && !exact_in_f32(c.from)
                  ? odd_float_loop(c.from)
                  : cast_loop(is_half(c.from) ? DataType::Float : c.from, is_half(c.to) ? DataType::Float : c.to)) {
    const double bytes = static_cast<double>(element_size(c.from) + element_size(c.to));
    element_ns_ = bytes * 0.05;
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
  CastLoop loop_;
  double element_ns_;
};

std::string refuses(const CastConfig& c) {
  const Shape dims = {c.elements};
  if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  const auto known = [](DataType type) { return is_half(type) || cast_loop(type, type) != nullptr; };
  if (!known(c.from) || !known(c.to))
    return "has no loop from " + std::string(data_type_name(c.from)) + " to " + std::string(data_type_name(c.to));
  // Beyond 2^53, where a 64-bit integer is rounded on its way, float16 has infinity alone.
  if (c.to == DataType::BFloat16 && (c.from == DataType::Int64 || c.from == DataType::Uint64))
    return std::string(data_type_name(c.from)) + " would be rounded twice on its way to bfloat16";
  return "";
}
std::unique_ptr<Kernel> make(const CastConfig& c, PackedConstants&) { return std::make_unique<Cast>(c); }

constexpr Candidate<CastConfig> kCandidates[] = {{"simd", refuses, make}};

}  // namespace

std::span<const Candidate<CastConfig>> cast_candidates() { return kCandidates; }

}  // namespace norn::kernels
