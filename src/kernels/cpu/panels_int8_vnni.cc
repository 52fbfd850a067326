// Rows of bytes times panels by the dot products of AVX-512 VNNI: a panel's vectors stay in registers while four bytes
// of each row are multiplied by them. For a CPU of its own, Cascade Lake, Highway has no target, hence the intrinsics.
#include "base/division.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/panels_int8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <cstring>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

namespace norn::kernels {
namespace {

// Sums of 24 vectors, which with the panel's vectors and a broadcast fill the registers.
constexpr std::int64_t kRows[kPanelVectors] = {12, 12, 8, 6};
// Pieces that are multiplied one after the other before their sums are finished.
constexpr std::int64_t kPieces[kPanelVectors] = {10, 5, 5, 5};
// Quads of a tap in one turn of the loop: turns are so few that CPUs foresee the last one.
constexpr int kSteps = 4;

constexpr __mmask16 kAll = 0xffff;  // masks of all lanes, since GCC 12 takes other forms for uninitialised

std::int32_t word_at(const std::uint8_t* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

__mmask16 first_lanes(std::int64_t count) {
  return count >= kPanelLanes ? static_cast<__mmask16>(0xffff)
                              : static_cast<__mmask16>((1u << (count > 0 ? count : 0)) - 1);
}

// Some rows of a product: as many as leave their sums in registers.
struct Piece {
  const std::int32_t* start;     // of each column of the panel
  const std::uint8_t* const* x;  // of the piece's rows
  const std::int32_t* row_sums;  // with PanelProduct::corrections
  const std::int8_t* ahead = nullptr;
  std::int64_t ahead_step = 0;  // for each quad of a tap
};

// `fetches`: piece.ahead.
template <bool flip, bool fetches, int vectors, int rows>
void multiply(const PanelProduct& p, const Piece& piece, std::int32_t* to, std::int64_t to_row) {
  static_assert(rows * vectors * kPanelLanes <= kPanelSums);
  __m512i sums[rows][vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const __m512i start = _mm512_load_si512(piece.start + v * kPanelLanes);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) sums[r][v] = start;
  }
  const __m512i sign = _mm512_set1_epi8(-128);
  const std::int8_t *w = p.w, *ahead = piece.ahead;
  const std::uint8_t* const* addresses = piece.x;
  const std::int64_t depth = 4 * p.quads;
  for (std::int64_t tap = 0; tap < p.taps; ++tap, addresses += p.x_tap) {
    const std::uint8_t* x[rows];
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) x[r] = addresses[r] + p.offset;
    const auto step = [&](std::int64_t k, int at) __attribute__((always_inline)) {
      if constexpr (fetches) {
        __builtin_prefetch(ahead, 0, 2);
        ahead += piece.ahead_step;
      }
      __m512i panel[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) panel[v] = _mm512_loadu_si512(w + (at * vectors + v) * 64);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        __m512i four = _mm512_set1_epi32(word_at(x[r] + k + 4 * at));
        if constexpr (flip) four = _mm512_xor_si512(four, sign);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], four, panel[v]);
      }
    };
    std::int64_t k = 0;
    for (; k + 4 * kSteps <= depth; k += 4 * kSteps, w += kSteps * vectors * 64) {
#pragma GCC unroll 4
      for (int at = 0; at < kSteps; ++at) step(k, at);
    }
    for (; k < depth; k += 4, w += vectors * 64) step(k, 0);
  }
  if (p.corrections != nullptr) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const __m512i correction = _mm512_loadu_si512(p.corrections + v * kPanelLanes);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r)
        sums[r][v] = _mm512_add_epi32(sums[r][v], _mm512_mullo_epi32(correction, _mm512_set1_epi32(piece.row_sums[r])));
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) _mm512_storeu_si512(to + r * to_row + v * kPanelLanes, sums[r][v]);
}

