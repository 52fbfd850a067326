// Rows of bytes times panels by AVX2's products of unsigned with signed bytes, of which two are added in 16 bits and
// saturate: where both products have the same sign and their sum goes beyond.
//
// Rows whose zero point is near one of its type's ends are the unsigned factor. Pairs of weights whose sum times a byte
// may go beyond have marks, and so have pairs of rows with large bytes. Rows whose zero point is in the middle are the
// signed factor, less 128 where they are uint8, and weights the unsigned one, 128 more; what that adds is taken out of
// the sums again. There, pairs of rows whose sum is large have marks. Marked quads are multiplied as 16-bit integers,
// which are made of both factors at once where few are marked, since most weights and activations are near zero, and
// else of the rows once for all columns: then the quads around them are multiplied so, too.
#include <algorithm>
#include <bit>

#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/panels_int8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <cstring>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace norn::kernels {
inline namespace panels_int8_avx2_cc {
namespace {

constexpr std::int64_t kQuad = 4 * kPanelLanes;  // bytes of a quad of a vector
constexpr std::int64_t kMarked = PanelShape::kMarked;

// A word for each of two degrees. No pair of weights saturates whose sum is at most 128; up to 170 not with bytes below
// 192; and none with bytes below 128.
struct Marks {
  std::uint64_t of[2];
};
constexpr int kSafe[] = {128, 170}, kLarge[] = {192, 128};
static_assert(255 * kSafe[0] < 1 << 15 && (kLarge[0] - 1) * kSafe[1] < 1 << 15 && (kLarge[1] - 1) * 256 < 1 << 15);

constexpr int kRows = 5;                // whose sums with 16 columns leave six registers
constexpr std::int64_t kMostRows = 50;  // of one call

std::int32_t word_at(const std::uint8_t* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

__m256i flipped(__m256i bytes) { return _mm256_xor_si256(bytes, _mm256_set1_epi8(-128)); }

template <PanelBytes type>
[[gnu::always_inline]] inline __m256i four_at(const std::uint8_t* x) {
  const __m256i four = _mm256_set1_epi32(word_at(x));
  return flips(type) ? flipped(four) : four;
}
template <PanelBytes type>
[[gnu::always_inline]] inline __m256i weights_at(const std::int8_t* w) {
  return is_signed(type) ? flipped(load(w)) : load(w);
}
template <PanelBytes type>
[[gnu::always_inline]] inline __m256i pairs_of(__m256i x, __m256i w) {
  return is_signed(type) ? _mm256_maddubs_epi16(w, x) : _mm256_maddubs_epi16(x, w);
}

// Adds products of pairs of 16-bit integers.
[[gnu::always_inline]] inline __m256i plus_products(__m256i sum, __m256i x, __m256i w) {
  sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
  asm("" : "+x"(sum));  // products that were added to each other first would want registers
  return sum;
}

// Adds the products of a quad of some rows with 16 columns.
template <PanelBytes type, int rows>
[[gnu::always_inline]] inline void add_quad(const std::uint8_t* const (&x)[rows], std::int64_t at, const std::int8_t* w,
                                            __m256i (&sums)[rows][2]) {
  const __m256i one = _mm256_set1_epi16(1), w0 = weights_at<type>(w), w1 = weights_at<type>(w + kQuad / 2);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
    const __m256i four = four_at<type>(x[r] + at);
    sums[r][0] = plus_products(sums[r][0], pairs_of<type>(four, w0), one);
    sums[r][1] = plus_products(sums[r][1], pairs_of<type>(four, w1), one);
  }
}

// The first and third byte of each quad as 16-bit integers, and the others.
struct Wide {
  __m256i even, odd;
};
template <bool is_signed>
[[gnu::always_inline]] inline __m256i even_of(__m256i bytes) {
  if (is_signed) return _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
  return _mm256_and_si256(bytes, _mm256_set1_epi16(0xff));
}
template <bool is_signed>
[[gnu::always_inline]] inline __m256i odd_of(__m256i bytes) {
  if (is_signed) return _mm256_srai_epi16(bytes, 8);
  return _mm256_srli_epi16(bytes, 8);
}
template <bool is_signed>
[[gnu::always_inline]] inline Wide widened(__m256i bytes) {
  return {even_of<is_signed>(bytes), odd_of<is_signed>(bytes)};
}
template <PanelBytes type, int rows>
[[gnu::always_inline]] inline void add_wide_quad(const std::uint8_t* const (&x)[rows], std::int64_t at,
                                                 const std::int8_t* w, __m256i (&sums)[rows][2]) {
  Wide wide[2];
#pragma GCC unroll 2
  for (int v = 0; v < 2; ++v) wide[v] = widened<!is_signed(type)>(weights_at<type>(w + v * kQuad / 2));
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
    asm("" : "+m"(wide));  // read from memory, since registers would be wanting
    const Wide four = widened<is_signed(type)>(four_at<type>(x[r] + at));
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      sums[r][v] = plus_products(sums[r][v], four.even, wide[v].even);
      sums[r][v] = plus_products(sums[r][v], four.odd, wide[v].odd);
    }
  }
}

