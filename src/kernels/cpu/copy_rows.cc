#include "kernels/cpu/copy_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/instruction_set.h"

namespace norn::kernels {
inline namespace copy_rows_cc {
namespace {

using Half = std::array<std::uint64_t, 2>;
using Whole = std::array<std::uint64_t, 4>;

// n bytes between one and two T, as the first of them and the last.
template <class T>
void copy_ends(char* to, const char* from, std::int64_t n) {
  T first, last;
  const auto rest = n - static_cast<std::int64_t>(sizeof(T));
  std::memcpy(&first, from, sizeof(T));
  std::memcpy(&last, from + rest, sizeof(T));
  std::memcpy(to, &first, sizeof(T));
  std::memcpy(to + rest, &last, sizeof(T));
}

// Unrolled: a loop of two moves takes a cycle more for each of them where it lies across two lines of code.
template <std::size_t kRun>
void copy_rows_of(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t rows) {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) std::memcpy(to, from, kRun);
}
template <class T>
void copy_ends_of_rows(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t run,
                       std::int64_t rows) {
#pragma GCC unroll 2
  for (std::int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) copy_ends<T>(to, from, run);
}

// Apart from copy_bytes, so that few bytes are copied without a stack.
[[gnu::noinline]] void copy_long(char* to, const char* from, std::int64_t n) {
  if (copies_best_in_vectors()) return copy_in_vectors(to, from, n);
  std::memcpy(to, from, static_cast<std::size_t>(n));
}

}  // namespace
}  // namespace copy_rows_cc

void copy_bytes(char* to, const char* from, std::int64_t n) {
  if (n > 64) {
    constexpr std::int64_t kLong = 768;
    if (n > kLong) return copy_long(to, from, n);
    asm("" : "+r"(n));  // GCC would copy no more than this by `rep movsq`
    std::memcpy(to, from, static_cast<std::size_t>(n));
  } else if (n >= 32) {
    copy_ends<Whole>(to, from, n);
  } else if (n >= 16) {
    copy_ends<Half>(to, from, n);
  } else if (n >= 8) {
    copy_ends<std::uint64_t>(to, from, n);
  } else if (n >= 4) {
    copy_ends<std::uint32_t>(to, from, n);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

void copy_far_rows(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t run,
                   std::int64_t rows) {
  constexpr std::int64_t kAhead = 8, kLine = 64;
  for (std::int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) {
    if (i + kAhead < rows)
      for (std::int64_t at = 0; at < run; at += kLine) __builtin_prefetch(from + kAhead * from_step + at, 0);
    copy_bytes(to, from, run);
  }
}

void copy_rows(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t run,
               std::int64_t rows) {
  constexpr std::int64_t kPiece = 16;
  switch (run) {
    case 0: return;
    case 1: return copy_rows_of<1>(from, from_step, to, to_step, rows);
    case 2: return copy_rows_of<2>(from, from_step, to, to_step, rows);
    case 3: return copy_rows_of<3>(from, from_step, to, to_step, rows);
    case 4: return copy_rows_of<4>(from, from_step, to, to_step, rows);
    case 6: return copy_rows_of<6>(from, from_step, to, to_step, rows);
    case 8: return copy_rows_of<8>(from, from_step, to, to_step, rows);
    case 12: return copy_rows_of<12>(from, from_step, to, to_step, rows);
    case 16: return copy_rows_of<16>(from, from_step, to, to_step, rows);
    case 24: return copy_rows_of<24>(from, from_step, to, to_step, rows);
    case 32: return copy_rows_of<32>(from, from_step, to, to_step, rows);
    case 48: return copy_rows_of<48>(from, from_step, to, to_step, rows);
    case 64: return copy_rows_of<64>(from, from_step, to, to_step, rows);
    default: break;
  }
  if (run > 32 && run < 64) return copy_ends_of_rows<Whole>(from, from_step, to, to_step, run, rows);
  if (run > 16 && run < 32) return copy_ends_of_rows<Half>(from, from_step, to, to_step, run, rows);
  if (run > 8 && run < 16) return copy_ends_of_rows<std::uint64_t>(from, from_step, to, to_step, run, rows);
  if (run > 4 && run < 8) return copy_ends_of_rows<std::uint32_t>(from, from_step, to, to_step, run, rows);
  if (run > kLongestInPieces) {
    for (std::int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) copy_bytes(to, from, run);
    return;
  }
  for (std::int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) {
    // The last piece begins where it ends with the row.
    for (std::int64_t at = 0; at + kPiece < run; at += kPiece) std::memcpy(to + at, from + at, kPiece);
    std::memcpy(to + run - kPiece, from + run - kPiece, kPiece);
  }
}

void repeat_first(char* out, std::int64_t run, std::int64_t all) {
  if (run <= 0 || run >= all) return;
  constexpr std::int64_t kFewest = 4;  // repetitions; fewer are as many copies
  if (run <= all / kFewest && repeat_in_vectors(out, run, all)) return;
  const std::int64_t most = std::max<std::int64_t>(1, 16384 / run) * run;
  for (std::int64_t done = run; done < all;) {
    const std::int64_t piece = std::min({done, most, all - done});
    copy_bytes(out + done, out, piece);
    done += piece;
  }
}

}  // namespace norn::kernels