// Bytes of `vectors` vectors of whole numbers: what is added is `zero`, in 16 bits.
template <int vectors, bool is_signed>
__m512i bytes_of(const __m512i (&whole)[kPanelVectors], __m512i zero, __m512i low, __m512i high) {
  const __m512i first = _mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), zero);
  const __m512i second = vectors > 2 ? _mm512_adds_epi16(_mm512_packs_epi32(whole[2], whole[3]), zero) : first;
  __m512i bytes;
  if constexpr (is_signed)
    bytes = _mm512_min_epi8(high, _mm512_max_epi8(low, _mm512_packs_epi16(first, second)));
  else
    bytes = _mm512_min_epu8(high, _mm512_max_epu8(low, _mm512_packus_epi16(first, second)));
  // Packing leaves four bytes of each vector side by side.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_maskz_permutexvar_epi32(kAll, order, bytes);
}

enum class Other { None, Uint8, Int8 };

// With all columns of the vectors there, without masks.
template <int vectors, bool all>
void store(std::uint8_t* y, __mmask64 columns, __m512i bytes) {
  if constexpr (all && vectors == 4)
    _mm512_storeu_si512(y, bytes);
  else if constexpr (all && vectors == 2)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_maskz_extracti64x4_epi64(0xf, bytes, 0));
  else if constexpr (all && vectors == 1)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm512_maskz_extracti32x4_epi32(0xf, bytes, 0));
  else
    _mm512_mask_storeu_epi8(y, columns, bytes);
}

// `bounded`: PanelFinish::is_bounded.
template <int vectors, bool is_signed, Other other, bool all, bool bounded>
void finish(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows) {
  const __m512 top = _mm512_set1_ps(f.top), bottom = _mm512_set1_ps(f.bottom), last_top = _mm512_set1_ps(f.last_top);
  const __m512i zero = _mm512_set1_epi16(static_cast<short>(f.zero));
  const __m512i low = _mm512_set1_epi8(static_cast<char>(f.low)), high = _mm512_set1_epi8(static_cast<char>(f.high));
  const __m512 middle_scale = _mm512_set1_ps(f.middle_scale), other_scale = _mm512_set1_ps(f.other_scale);
  const __m512 shift = _mm512_set1_ps(f.shift);
  const __mmask64 columns = f.columns >= 64 ? ~__mmask64{0} : (__mmask64{1} << f.columns) - 1;
  __m512 scale[vectors];
  for (int v = 0; v < vectors; ++v)
    scale[v] = _mm512_maskz_loadu_ps(first_lanes(f.columns - v * kPanelLanes), f.scale + v * kPanelLanes);
  const std::uint8_t* added = f.other;
  std::uint8_t* y = f.y;
  for (std::int64_t r = 0; r < rows; ++r, sums += vectors * kPanelLanes, y += f.y_row) {
    __m512i whole[kPanelVectors];
    for (int v = vectors; v < kPanelVectors; ++v) whole[v] = _mm512_setzero_si512();
    for (int v = 0; v < vectors; ++v) {
      const __m512 sum = _mm512_maskz_cvtepi32_ps(kAll, _mm512_load_si512(sums + v * kPanelLanes));
      __m512 real = _mm512_mul_ps(sum, scale[v]);
      if constexpr (!bounded || other != Other::None) real = _mm512_maskz_min_ps(kAll, real, top);
      if constexpr (other != Other::None) {
        real = _mm512_maskz_roundscale_ps(kAll, _mm512_maskz_max_ps(kAll, real, bottom), _MM_FROUND_TO_NEAREST_INT);
        const auto there = static_cast<__mmask16>(columns >> (v * kPanelLanes));
        const __m128i bytes = all ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(added + v * kPanelLanes))
                                  : _mm_maskz_loadu_epi8(there, added + v * kPanelLanes);
        const __m512i wide =
            other == Other::Int8 ? _mm512_maskz_cvtepi8_epi32(kAll, bytes) : _mm512_maskz_cvtepu8_epi32(kAll, bytes);
        const __m512 second = _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(kAll, wide), other_scale, shift);
        real = _mm512_fmadd_ps(real, middle_scale, second);
        if constexpr (!bounded) real = _mm512_maskz_min_ps(kAll, real, last_top);
      }
      // What is too small becomes the least integer.
      whole[v] = _mm512_maskz_cvtps_epi32(kAll, real);
    }
    store<vectors, all>(y, columns, bytes_of<vectors, is_signed>(whole, zero, low, high));
    if constexpr (other != Other::None) added += f.y_row;
  }
}

