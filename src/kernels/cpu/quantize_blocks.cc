// Rows along the innermost dimension, or pieces of one block each where blocks lie along it.
#include <array>
#include <string>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
inline namespace quantize_blocks_cc {
namespace {

constexpr double kElementNs = 0.3;
constexpr std::int64_t kPiece = 4096, kHalves = 512;

QuantizeLoop loop_for(const BlockQuantizeConfig& c, bool back) {
  return is_small_float(c.integer) ? small_quantize_loop(c.integer, c.saturate, back) : quantize_loop(c.integer, back);
}

template <bool back>
class BlockQuantize final : public Kernel {
 public:
  explicit BlockQuantize(const BlockQuantizeConfig& c) : c_(c), loop_(loop_for(c, back)), halves_(c.real) {
    ones_.fill(1);
    // Along a row of the last axis, its index is `inner`'s.
    if (c_.inner == 1 && c_.block == 1) {
      c_.inner = c_.n;
      c_.inner_step = c_.step;
      c_.n = 1;
      c_.step = 0;
    } else if (c_.inner == 1) {
      along_ = true;
      c_.inner_step = 0;
    }
    row_ = along_ ? c_.n : c_.inner;
    piece_ = along_ ? c_.block : kPiece;
    pieces_ = (row_ + piece_ - 1) / piece_;
  }

  void run(void* const* operands, void*) const override {
    const auto size = static_cast<std::int64_t>(element_size(c_.integer));
    const std::int64_t rows = along_ ? c_.outer : c_.outer * c_.n;
    const double unit_ns = 10 + kElementNs * static_cast<double>(std::min(row_, piece_));
    const auto real = static_cast<std::int64_t>(element_size(c_.real));
    const auto* x = static_cast<const char*>(operands[0]);
    const auto* scales = static_cast<const char*>(operands[1]);
    const auto* zeros = static_cast<const char*>(operands[2]);
    auto* out = static_cast<char*>(operands[3]);
    parallel_ranges(rows * pieces_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t u = begin, count = 1; u < end; u += count) {
        const std::int64_t row = u / pieces_, first = u % pieces_ * piece_;
        count = along_ && c_.step == 1 && !halves_ ? std::min(end - u, pieces_ - u % pieces_) : 1;
        const std::int64_t n = std::min(count * piece_, row_ - first);
        const std::int64_t o = along_ ? row : row / c_.n, k = along_ ? first : row % c_.n;
        const std::int64_t scale = o * c_.outer_step + k / c_.block * c_.step + (along_ ? 0 : first * c_.inner_step);
        const std::int64_t at = row * row_ + first;
        const char* const zero = zeros ? zeros + scale * size : nullptr;
        if (halves_)
          run_halves(x + at * (back ? size : 2), reinterpret_cast<const std::uint16_t*>(scales) + scale, zero, size,
                     out + at * (back ? 2 : size), n);
        else
          loop_(x + at * (back ? size : real), reinterpret_cast<const float*>(scales) + scale, zero, c_.inner_step,
                along_ ? c_.block : n, out + at * (back ? real : size), n);
      }
    });
  }

 private:
  // A quotient of half types rounded to f32 first is rounded to them as if once; so is a product with few bits.
  void run_halves(const char* x, const std::uint16_t* scales, const char* zeros, std::int64_t size, char* out,
                  std::int64_t n) const {
    const std::int64_t step = c_.inner_step;
    std::array<float, kHalves> wide, by, quotients;
    std::array<std::uint16_t, kHalves> half;
    for (std::int64_t at = 0, m = 0; at < n; at += m) {
      m = std::min(kHalves, n - at);
      const char* const zero = zeros ? zeros + at * step * size : nullptr;
      if (at == 0 || step == 1) halves_.widen(scales + at * step, by.data(), step == 1 ? m : 1);
      if constexpr (back) {
        loop_(x + at * size, by.data(), zero, step, m, wide.data(), m);
        halves_.narrow(wide.data(), out + at * 2, m);
      } else {
        halves_.widen(x + at * 2, wide.data(), m);
        small_table().divide(wide.data(), by.data(), step, quotients.data(), m);
        halves_.narrow(quotients.data(), half.data(), m);
        halves_.widen(half.data(), wide.data(), m);
        loop_(wide.data(), ones_.data(), zero, step, m, out + at * size, m);
      }
    }
  }

  BlockQuantizeConfig c_;
  QuantizeLoop loop_;
  std::array<float, kHalves> ones_;
  Halves halves_;
  bool along_ = false;  // blocks follow each other in a row
  std::int64_t row_ = 1, piece_ = 1, pieces_ = 1;
};

std::string refuses(const BlockQuantizeConfig& c, bool back) {
  if (!loop_for(c, back)) return "takes no " + std::string(data_type_name(c.integer));
  if (c.real != DataType::Float && !is_half(c.real))
    return "divides and multiplies no " + std::string(data_type_name(c.real));
  if (back && is_half(c.real) && element_size(c.integer) > 1) return "products would be rounded twice";
  if (c.block < 1 || c.inner_step < 0 || c.inner_step > 1) return "an odd order of scales";
  if (c.inner == 1 && c.block == 1 && (c.step < 0 || c.step > 1)) return "an odd order of scales";
  const Shape dims = {c.outer, c.n, c.inner};
  return extent_refusal({&dims});
}
template <bool back>
std::string refuses_one(const BlockQuantizeConfig& c) {
  return refuses(c, back);
}
template <bool back>
std::unique_ptr<Kernel> make(const BlockQuantizeConfig& c, PackedConstants&) {
  return std::make_unique<BlockQuantize<back>>(c);
}

constexpr Candidate<BlockQuantizeConfig> kBlockQuantize[] = {{"blocks", refuses_one<false>, make<false>}};
constexpr Candidate<BlockQuantizeConfig> kBlockDequantize[] = {{"blocks", refuses_one<true>, make<true>}};

}  // namespace
}  // namespace quantize_blocks_cc

std::span<const Candidate<BlockQuantizeConfig>> block_quantize_candidates() { return kBlockQuantize; }
std::span<const Candidate<BlockQuantizeConfig>> block_dequantize_candidates() { return kBlockDequantize; }

}  // namespace norn::kernels
