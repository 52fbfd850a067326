// A tile of the output at a time; an operand is read where it lies if the tile sees one run of it or one element, else
// it is copied into a tile of its own. Comparisons with NaN are false.
#include "kernels/cpu/choice.h"

#include <array>
#include <string>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/operand_reader.h"

namespace norn::kernels {
inline namespace choice_cc {
namespace {

constexpr double kElementNs = 0.3;

using Truth = std::uint8_t;  // 0 or 1

using Reader = OperandReader;

class Pair final : public Kernel {
 public:
  explicit Pair(const PairConfig& c)
      : loop_(pair_loop(c.op, c.type)),
        a_(c.out, c.a, element_size(c.type)),
        b_(c.out, c.b, element_size(c.type)),
        bytes_(element_size(c.type)),
        elements_(element_count(c.out)) {}

  void run(void* const* operands, void*) const override {
    Truth* out = static_cast<Truth*>(operands[2]);
    const std::int64_t tile = Reader::kTileBytes / static_cast<std::int64_t>(bytes_);
    const std::int64_t most = elements_at_once(a_, b_, tile);
    parallel_ranges(elements_, kElementNs, tile, [&](std::int64_t begin, std::int64_t end) {
      Reader::Tile a_tile, b_tile;
      for (std::int64_t at = begin, n = 0; at < end; at += n) {
        n = b_.to_row_end(at, a_.to_row_end(at, std::min(most, end - at)));
        for_both(
            a_, b_, operands[0], operands[1], at, n, bytes_, a_tile, b_tile,
            [&](const void* a, const void* b, std::int64_t first, std::int64_t count) {
              loop_(a, b, out + at + first, count);
            },
            [](const void*, const void*, bool) { return false; });
      }
    });
  }

 private:
  PairLoop loop_;
  Reader a_, b_;
  std::size_t bytes_;
  std::int64_t elements_;
};

std::string pair_refuses(const PairConfig& c) {
  if (pair_loop(c.op, c.type) == nullptr) return "has no loop for " + std::string(data_type_name(c.type));
  return broadcast_refusal(c.out, std::array{c.a, c.b});
}
std::unique_ptr<Kernel> make_pair(const PairConfig& c, PackedConstants&) { return std::make_unique<Pair>(c); }

template <class T>
void choose_loop(const Truth* condition, const void* x_data, bool x_one, const void* y_data, bool y_one, void* out_data,
                 std::int64_t n) {
  const T *x = static_cast<const T*>(x_data), *y = static_cast<const T*>(y_data);
  T* out = static_cast<T*>(out_data);
  // By masks: a branch would be mispredicted.
  const auto of = [&](auto x_at, auto y_at) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T mask = static_cast<T>(T{0} - static_cast<T>(condition[i]));
      out[i] = static_cast<T>((x_at(i) & mask) | (y_at(i) & static_cast<T>(~mask)));
    }
  };
  const auto every_x = [x](std::int64_t i) { return x[i]; };
  const auto every_y = [y](std::int64_t i) { return y[i]; };
  const auto one_x = [v = *x](std::int64_t) { return v; };
  const auto one_y = [v = *y](std::int64_t) { return v; };
  if (x_one && y_one)
    of(one_x, one_y);
  else if (x_one)
    of(one_x, every_y);
  else if (y_one)
    of(every_x, one_y);
  else
    of(every_x, every_y);
}

class Where final : public Kernel {
 public:
  explicit Where(const WhereConfig& c)
      : condition_(c.out, c.condition, 1),
        x_(c.out, c.x, c.element_bytes),
        y_(c.out, c.y, c.element_bytes),
        bytes_(c.element_bytes),
        elements_(element_count(c.out)) {}

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<std::byte*>(operands[3]);
    const std::int64_t tile = Reader::kTileBytes / static_cast<std::int64_t>(bytes_);
    parallel_ranges(elements_, kElementNs, tile, [&](std::int64_t begin, std::int64_t end) {
      Reader::Tile c_tile, x_tile, y_tile;
      for (std::int64_t at = begin, n = 0; at < end; at += n) {
        n = y_.to_row_end(at, x_.to_row_end(at, condition_.to_row_end(at, std::min(tile, end - at))));
        bool c_one = false, x_one = false, y_one = false;
        const auto* c = static_cast<const Truth*>(condition_.read(operands[0], at, n, c_tile, c_one));
        const void* x = x_.read(operands[1], at, n, x_tile, x_one);
        const void* y = y_.read(operands[2], at, n, y_tile, y_one);
        void* to = out + at * static_cast<std::int64_t>(bytes_);
        if (c_one) {  // all of one of the two
          const void* from = *c ? x : y;
          if (*c ? x_one : y_one) from = (*c ? x_ : y_).repeat(from, n, x_tile);
          copy_bytes(static_cast<char*>(to), static_cast<const char*>(from), n * static_cast<std::int64_t>(bytes_));
          continue;
        }
        switch (bytes_) {
          case 1: choose_loop<std::uint8_t>(c, x, x_one, y, y_one, to, n); break;
          case 2: choose_loop<std::uint16_t>(c, x, x_one, y, y_one, to, n); break;
          case 4: choose_loop<std::uint32_t>(c, x, x_one, y, y_one, to, n); break;
          default: choose_loop<std::uint64_t>(c, x, x_one, y, y_one, to, n);
        }
      }
    });
  }

 private:
  Reader condition_, x_, y_;
  std::size_t bytes_;
  std::int64_t elements_;
};

std::string where_refuses(const WhereConfig& c) {
  if (c.element_bytes > 8) return "elements of more than 8 bytes";
  return broadcast_refusal(c.out, std::array{c.condition, c.x, c.y});
}
std::unique_ptr<Kernel> make_where(const WhereConfig& c, PackedConstants&) { return std::make_unique<Where>(c); }

constexpr Candidate<PairConfig> kPairs[] = {{"simd", pair_refuses, make_pair}};
constexpr Candidate<WhereConfig> kWhere[] = {{"simd", where_refuses, make_where}};

}  // namespace
}  // namespace choice_cc

std::span<const Candidate<PairConfig>> pair_candidates() { return kPairs; }
std::span<const Candidate<WhereConfig>> where_candidates() { return kWhere; }

}  // namespace norn::kernels