using FinishPanel = decltype(&finish<1, false, Other::None, false, false>);

template <Other other, bool all, bool bounded>
FinishPanel finish_of(bool is_signed, std::int64_t vectors) {
  constexpr FinishPanel kTable[2][kPanelVectors] = {
      {finish<1, false, other, all, bounded>, finish<2, false, other, all, bounded>,
       finish<3, false, other, all, bounded>, finish<4, false, other, all, bounded>},
      {finish<1, true, other, all, bounded>, finish<2, true, other, all, bounded>, finish<3, true, other, all, bounded>,
       finish<4, true, other, all, bounded>}};
  return kTable[is_signed ? 1 : 0][vectors - 1];
}
template <Other other>
FinishPanel finish_of(const PanelFinish& f, std::int64_t vectors) {
  if (!f.is_bounded) return finish_of<other, false, false>(f.is_signed, vectors);
  return f.columns == vectors * kPanelLanes ? finish_of<other, true, true>(f.is_signed, vectors)
                                            : finish_of<other, false, true>(f.is_signed, vectors);
}

void finish_rows(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows, std::int64_t vectors) {
  const FinishPanel run = f.other == nullptr  ? finish_of<Other::None>(f, vectors)
                          : f.other_is_signed ? finish_of<Other::Int8>(f, vectors)
                                              : finish_of<Other::Uint8>(f, vectors);
  run(f, sums, rows);
}

using Multiply = decltype(&multiply<false, false, 1, 1>);

template <bool flip, bool fetches, int vectors, int... rows>
constexpr std::array<Multiply, 12> by_rows(std::integer_sequence<int, rows...>) {
  return {multiply<flip, fetches, vectors, rows + 1>...};
}
template <bool flip, bool fetches, int vectors>
constexpr std::array<Multiply, 12> by_rows() {
  return by_rows<flip, fetches, vectors>(std::make_integer_sequence<int, kRows[vectors - 1]>());
}
constexpr std::array<Multiply, 12> kMultiply[2][kPanelVectors] = {
    {by_rows<false, false, 1>(), by_rows<false, false, 2>(), by_rows<false, false, 3>(), by_rows<false, false, 4>()},
    {by_rows<true, false, 1>(), by_rows<true, false, 2>(), by_rows<true, false, 3>(), by_rows<true, false, 4>()}};
constexpr std::array<Multiply, 12> kFetching[2] = {by_rows<false, true, kPanelVectors>(),
                                                   by_rows<true, true, kPanelVectors>()};

void multiply_rows(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, PanelBytes x, std::int32_t* sums,
                   std::int64_t sums_row) {
  const int flip = x == PanelBytes::FlippedInt8 ? 1 : 0;
  const std::array<Multiply, 12>& by_rows =
      p.ahead != nullptr && vectors == kPanelVectors ? kFetching[flip] : kMultiply[flip][vectors - 1];
  const std::int64_t most = kRows[vectors - 1], pieces = rows <= most ? 1 : base::quotient_up(rows, most);
  alignas(64) std::int32_t start[kPanelVectors * kPanelLanes] = {};
  if (p.base != nullptr) std::memcpy(start, p.base, static_cast<std::size_t>(p.columns) * sizeof(std::int32_t));
  Piece piece = {start, p.x, p.row_sums, p.ahead};
  if (p.ahead_bytes > 0) piece.ahead_step = base::quotient(p.ahead_bytes, pieces * p.taps * p.quads);
  const std::int64_t each = pieces == 1 ? rows : base::quotient(rows, pieces), more = rows - each * pieces;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t count = each + (i < more ? 1 : 0);
    by_rows[static_cast<std::size_t>(count - 1)](p, piece, sums, sums_row);
    piece.x += count;
    if (p.corrections != nullptr) piece.row_sums += count;
    sums += count * sums_row;
    piece.ahead += piece.ahead_step * p.taps * p.quads;
  }
}