// A block of rows as 16-bit integers: by tap, group of quads, row; of each quad the even pair and then the odd one.
constexpr std::int64_t kGroup = 8;     // quads of a vector
constexpr std::int64_t kWideQuad = 8;  // bytes
constexpr std::int64_t kWideRow = kGroup * kWideQuad, kWideGroup = kRows * kWideRow;
static_assert(kMarked % kGroup == 0);
std::int64_t wide_tap_bytes(std::int64_t quads) { return (quads + kGroup - 1) / kGroup * kWideGroup; }

[[gnu::always_inline]] inline void add_pairs(const std::uint8_t* x, __m256i left, __m256i right, __m256i (&sums)[2]) {
  const __m256i pair = _mm256_set1_epi32(word_at(x));
  sums[0] = plus_products(sums[0], pair, left);
  sums[1] = plus_products(sums[1], pair, right);
}

// Adds the products of some quads, which begin a group.
template <PanelBytes type, int rows>
[[gnu::always_inline]] inline void add_wide_quads(const std::uint8_t* x, std::int64_t quads, const std::int8_t* w,
                                                  __m256i (&sums)[rows][2]) {
  for (; quads > 0; quads -= kGroup, x += kWideGroup - kWideRow) {
    for (const std::uint8_t* const end = x + std::min(kGroup, quads) * kWideQuad; x != end;
         x += kWideQuad, w += kQuad) {
      const __m256i left = even_of<!is_signed(type)>(weights_at<type>(w)),
                    right = even_of<!is_signed(type)>(weights_at<type>(w + kQuad / 2));
#pragma GCC unroll 5
      for (int r = 0; r < rows; ++r) add_pairs(x + r * kWideRow, left, right, sums[r]);
      asm("" : "+r"(w));  // weights are read again, since registers would be wanting
      const __m256i left_odd = odd_of<!is_signed(type)>(weights_at<type>(w)),
                    right_odd = odd_of<!is_signed(type)>(weights_at<type>(w + kQuad / 2));
#pragma GCC unroll 5
      for (int r = 0; r < rows; ++r) add_pairs(x + r * kWideRow + kWideQuad / 2, left_odd, right_odd, sums[r]);
    }
  }
}

// Whether so many quads are marked that it takes less time to multiply all of them as 16-bit integers.
bool are_many(std::uint64_t marks, std::int64_t quads) {
  constexpr std::uint64_t kFirstOfQuads = 0x5555555555555555;
  return 8 * std::popcount((marks | marks >> 1) & kFirstOfQuads) > quads;
}

// Some rows times a vector of a panel.
struct VectorProduct {
  const PanelProduct& all;
  const std::int8_t* w;
  const Marks *marks, *row_marks;
  const std::int32_t *start, *row_sums;  // by column; of the signed rows
  std::uint8_t* wide;                    // the rows as 16-bit integers, once they are wanted:
  bool* is_widened;
};

// 32 bytes of a row, or those of the quads in the mask, and zeros.
template <PanelBytes type, bool all>
[[gnu::always_inline]] inline __m256i bytes_at(const std::uint8_t* x, __m256i quads) {
  if (all) return flips(type) ? flipped(load(x)) : load(x);
  const __m256i bytes = _mm256_maskload_epi32(reinterpret_cast<const int*>(x), quads);
  return flips(type) ? _mm256_and_si256(flipped(bytes), quads) : bytes;
}

