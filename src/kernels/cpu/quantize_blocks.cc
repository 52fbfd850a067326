// Rows along the innermost dimension, or pieces of one block each where blocks lie along it.
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
namespace {

constexpr double kElementNs = 0.3;
constexpr std::int64_t kPiece = 4096;

template <bool back>
class BlockQuantize final : public Kernel {
 public:
  explicit BlockQuantize(const BlockQuantizeConfig& c) : c_(c), loop_(quantize_loop(c.integer, back)) {
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
    const auto* x = static_cast<const char*>(operands[0]);
    const auto* scales = static_cast<const float*>(operands[1]);
    const auto* zeros = static_cast<const char*>(operands[2]);
    auto* out = static_cast<char*>(operands[3]);
    parallel_ranges(rows * pieces_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t u = begin, count = 1; u < end; u += count) {
        const std::int64_t row = u / pieces_, first = u % pieces_ * piece_;
        count = along_ && c_.step == 1 ? std::min(end - u, pieces_ - u % pieces_) : 1;
        const std::int64_t n = std::min(count * piece_, row_ - first);
        const std::int64_t o = along_ ? row : row / c_.n, k = along_ ? first : row % c_.n;
        const std::int64_t scale = o * c_.outer_step + k / c_.block * c_.step + (along_ ? 0 : first * c_.inner_step);
        const std::int64_t at = row * row_ + first;
        loop_(x + at * (back ? size : 4), scales + scale, zeros ? zeros + scale * size : nullptr, c_.inner_step,
              along_ ? c_.block : n, out + at * (back ? 4 : size), n);
      }
    });
  }

 private:
  BlockQuantizeConfig c_;
  QuantizeLoop loop_;
  bool along_ = false;  // blocks follow each other in a row
  std::int64_t row_ = 1, piece_ = 1, pieces_ = 1;
};

std::string refuses(const BlockQuantizeConfig& c, bool back) {
  if (!quantize_loop(c.integer, back)) return "takes no " + std::string(data_type_name(c.integer));
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

constexpr Candidate<BlockQuantizeConfig> kQuantize[] = {{"blocks", refuses_one<false>, make<false>}};
constexpr Candidate<BlockQuantizeConfig> kDequantize[] = {{"blocks", refuses_one<true>, make<true>}};

}  // namespace

std::span<const Candidate<BlockQuantizeConfig>> block_quantize_candidates() { return kQuantize; }
std::span<const Candidate<BlockQuantizeConfig>> block_dequantize_candidates() { return kDequantize; }

}  // namespace norn::kernels