void row_sums(const PanelProduct& p, std::int64_t depth, std::int64_t rows, PanelBytes x_bytes, std::int32_t* to) {
  // Bytes of int8 are added up as 128 more, too.
  const __m512i sign = _mm512_set1_epi8(x_bytes == PanelBytes::Uint8 ? 0 : -128);
  const std::int64_t less = x_bytes == PanelBytes::Int8 ? 128 * depth * p.taps : 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    __m512i sum = _mm512_setzero_si512();
    for (std::int64_t tap = 0; tap < p.taps; ++tap) {
      const std::uint8_t* x = p.x[tap * p.x_tap + r] + p.offset;
      for (std::int64_t k = 0; k < depth; k += 64) {
        const __mmask64 there = depth - k >= 64 ? ~__mmask64{0} : (__mmask64{1} << (depth - k)) - 1;
        const __m512i bytes =
            _mm512_maskz_mov_epi8(there, _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, x + k), sign));
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(bytes, _mm512_setzero_si512()));
      }
    }
    alignas(64) std::int64_t parts[8];
    _mm512_store_si512(parts, sum);
    std::int64_t total = -less;
    for (const std::int64_t part : parts) total += part;
    to[r] = static_cast<std::int32_t>(static_cast<std::uint32_t>(total));
  }
}

// Four rows of 16 columns, of which some may not be there, as a vector of the panel: column by column.
__m512i quad(const std::uint8_t* from, std::int64_t row, std::int64_t rows, __mmask16 columns, __m128i sign) {
  __m128i r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __mmask16 there = i < rows ? columns : static_cast<__mmask16>(0);
    r[i] = _mm_maskz_mov_epi8(there, _mm_xor_si128(_mm_maskz_loadu_epi8(there, from + i * row), sign));
  }
  const __m128i low01 = _mm_unpacklo_epi8(r[0], r[1]), low23 = _mm_unpacklo_epi8(r[2], r[3]);
  const __m128i high01 = _mm_unpackhi_epi8(r[0], r[1]), high23 = _mm_unpackhi_epi8(r[2], r[3]);
  const __m256i low = _mm256_set_m128i(_mm_unpackhi_epi16(low01, low23), _mm_unpacklo_epi16(low01, low23));
  const __m256i high = _mm256_set_m128i(_mm_unpackhi_epi16(high01, high23), _mm_unpacklo_epi16(high01, high23));
  return _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(low), high, 1);
}

// Four rows of all 64 columns of a panel.
struct WideQuad {
  __m512i vectors[kPanelVectors];
};
WideQuad wide_quad(const std::uint8_t* from, std::int64_t row, std::int64_t rows, __m512i sign) {
  __m512i r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    r[i] = i < rows ? _mm512_xor_si512(_mm512_loadu_si512(from + i * row), sign) : _mm512_setzero_si512();
  constexpr __mmask64 kBytes = ~__mmask64{0};
  constexpr __mmask32 kPairs = ~__mmask32{0};
  const __m512i low01 = _mm512_maskz_unpacklo_epi8(kBytes, r[0], r[1]);
  const __m512i low23 = _mm512_maskz_unpacklo_epi8(kBytes, r[2], r[3]);
  const __m512i high01 = _mm512_maskz_unpackhi_epi8(kBytes, r[0], r[1]);
  const __m512i high23 = _mm512_maskz_unpackhi_epi8(kBytes, r[2], r[3]);
  // Four columns of each of the four vectors, side by side.
  const __m512i a = _mm512_maskz_unpacklo_epi16(kPairs, low01, low23);
  const __m512i b = _mm512_maskz_unpackhi_epi16(kPairs, low01, low23);
  const __m512i c = _mm512_maskz_unpacklo_epi16(kPairs, high01, high23);
  const __m512i d = _mm512_maskz_unpackhi_epi16(kPairs, high01, high23);
  const __m512i ab = _mm512_maskz_shuffle_i32x4(kAll, a, b, 0x44), cd = _mm512_maskz_shuffle_i32x4(kAll, c, d, 0x44);
  const __m512i ab2 = _mm512_maskz_shuffle_i32x4(kAll, a, b, 0xee), cd2 = _mm512_maskz_shuffle_i32x4(kAll, c, d, 0xee);
  return {{_mm512_maskz_shuffle_i32x4(kAll, ab, cd, 0x88), _mm512_maskz_shuffle_i32x4(kAll, ab, cd, 0xdd),
           _mm512_maskz_shuffle_i32x4(kAll, ab2, cd2, 0x88), _mm512_maskz_shuffle_i32x4(kAll, ab2, cd2, 0xdd)}};
}