// The quads of a vector of which `quads` are there.
__m256i quads_of(std::int64_t quads) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(quads)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <PanelBytes type>
[[gnu::noinline]] void widen_rows(const VectorProduct& p, std::int64_t first, std::int64_t rows) {
  *p.is_widened = true;
  std::uint8_t* to = p.wide;
  for (std::int64_t tap = 0; tap < p.all.taps; ++tap) {
    const std::uint8_t* const* const x = p.all.x + tap * p.all.x_tap + first;
    for (std::int64_t q = 0; q < p.all.quads; q += kGroup, to += kWideGroup) {
      const bool whole = p.all.quads - q >= kGroup;
      const __m256i quads = quads_of(p.all.quads - q);
      for (std::int64_t r = 0; r < rows; ++r) {
        __m256i bytes;
        if (whole)
          bytes = bytes_at<type, true>(x[r] + 4 * q, quads);
        else
          bytes = bytes_at<type, false>(x[r] + 4 * q, quads);
        // Halves are interleaved by themselves.
        const Wide wide = widened<is_signed(type)>(_mm256_permute4x64_epi64(bytes, 0xd8));
        auto* const vectors = reinterpret_cast<__m256i*>(to + r * kWideRow);
        _mm256_storeu_si256(vectors, _mm256_unpacklo_epi32(wide.even, wide.odd));
        _mm256_storeu_si256(vectors + 1, _mm256_unpackhi_epi32(wide.even, wide.odd));
      }
    }
  }
}

template <PanelBytes type, int rows>
void multiply_rows(const VectorProduct& p, std::int64_t first, std::int32_t* to, std::int64_t to_row) {
  const PanelProduct& all = p.all;
  __m256i sums[rows][2];
  const __m256i start0 = load(p.start), start1 = load(p.start + kPanelLanes / 2);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
    const __m256i more = _mm256_set1_epi32(is_signed(type) ? p.row_sums[r] : 0);
    sums[r][0] = _mm256_sub_epi32(start0, more);
    sums[r][1] = _mm256_sub_epi32(start1, more);
  }
  const std::int8_t* w = p.w;
  const Marks *marks = p.marks, *row_marks = p.row_marks;
  for (std::int64_t tap = 0; tap < all.taps; ++tap) {
    const std::uint8_t* x[rows];
#pragma GCC unroll 5
    for (int r = 0; r < rows; ++r) x[r] = all.x[tap * all.x_tap + first + r];
    for (std::int64_t begin = 0; begin < all.quads; begin += kMarked) {
      const std::int64_t quads = std::min(kMarked, all.quads - begin);
      std::uint64_t both =
          is_signed(type) ? row_marks->of[0] : (marks->of[0] & row_marks->of[0]) | (marks->of[1] & row_marks->of[1]);
      ++marks, ++row_marks;
      if (are_many(both, quads)) {
        if (!*p.is_widened) widen_rows<type>(p, first, rows);
        add_wide_quads<type>(p.wide + tap * wide_tap_bytes(all.quads) + begin / kGroup * kWideGroup, quads, w, sums);
        w += quads * kQuad;
        continue;
      }
      for (std::int64_t q = 0; q < quads; ++q, w += kQuad) {
        const std::int64_t marked = std::min<std::int64_t>(quads, std::countr_zero(both) / 2);
        for (; q + 2 <= marked; q += 2, w += 2 * kQuad) {
          add_quad<type>(x, 4 * (begin + q), w, sums);
          add_quad<type>(x, 4 * (begin + q + 1), w + kQuad, sums);
        }
        for (; q < marked; ++q, w += kQuad) add_quad<type>(x, 4 * (begin + q), w, sums);
        if (q == quads) break;
        add_wide_quad<type>(x, 4 * (begin + q), w, sums);
        both &= ~(std::uint64_t{3} << (2 * q));
      }
    }
  }
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + r * to_row), sums[r][0]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + r * to_row + kPanelLanes / 2), sums[r][1]);
  }
}

// A bit for each of 16 pairs, by 16 bits that are 0 where it is not set.
Marks marks_of(__m256i first, __m256i second) {
  const __m256i none = _mm256_setzero_si256();
  // Packing takes halves of both in turns.
  const auto bits = ~static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_packs_epi16(_mm256_cmpeq_epi16(first, none), _mm256_cmpeq_epi16(second, none))));
  return {{(bits & 0xff) | (bits >> 8 & 0xff00), (bits >> 8 & 0xff) | (bits >> 16 & 0xff00)}};
}

