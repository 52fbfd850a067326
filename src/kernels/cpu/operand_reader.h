// An operand that broadcasts, of elements of 1, 2, 4 or 8 bytes, read a tile of the output's elements at a time.
// Internal to the kernels.
#pragma once
#include <array>
#include <cstddef>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/walk.h"

namespace norn::kernels {

class OperandReader {
 public:
  static constexpr std::int64_t kTileBytes = 8192;
  using Tile = std::array<std::uint64_t, kTileBytes / 8>;

  OperandReader(const Shape& out, const Shape& dims, std::size_t element_bytes)
      : walk_{broadcast_walk(out, Layout::Dense, {.dims = dims})}, bytes_(element_bytes) {}

  // The n <= kTileBytes / bytes elements from output position `at`: where they lie, or in `tile`. `one`: they are one
  // element.
  const void* read(const void* p, std::int64_t at, std::int64_t n, Tile& tile, bool& one) const {
    switch (bytes_) {
      case 1: return walk_.read(static_cast<const std::uint8_t*>(p), at, n, cast<std::uint8_t>(tile), one);
      case 2: return walk_.read(static_cast<const std::uint16_t*>(p), at, n, cast<std::uint16_t>(tile), one);
      case 4: return walk_.read(static_cast<const std::uint32_t*>(p), at, n, cast<std::uint32_t>(tile), one);
      default: return walk_.read(static_cast<const std::uint64_t*>(p), at, n, tile.data(), one);
    }
  }
  // The same, n elements in any case.
  const void* read_all(const void* p, std::int64_t at, std::int64_t n, Tile& tile) const {
    bool one = false;
    const void* from = read(p, at, n, tile, one);
    return one ? repeat(from, n, tile) : from;
  }
  // n times the element at `from`, in `tile`.
  const void* repeat(const void* from, std::int64_t n, Tile& tile) const {
    fill_elements(tile.data(), from, bytes_, n);
    return tile.data();
  }

  std::int64_t to_row_end(std::int64_t at, std::int64_t n) const { return walk_.to_row_end(at, n, long_row()); }
  // Whether `read` copies nothing where n is no more than `to_row_end` says, and whether it then gives a run.
  bool in_place() const { return walk_.in_place(long_row()); }
  bool is_run() const { return in_place() && walk_.dims.back().stride == 1; }

 private:
  std::int64_t long_row() const { return bytes_ == 1 ? 2048 : Walk::kLongRow; }
  template <class T>
  static T* cast(Tile& tile) {
    return reinterpret_cast<T*>(tile.data());
  }
  Walk walk_;
  std::size_t bytes_;
};

// How many elements `for_both` may be given at a time: many more than a tile has where it repeats one operand at most,
// of which it keeps a piece.
inline std::int64_t elements_at_once(const OperandReader& a, const OperandReader& b, std::int64_t tile) {
  return a.in_place() && b.in_place() && (a.is_run() || b.is_run()) ? 4 * tile : tile;
}

// Calls loop(a, b, first, count) for the n elements of two operands from output position `at`: for all of them, or,
// where one operand is a single element, which is repeated, by pieces, so that little is written. with_one(a, b, a_one)
// is asked before that, and may do without repeating: the result says whether it did.
template <class Loop, class WithOne>
void for_both(const OperandReader& a_reader, const OperandReader& b_reader, const void* a, const void* b,
              std::int64_t at, std::int64_t n, std::size_t bytes, OperandReader::Tile& a_tile,
              OperandReader::Tile& b_tile, Loop&& loop, WithOne&& with_one) {
  const auto step = static_cast<std::int64_t>(bytes), least = 2048 / step;
  bool a_one = false, b_one = false;
  a = a_reader.read(a, at, n, a_tile, a_one);
  b = b_reader.read(b, at, n, b_tile, b_one);
  if (a_one != b_one && with_one(a, b, a_one)) return;
  const std::int64_t piece = a_one != b_one ? std::min(n, least) : n;
  if (a_one) a = a_reader.repeat(a, piece, a_tile);
  if (b_one) b = b_reader.repeat(b, piece, b_tile);
  for (std::int64_t first = 0; first < n; first += piece)
    loop(static_cast<const std::byte*>(a) + (a_one ? 0 : first * step),
         static_cast<const std::byte*>(b) + (b_one ? 0 : first * step), first, std::min(piece, n - first));
}

inline std::string broadcast_refusal(const Shape& out, std::span<const Shape> operands) {
  if (out.size() > Walk::kMaxDims) return "more than 32 dimensions";
  if (std::string why = extent_refusal({&out}); !why.empty()) return why;
  for (const Shape& dims : operands) {
    if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
    if (broadcast_walk(out, Layout::Dense, {.dims = dims}).empty())
      return "an input of " + to_string(dims) + " does not broadcast to " + to_string(out);
  }
  return "";
}

}  // namespace norn::kernels