void pack_wide(const std::uint8_t* from, std::int64_t row, std::int64_t depth, bool flip, std::int8_t* to,
               std::int32_t* sums) {
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(flip ? -128 : 0)), ones = _mm512_set1_epi8(1);
  __m512i total[kPanelVectors];
#pragma GCC unroll 4
  for (__m512i& t : total) t = _mm512_setzero_si512();
  for (std::int64_t k = 0; k < depth; k += 4, from += 4 * row, to += kPanelVectors * 64) {
    const WideQuad four = wide_quad(from, row, depth - k, sign);
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      total[v] = _mm512_dpbusd_epi32(total[v], ones, four.vectors[v]);
      _mm512_storeu_si512(to + v * 64, four.vectors[v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) _mm512_storeu_si512(sums + v * kPanelLanes, total[v]);
}

void pack(const std::uint8_t* from, std::int64_t row, std::int64_t depth, std::int64_t columns, bool flip,
          std::int8_t* to, std::int32_t* sums) {
  if (columns == kPanelVectors * kPanelLanes) return pack_wide(from, row, depth, flip, to, sums);
  const __m128i sign = _mm_set1_epi8(static_cast<char>(flip ? -128 : 0));
  const __m512i ones = _mm512_set1_epi8(1);
  const std::int64_t vectors = (columns + kPanelLanes - 1) / kPanelLanes;
  __m512i total[kPanelVectors] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                                  _mm512_setzero_si512()};
  for (std::int64_t k = 0; k < depth; k += 4, from += 4 * row)
    for (std::int64_t v = 0; v < vectors; ++v, to += 64) {
      const __m512i four = quad(from + v * kPanelLanes, row, depth - k, first_lanes(columns - v * kPanelLanes), sign);
      total[v] = _mm512_dpbusd_epi32(total[v], ones, four);
      _mm512_storeu_si512(to, four);
    }
  for (std::int64_t v = 0; v < vectors; ++v) _mm512_storeu_si512(sums + v * kPanelLanes, total[v]);
}

constexpr PanelTable kTable = {
    .rows = {kRows[0] * kPieces[0], kRows[1] * kPieces[1], kRows[2] * kPieces[2], kRows[3] * kPieces[3]},
    .row_unit = 1,
    .quad_unit = 1,
    .depth_unit = 4,
    .takes_int8 = false,
    .takes_signed = false,
    .vectors_apart = false,
    .copies = RowCopies::None,
    .multiply = multiply_rows,
    .finish = finish_rows,
    .row_sums = row_sums,
    .pack = pack,
    .mark = nullptr,
    .begin = nullptr,
    .end = nullptr,
    .copy_bytes = nullptr,
    .gather = nullptr,
    .fetched_matrix = 512 << 10};

}  // namespace
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const PanelTable* panel_table() {
#if defined(__x86_64__)
  return has_vnni() ? &kTable : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