// Of each pair of signed bytes, what is positive and what is negative, in 16 bits.
struct PairSums {
  __m256i positive, negative;
};
[[gnu::always_inline]] inline PairSums pair_sums(__m256i bytes) {
  const __m256i one = _mm256_set1_epi8(1), none = _mm256_setzero_si256();
  return {_mm256_maddubs_epi16(one, _mm256_max_epi8(bytes, none)),
          _mm256_maddubs_epi16(one, _mm256_min_epi8(bytes, none))};
}
// The pairs of which either is more than `safe` in size.
[[gnu::always_inline]] inline __m256i beyond(const PairSums& p, int safe) {
  const __m256i most = _mm256_set1_epi16(static_cast<short>(safe)),
                least = _mm256_set1_epi16(static_cast<short>(-safe));
  return _mm256_or_si256(_mm256_cmpgt_epi16(p.positive, most), _mm256_cmpgt_epi16(least, p.negative));
}

// Marks of some rows' 32 bytes; the sums of signed ones are added to `sums`.
template <PanelBytes type, bool all>
[[gnu::always_inline]] inline Marks mark_bytes(const std::uint8_t* const (&x)[kRows], std::int64_t at, __m256i quads,
                                               __m256i (&sums)[kRows]) {
  __m256i any[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
#pragma GCC unroll 5
  for (int r = 0; r < kRows; ++r) {
    const __m256i bytes = bytes_at<type, all>(x[r] + at, quads);
    if constexpr (is_signed(type)) {
      const PairSums pairs = pair_sums(bytes);
      any[0] = _mm256_or_si256(any[0], beyond(pairs, kSafe[0]));
      const __m256i both = _mm256_add_epi16(pairs.positive, pairs.negative);
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(both, _mm256_set1_epi16(1)));
    } else {
      // Where both of the highest bits are set, and where the highest is.
      any[0] = _mm256_or_si256(any[0], _mm256_and_si256(bytes, _mm256_add_epi8(bytes, bytes)));
      any[1] = _mm256_or_si256(any[1], bytes);
    }
  }
  if constexpr (is_signed(type)) return marks_of(any[0], any[0]);
  const __m256i high = _mm256_set1_epi8(-128);
  return marks_of(_mm256_and_si256(any[0], high), _mm256_and_si256(any[1], high));
}

std::int32_t sum_of(__m256i lanes) {
  alignas(32) std::int32_t sums[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums), lanes);
  std::uint32_t sum = 0;
  for (const std::int32_t lane : sums) sum += static_cast<std::uint32_t>(lane);
  return static_cast<std::int32_t>(sum);
}

// Rows from `first` on, of which `rows` are there. row_sums: 128 times the sums of their bytes.
template <PanelBytes type>
void mark_rows(const PanelProduct& p, std::int64_t depth, std::int64_t first, std::int64_t rows, Marks* marks,
               std::int32_t* row_sums) {
  constexpr std::int64_t kBytes = 32;
  const std::int64_t bytes = (depth + 3) / 4 * 4;
  __m256i sums[kRows];
#pragma GCC unroll 5
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (std::int64_t tap = 0; tap < p.taps; ++tap) {
    const std::uint8_t* x[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) x[r] = p.x[tap * p.x_tap + first + std::min(r, rows - 1)] + p.offset;
    for (std::int64_t begin = 0; begin < bytes; begin += 4 * kMarked, ++marks) {
      const std::int64_t end = std::min(bytes, begin + 4 * kMarked);
      *marks = {};
      for (std::int64_t at = begin; at < end; at += kBytes) {
        const __m256i quads = quads_of((end - at) / 4);
        const Marks some = end - at >= kBytes ? mark_bytes<type, true>(x, at, quads, sums)
                                              : mark_bytes<type, false>(x, at, quads, sums);
        for (int d = 0; d < 2; ++d) marks->of[d] |= some.of[d] << ((at - begin) / 2);
      }
    }
  }
  for (std::int64_t r = 0; is_signed(type) && r < rows; ++r)
    row_sums[r] = static_cast<std::int32_t>(128u * static_cast<std::uint32_t>(sum_of(sums[r])));
}

// Words of marks of a block of rows.
std::int64_t mark_count(std::int64_t taps, std::int64_t depth) {
  return taps * ((depth + 4 * kMarked - 1) / (4 * kMarked));
}
// What gather() writes of a tile's blocks of rows: marks, then sums of rows, then whether they are widened; behind them
// is the place of widened ones.
struct Gathered {
  std::int64_t sums, flags, wide, block, end;  // in bytes; `block`: of a widened one

