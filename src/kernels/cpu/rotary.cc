#include "kernels/cpu/rotary.h"

#include <cstring>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace rotary_cc {
namespace {

class Rotary final : public Kernel {
 public:
  explicit Rotary(const RotaryConfig& c)
      : c_(c), turn_(rotation(c.type, c.interleaved)), bytes_(static_cast<std::int64_t>(element_size(c.type))) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const char*>(operands[0]);
    const auto* cosines = static_cast<const char*>(operands[1]);
    const auto* sines = static_cast<const char*>(operands[2]);
    const auto* positions = static_cast<const std::int64_t*>(operands[3]);
    auto* y = static_cast<char*>(operands[4]);
    const std::int64_t half = c_.rotated / 2;
    const double token_ns = static_cast<double>(c_.heads) * (5 + 0.2 * static_cast<double>(c_.size));
    const auto turn = [&](std::int64_t i, std::int64_t h) {
      const std::int64_t b = i / c_.tokens, t = i % c_.tokens;
      const std::int64_t row =
          (c_.by_position ? row_of(positions[i]) : b * c_.row_strides[0] + t * c_.row_strides[1]) * half * bytes_;
      const char* from = x + (b * c_.x[0] + t * c_.x[1] + h * c_.x[2]) * bytes_;
      char* to = y + (b * c_.y[0] + t * c_.y[1] + h * c_.y[2]) * bytes_;
      turn_(from, cosines + row, sines + row, to, half);
      if (c_.size > c_.rotated)
        std::memcpy(to + c_.rotated * bytes_, from + c_.rotated * bytes_,
                    static_cast<std::size_t>((c_.size - c_.rotated) * bytes_));
    };
    parallel_ranges(c_.batch * c_.tokens, token_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      if (c_.x[1] >= c_.x[2]) {
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t h = 0; h < c_.heads; ++h) turn(i, h);
        return;
      }
      // Heads that lie apart, often by a multiple of what addresses in the caches are taken modulo.
      for (std::int64_t h = 0; h < c_.heads; ++h)
        for (std::int64_t i = begin; i < end; ++i) turn(i, h);
    });
  }

 private:
  std::int64_t row_of(std::int64_t position) const {
    if (position < -c_.cache_rows || position >= c_.cache_rows)
      throw Error(ErrorCode::RuntimeError, "the position " + std::to_string(position) +
                                               " lies outside of the caches' " + std::to_string(c_.cache_rows));
    return position < 0 ? position + c_.cache_rows : position;
  }

  RotaryConfig c_;
  Rotation turn_;
  std::int64_t bytes_;
};

std::string rotary_refuses(const RotaryConfig& c) {
  if (c.type != DataType::Float && !is_half(c.type)) return "neither float nor a half type";
  for (const std::int64_t d : {c.batch, c.tokens, c.heads, c.size})
    if (d < 1) return "an empty tensor";
  if (c.rotated < 2 || c.rotated > c.size || c.rotated % 2 != 0) return "pairs that do not lie in a head";
  if (!bounded_product({c.batch, c.tokens, c.heads, c.size}) || !bounded_product({c.cache_rows, c.rotated}))
    return "a tensor larger than any memory";
  if (!bounded(c.x) || !bounded(c.y) || !bounded(c.row_strides)) return "strides that reach beyond any memory";
  return "";
}
std::unique_ptr<Kernel> make_rotary(const RotaryConfig& c, PackedConstants&) { return std::make_unique<Rotary>(c); }

constexpr Candidate<RotaryConfig> kRotary[] = {{"simd", rotary_refuses, make_rotary}};

}  // namespace
}  // namespace rotary_cc

std::span<const Candidate<RotaryConfig>> rotary_candidates() { return kRotary; }

}  // namespace norn::kernels
