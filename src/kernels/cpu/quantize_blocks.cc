// Rows along the innermost dimension, or pieces of one block each where blocks lie along it. Where either is short, the
// scales of a piece are written out element by element first, and the piece is one row.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cpu/by_four.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
inline namespace quantize_blocks_cc {
namespace {

constexpr double kElementNs = 0.3;
constexpr std::int64_t kPiece = 4096, kHalves = 512;
constexpr std::int64_t kFewAlike = 64, kFewHalvesAlike = 256, kSpread = 1024;

QuantizeLoop loop_for(const BlockQuantizeConfig& c, bool back) {
  if (is_small_float(c.integer)) return small_quantize_loop(c.integer, c.saturate, back);
  return back && is_half(c.real) && element_size(c.integer) > 1 ? sticky_dequantize_loop(c.integer)
                                                                : quantize_loop(c.integer, back);
}

template <class T>
void repeat_short(const void* from, std::int64_t n, std::int64_t times, void* to) {
  const T* row = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (std::int64_t t = 0; t < times; ++t)
    for (std::int64_t i = 0; i < n; ++i) *out++ = row[i];
}
void repeat_row(const char* from, std::int64_t size, std::int64_t n, std::int64_t times, char* to) {
  constexpr std::int64_t kFew = 128;  // elements for which a loop takes less time than a call
  if (n * times > kFew || size > 4) {
    copy_bytes(to, from, n * size);
    return repeat_first(to, n * size, n * size * times);
  }
  if (size == 1) return repeat_short<std::uint8_t>(from, n, times, to);
  if (size == 2) return repeat_short<std::uint16_t>(from, n, times, to);
  repeat_short<std::uint32_t>(from, n, times, to);
}

// The scales of elements that are neighbours. A table of scales lies as BlockQuantizeConfig says.
class SpreadScales {
 public:
  explicit SpreadScales(const BlockQuantizeConfig& c) : c_(c) {
    if (c_.inner == 1) c_.inner_step = 0;
    if (c_.block >= c_.n && c_.inner_step == 0)
      c_ = {.outer = 1, .n = c.outer, .inner = c.n * c.inner, .block = 1, .step = c.outer_step};
    same_ = c_.inner == 1 ? c_.block : c_.inner;
    rows_ = std::min(c_.block, c_.n);
    if (c_.inner != 1 || c_.n > kSpread || c_.n % c_.block == 0) return;
    for (std::int64_t k = 0; k < c_.n; ++k) uneven_.push_back(static_cast<std::int32_t>(k / c_.block * c_.step));
  }

  // The most elements of a piece: where the scales of all of them come again in each piece, these are some periods, in
  // whole vectors if there is room for so many.
  std::int64_t piece() const {
    if (!repeats()) return kSpread;
    const std::int64_t period = c_.n * c_.inner, vectors = std::lcm(period, std::int64_t{16}),
                       unit = vectors <= kSpread ? vectors : period;
    return kSpread / unit * unit;
  }
  bool repeats() const { return c_.outer_step == 0 && c_.n * c_.inner <= kSpread; }
  // `size` bytes for each of n elements, the first of which is element `at` of the tensor.
  void fill(const char* table, std::int64_t size, std::int64_t at, std::int64_t n, char* to) const {
    std::int64_t i = at % c_.inner, k = at / c_.inner % c_.n, o = at / c_.inner / c_.n;
    if (!uneven_.empty()) return with_copy(size, [&](auto copy) { fill_uneven(copy, table, size, o, k, n, to); });
    for (std::int64_t m = 0; n > 0; n -= m, to += m * size) {
      const char* from = table + (o * c_.outer_step + k / c_.block * c_.step + i * c_.inner_step) * size;
      m = c_.inner_step == 0 ? same(from, size, k, i, n, to) : rows(from, size, o, k, i, n, to);
      i += m;
      if (i < c_.inner) continue;
      k += i / c_.inner;
      i %= c_.inner;
      if (k < c_.n) continue;
      o += k / c_.n;
      k %= c_.n;
    }
  }

 private:
  template <class Copy>
  void fill_uneven(const Copy& copy, const char* table, std::int64_t size, std::int64_t o, std::int64_t k,
                   std::int64_t n, char* to) const {
    for (std::int64_t m = 0; n > 0; n -= m, to += m * size, k = 0, ++o) {
      const char* from = table + o * c_.outer_step * size;
      const std::int32_t* at = uneven_.data() + k;
      m = std::min(n, c_.n - k);
      by_four(m, [=](std::int64_t e) { copy(to + e * size, from + at[e] * size); });
    }
  }

  static constexpr std::int64_t kFewScales = 2;  // for which loops take less time than a call
  // Those of elements that follow each other and have one scale, or of many scales that are whole.
  std::int64_t same(const char* from, std::int64_t size, std::int64_t k, std::int64_t i, std::int64_t n,
                    char* to) const {
    const std::int64_t along = c_.inner == 1 ? k : i, within = along % same_;
    const std::int64_t left = c_.inner == 1 ? c_.n - k : (c_.n - k) * c_.inner - i;  // of the axis
    const std::int64_t whole = within == 0 ? std::min(n, left) / same_ : 0;
    if (whole > kFewScales) {
      spread_rows(from, c_.step, to, size, same_, whole);
      return whole * same_;
    }
    const std::int64_t m = std::min({n, left, same_ - within});
    repeat_row(from, size, 1, m, to);
    return m;
  }
  // A row of scales or its rest, a row as often as its block repeats it, or several rows that are as short as an
  // element of another type.
  std::int64_t rows(const char* from, std::int64_t size, std::int64_t o, std::int64_t k, std::int64_t i, std::int64_t n,
                    char* to) const {
    const std::int64_t inner = c_.inner, bytes = inner * size;
    if (i != 0 || n < 2 * inner) {
      const std::int64_t m = std::min(n, inner - i);
      copy_bytes(to, from, m * size);
      return m;
    }
    const bool is_element = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, one_block = c_.block >= c_.n;
    if (is_element && k % c_.block == 0 && (one_block ? c_.outer_step : c_.step) == inner) {
      const std::int64_t whole = std::min(n / (rows_ * inner), one_block ? c_.outer - o : (c_.n - k) / c_.block);
      if (whole > 0) {
        spread_rows(from, 1, to, bytes, rows_, whole);
        return whole * rows_ * inner;
      }
    }
    const std::int64_t times = std::min({c_.n - k, c_.block - k % c_.block, n / inner});
    repeat_row(from, size, inner, times, to);
    return times * inner;
  }

  BlockQuantizeConfig c_;
  std::int64_t same_ = 1;             // elements of one scale, where it does not change along the innermost dimension
  std::int64_t rows_ = 1;             // of the innermost dimension, that have one row of scales
  std::vector<std::int32_t> uneven_;  // the scales of a row whose last block is shorter than the others
};

template <bool back>
class BlockQuantize final : public Kernel {
 public:
  explicit BlockQuantize(const BlockQuantizeConfig& c) : c_(c), loop_(loop_for(c, back)), halves_(c.real), scales_(c) {
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
    const std::int64_t all = c.outer * c.n * c.inner, alike = std::min(row_, piece_);
    spreads_ = all > alike && alike < (halves_ ? kFewHalvesAlike : kFewAlike);
  }

  void run(void* const* operands, void*) const override {
    if (spreads_) return run_spread(operands);
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
                     c_.inner_step, out + at * (back ? 2 : size), n);
        else
          loop_(x + at * (back ? size : real), reinterpret_cast<const float*>(scales) + scale, zero, c_.inner_step,
                along_ ? c_.block : n, out + at * (back ? real : size), n);
      }
    });
  }

 private:
  void run_spread(void* const* operands) const {
    const auto size = static_cast<std::int64_t>(element_size(c_.integer));
    const auto real = static_cast<std::int64_t>(element_size(c_.real));
    const std::int64_t all = c_.outer * c_.n * c_.inner, piece = scales_.piece(), pieces = (all + piece - 1) / piece;
    const auto* x = static_cast<const char*>(operands[0]);
    const auto* scales = static_cast<const char*>(operands[1]);
    const auto* zeros = static_cast<const char*>(operands[2]);
    auto* out = static_cast<char*>(operands[3]);
    const double unit_ns = 20 + 2 * kElementNs * static_cast<double>(std::min(all, piece));
    parallel_ranges(pieces, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) std::array<float, kSpread> by;
      alignas(64) std::array<std::int32_t, kSpread> plus;
      auto* const by_bytes = reinterpret_cast<char*>(by.data());
      auto* const plus_bytes = reinterpret_cast<char*>(plus.data());
      for (std::int64_t u = begin; u < end; ++u) {
        const std::int64_t at = u * piece, n = std::min(piece, all - at);
        if (u == begin || !scales_.repeats()) {
          scales_.fill(scales, real, at, n, by_bytes);
          if (zeros) scales_.fill(zeros, size, at, n, plus_bytes);
        }
        if (halves_)
          run_halves(x + at * (back ? size : 2), reinterpret_cast<const std::uint16_t*>(by.data()),
                     zeros ? plus_bytes : nullptr, size, 1, out + at * (back ? 2 : size), n);
        else
          loop_(x + at * (back ? size : real), by.data(), zeros ? plus.data() : nullptr, 1, n,
                out + at * (back ? real : size), n);
      }
    });
  }

  // A quotient of half types rounded to f32 first is rounded to them as if once; so is a product of 8 bits.
  void run_halves(const char* x, const std::uint16_t* scales, const char* zeros, std::int64_t size, std::int64_t step,
                  char* out, std::int64_t n) const {
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
  SpreadScales scales_;
  bool spreads_ = false;
  bool along_ = false;  // blocks follow each other in a row
  std::int64_t row_ = 1, piece_ = 1, pieces_ = 1;
};

std::string refuses(const BlockQuantizeConfig& c, bool back) {
  if (c.real != DataType::Float && !is_half(c.real))
    return "divides and multiplies no " + std::string(data_type_name(c.real));
  if (!loop_for(c, back)) return "takes no " + std::string(data_type_name(c.integer));
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