  Gathered(std::int64_t rows, std::int64_t taps, std::int64_t depth) {
    constexpr std::int64_t kLine = 64;
    const std::int64_t blocks = (rows + kRows - 1) / kRows;
    sums = blocks * mark_count(taps, depth) * static_cast<std::int64_t>(sizeof(Marks));
    flags = sums + rows * static_cast<std::int64_t>(sizeof(std::int32_t));
    wide = (flags + blocks + kLine - 1) / kLine * kLine;
    block = taps * wide_tap_bytes((depth + 3) / 4);
    end = wide + blocks * block;
  }
};
std::int64_t gathered_bytes(std::int64_t rows, std::int64_t taps, std::int64_t depth) {
  return Gathered(rows, taps, depth).end;
}

// Leaves rows where they are, and marks them.
void gather(const PanelProduct& p, std::int64_t, std::int64_t depth, std::int64_t rows, PanelBytes bytes,
            const std::uint8_t** to, std::uint8_t* memory) {
  constexpr std::array kMark = {mark_rows<PanelBytes::Uint8>, mark_rows<PanelBytes::FlippedInt8>,
                                mark_rows<PanelBytes::Int8>, mark_rows<PanelBytes::FlippedUint8>};
  for (std::int64_t i = 0; i < p.taps * p.x_tap; ++i) to[i] = p.x[i] + p.offset;
  auto* marks = reinterpret_cast<Marks*>(memory);
  const std::int64_t count = mark_count(p.taps, depth);
  const Gathered at(rows, p.taps, depth);
  auto* const row_sums = reinterpret_cast<std::int32_t*>(memory + at.sums);
  std::fill(memory + at.flags, memory + at.wide, std::uint8_t{0});
  for (std::int64_t r = 0; r < rows; r += kRows, marks += count)
    kMark[static_cast<std::size_t>(bytes)](p, depth, r, std::min<std::int64_t>(kRows, rows - r), marks, row_sums + r);
}

using MultiplyRows = decltype(&multiply_rows<PanelBytes::Uint8, 1>);
template <PanelBytes type, int... rows>
constexpr std::array<MultiplyRows, kRows> by_rows(std::integer_sequence<int, rows...>) {
  return {multiply_rows<type, rows + 1>...};
}
template <PanelBytes type>
constexpr std::array<MultiplyRows, kRows> by_rows() {
  return by_rows<type>(std::make_integer_sequence<int, kRows>());
}

void multiply(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, PanelBytes x, std::int32_t* sums,
              std::int64_t sums_row) {
  static constexpr std::array kByRows = {by_rows<PanelBytes::Uint8>(), by_rows<PanelBytes::FlippedInt8>(),
                                         by_rows<PanelBytes::Int8>(), by_rows<PanelBytes::FlippedUint8>()};
  std::int32_t start[kPanelVectors * kPanelLanes] = {};
  if (p.base != nullptr) std::copy_n(p.base, p.columns, start);
  const std::int64_t count = mark_count(p.taps, 4 * p.quads);
  const Gathered at(p.x_tap, p.taps, 4 * p.quads);
  const auto* const marks = reinterpret_cast<const Marks*>(p.marks);
  const auto* const row_marks = reinterpret_cast<const Marks*>(p.gathered) + p.row / kRows * count;
  const auto* const row_sums = reinterpret_cast<const std::int32_t*>(p.gathered + at.sums) + p.row;
  auto* const flags = reinterpret_cast<bool*>(p.gathered + at.flags) + p.row / kRows;
  std::uint8_t* const wide = p.gathered + at.wide + p.row / kRows * at.block;
  for (std::int64_t v = 0; v < vectors; ++v) {
    VectorProduct own{
        p,    p.w + v * p.taps * p.quads * kQuad, marks + v * count, row_marks, start + v * kPanelLanes, row_sums, wide,
        flags};
    for (std::int64_t r = 0; r < rows;
         r += kRows, own.row_marks += count, own.row_sums += kRows, own.wide += at.block, ++own.is_widened)
      kByRows[static_cast<std::size_t>(x)][static_cast<std::size_t>(std::min<std::int64_t>(kRows, rows - r) - 1)](
          own, r, sums + r * sums_row + v * kPanelLanes, sums_row);
  }
  add_corrections(p, rows, vectors * kPanelLanes, sums, sums_row);
}

enum class Other : std::uint8_t { None, Uint8, Int8 };

// Eight columns of a row, before bounds of the result.
template <Other other, bool bounded>
[[gnu::always_inline]] inline __m256i finish_eight(const PanelFinish& f, const std::int32_t* sums, const float* scale,
                                                   const std::uint8_t* added) {
  const __m256 sum = _mm256_cvtepi32_ps(load(sums));
  __m256 real = _mm256_mul_ps(sum, _mm256_loadu_ps(scale));
  if constexpr (!bounded || other != Other::None) real = _mm256_min_ps(real, _mm256_set1_ps(f.top));
  if constexpr (other != Other::None) {
    real = _mm256_round_ps(_mm256_max_ps(real, _mm256_set1_ps(f.bottom)), _MM_FROUND_TO_NEAREST_INT);
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(added));
    const __m256i wide = other == Other::Int8 ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
    const __m256 second =
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(wide), _mm256_set1_ps(f.other_scale), _mm256_set1_ps(f.shift));
    real = _mm256_fmadd_ps(real, _mm256_set1_ps(f.middle_scale), second);
    if constexpr (!bounded) real = _mm256_min_ps(real, _mm256_set1_ps(f.last_top));
  }
  // What is too small becomes the least integer.
  return _mm256_cvtps_epi32(real);
}

// Sixteen columns of a row.
template <Other other, bool bounded>
[[gnu::always_inline]] inline __m128i finish_vector(const PanelFinish& f, const std::int32_t* sums, const float* scale,
                                                    const std::uint8_t* added) {
  const __m256i low = finish_eight<other, bounded>(f, sums, scale, added);
  const __m256i high = finish_eight<other, bounded>(f, sums + 8, scale + 8, added + 8);
  const __m256i ordered = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
  const __m256i shifted = _mm256_adds_epi16(ordered, _mm256_set1_epi16(static_cast<short>(f.zero)));
  const __m128i first = _mm256_castsi256_si128(shifted), second = _mm256_extracti128_si256(shifted, 1);
  const __m128i least = _mm_set1_epi8(static_cast<char>(f.low)), most = _mm_set1_epi8(static_cast<char>(f.high));
  if (f.is_signed) return _mm_min_epi8(most, _mm_max_epi8(least, _mm_packs_epi16(first, second)));
  return _mm_min_epu8(most, _mm_max_epu8(least, _mm_packus_epi16(first, second)));
}

template <Other other, bool bounded>
void finish(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows, std::int64_t vectors) {
  const std::int64_t whole = f.columns / kPanelLanes, rest = f.columns % kPanelLanes;
  float last_scale[kPanelLanes] = {};
  if (rest != 0) std::copy_n(f.scale + whole * kPanelLanes, rest, last_scale);
  for (std::int64_t r = 0; r < rows; ++r, sums += vectors * kPanelLanes) {
    std::uint8_t* const y = f.y + r * f.y_row;
    const std::uint8_t* const added = other == Other::None ? nullptr : f.other + r * f.y_row;
    for (std::int64_t at = 0; at < whole * kPanelLanes; at += kPanelLanes)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(y + at),
                       finish_vector<other, bounded>(f, sums + at, f.scale + at, added + at));
    if (rest == 0) continue;
    const std::int64_t at = whole * kPanelLanes;
    std::uint8_t bytes[kPanelLanes] = {};
    if constexpr (other != Other::None) std::copy_n(added + at, rest, bytes);
    const __m128i last = finish_vector<other, bounded>(f, sums + at, last_scale, bytes);
    std::memcpy(y + at, &last, static_cast<std::size_t>(rest));
  }
}

template <bool bounded>
constexpr std::array kFinish = {finish<Other::None, bounded>, finish<Other::Uint8, bounded>,
                                finish<Other::Int8, bounded>};
void finish_rows(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows, std::int64_t vectors) {
  const std::size_t other = f.other == nullptr ? 0 : f.other_is_signed ? 2 : 1;
  (f.is_bounded ? kFinish<true> : kFinish<false>)[other](f, sums, rows, vectors);
}

// Four rows of 16 columns, of which some may not be there, as a quad of a vector.
[[gnu::always_inline]] inline void pack_quad(const std::uint8_t* from, std::int64_t row, std::int64_t rows,
                                             std::int64_t columns, __m128i flip, std::int8_t* to) {
  __m128i r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    alignas(16) std::uint8_t bytes[kPanelLanes] = {};
    r[i] = _mm_setzero_si128();
    if (i >= rows) continue;
    if (columns == kPanelLanes) {
      r[i] = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * row)), flip);
      continue;
    }
    std::fill_n(bytes, kPanelLanes, static_cast<std::uint8_t>(_mm_cvtsi128_si32(flip)));
    std::copy_n(from + i * row, columns, bytes);
    r[i] = _mm_xor_si128(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)), flip);
  }
  const __m128i low01 = _mm_unpacklo_epi8(r[0], r[1]), low23 = _mm_unpacklo_epi8(r[2], r[3]);
  const __m128i high01 = _mm_unpackhi_epi8(r[0], r[1]), high23 = _mm_unpackhi_epi8(r[2], r[3]);
  auto* const vectors = reinterpret_cast<__m128i*>(to);
  _mm_storeu_si128(vectors, _mm_unpacklo_epi16(low01, low23));
  _mm_storeu_si128(vectors + 1, _mm_unpackhi_epi16(low01, low23));
  _mm_storeu_si128(vectors + 2, _mm_unpacklo_epi16(high01, high23));
  _mm_storeu_si128(vectors + 3, _mm_unpackhi_epi16(high01, high23));
}

void pack(const std::uint8_t* from, std::int64_t row, std::int64_t depth, std::int64_t columns, bool flips,
          std::int8_t* to, std::int32_t* sums) {
  const __m128i flip = _mm_set1_epi8(static_cast<char>(flips ? -128 : 0));
  const __m256i one = _mm256_set1_epi8(1), one16 = _mm256_set1_epi16(1);
  __m256i total[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  for (std::int64_t k = 0; k < depth; k += 4, from += 4 * row, to += kQuad) {
    if (columns == kPanelLanes && depth - k >= 4)
      pack_quad(from, row, 4, kPanelLanes, flip, to);
    else
      pack_quad(from, row, depth - k, columns, flip, to);
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const __m256i pairs = _mm256_maddubs_epi16(one, load(to + v * kQuad / 2));
      total[v] = _mm256_add_epi32(total[v], _mm256_madd_epi16(pairs, one16));
    }
  }
  for (int v = 0; v < 2; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8 * v), total[v]);
}

void mark(const std::int8_t* w, std::int64_t quads, std::uint64_t* marks) {
  for (std::int64_t first = 0; first < quads; first += kMarked, marks += 2) {
    marks[0] = marks[1] = 0;
    for (std::int64_t q = 0; q < std::min(kMarked, quads - first); ++q, w += kQuad) {
      const PairSums pairs[2] = {pair_sums(load(w)), pair_sums(load(w + kQuad / 2))};
      for (int d = 0; d < 2; ++d) {
        const __m256i unsafe = _mm256_or_si256(beyond(pairs[0], kSafe[d]), beyond(pairs[1], kSafe[d]));
        const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(unsafe));
        const std::uint64_t both = ((bits & 0x33333333u) != 0 ? 1u : 0u) | ((bits & 0xccccccccu) != 0 ? 2u : 0u);
        marks[d] |= both << (2 * q);
      }
    }
  }
}

constexpr std::int64_t most_rows(std::int64_t vectors) {
  return std::min(kMostRows, kPanelSums / (vectors * kPanelLanes) / kRows * kRows);
}
constexpr PanelTable kTable = {.rows = {most_rows(1), most_rows(2), most_rows(3), most_rows(4)},
                               .row_unit = kRows,
                               .quad_unit = 1,
                               .depth_unit = 4,
                               .takes_int8 = false,
                               .takes_signed = true,
                               .vectors_apart = true,
                               .copies = RowCopies::None,
                               .multiply = multiply,
                               .finish = finish_rows,
                               .row_sums = panel_row_sums,
                               .pack = pack,
                               .mark = mark,
                               .begin = nullptr,
                               .end = nullptr,
                               .copy_bytes = gathered_bytes,
                               .gather = gather};

}  // namespace
}  // namespace panels_int8_avx2_cc
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const PanelTable* byte_pair_table() {
#if defined(__x86_64__)
  return base::made_once([]() -> const PanelTable* {
    limit_instruction_set();
    return instruction_set() == "AVX2" ? &kTable : nullptr;
  });
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
