// Rows of bytes times panels by products of tiles (AMX): 16 rows times 16 columns at a time, 64 bytes deep. The vectors
// of a panel follow one another, each of them as tiles of 16 quads: side by side, as for dot products, a tile's lines
// would lie so far apart that the hardware prefetcher does not follow them.
//
// Traps: rows of a tile are equally far apart, so rows that are not, or are not whole tiles, are copied first. A thread
// has its own configuration of tiles, which oneDNN changes for its own products: it is set for a piece of work and
// given up behind it, since threads with tiles take longer to switch. The system lets a process use tiles only if it
// asks.
#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/panels_int8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8")
#endif

namespace norn::kernels {
namespace {

constexpr std::int64_t kRows = 16, kBytes = 64, kTile = kRows * kBytes;  // rows of a tile, their bytes, all of it
constexpr std::int64_t kMostRows = 2 * kRows;                            // that are multiplied together
// Tiles of 32 rows that stay in the first cache while pairs of vectors are multiplied by them.
constexpr std::int64_t kSteps = 8;

struct alignas(64) Configuration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes[16] = {kBytes, kBytes, kBytes, kBytes, kBytes, kBytes, kBytes, kBytes};
  std::uint8_t rows[16] = {kRows, kRows, kRows, kRows, kRows, kRows, kRows, kRows};
};
// A constant, since GCC declares to the optimizer only the first bytes that the instruction reads.
constinit const Configuration kConfiguration{};
void begin() { _tile_loadconfig(&kConfiguration); }
void end() { _tile_release(); }

// Where blocks of 16 rows begin at one tap, and how far apart their rows lie.
struct Blocks {
  const std::uint8_t* at[2];
  std::int64_t row[2];
};
Blocks blocks_of(const std::uint8_t* const* x, std::int64_t rows, std::int64_t offset) {
  Blocks b;
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t first = i * kRows < rows ? i * kRows : 0;
    b.at[i] = x[first] + offset;
    b.row[i] = first + 1 < rows ? x[first + 1] - x[first] : kBytes;
  }
  return b;
}

// Tiles 0 and 1 are of rows, 2 and 3 of the panel, 4 to 7 of sums: [row block][vector], or up to four vectors of one
// block.
#define NORN_TILE_PRODUCT(sum, x, w) \
  do {                               \
    if constexpr (is_signed)         \
      _tile_dpbssd(sum, x, w);       \
    else                             \
      _tile_dpbusd(sum, x, w);       \
  } while (false)

// Fetches some bytes into the second cache at each step.
struct Ahead {
  const std::int8_t* at;
  std::int64_t step;

  void fetch() {
    for (std::int64_t i = 0; i < step; i += kBytes) __builtin_prefetch(at + i, 0, 2);
    at += step;
  }
};

template <bool is_signed, int vectors>
void two_blocks(Blocks x, std::int64_t steps, const std::int8_t* w, std::int64_t w_vector, Ahead& ahead) {
  for (std::int64_t s = 0; s < steps; ++s, w += kTile) {
    _tile_loadd(0, x.at[0], x.row[0]);
    _tile_loadd(2, w, kBytes);
    NORN_TILE_PRODUCT(4, 0, 2);
    if constexpr (vectors > 1) {
      _tile_loadd(3, w + w_vector, kBytes);
      NORN_TILE_PRODUCT(5, 0, 3);
    }
    _tile_loadd(1, x.at[1], x.row[1]);
    NORN_TILE_PRODUCT(6, 1, 2);
    if constexpr (vectors > 1) NORN_TILE_PRODUCT(7, 1, 3);
    x.at[0] += kBytes;
    x.at[1] += kBytes;
    ahead.fetch();
  }
}
template <bool is_signed, int vectors>
void one_block(const Blocks& x, std::int64_t steps, const std::int8_t* w, std::int64_t w_vector, Ahead& ahead) {
  const std::uint8_t* at = x.at[0];
  for (std::int64_t s = 0; s < steps; ++s, w += kTile, at += kBytes) {
    _tile_loadd(0, at, x.row[0]);
    _tile_loadd(2, w, kBytes);
    NORN_TILE_PRODUCT(4, 0, 2);
    if constexpr (vectors > 1) {
      _tile_loadd(3, w + w_vector, kBytes);
      NORN_TILE_PRODUCT(5, 0, 3);
    }
    if constexpr (vectors > 2) {
      _tile_loadd(2, w + 2 * w_vector, kBytes);
      NORN_TILE_PRODUCT(6, 0, 2);
    }
    if constexpr (vectors > 3) {
      _tile_loadd(3, w + 3 * w_vector, kBytes);
      NORN_TILE_PRODUCT(7, 0, 3);
    }
    ahead.fetch();
  }
}
#undef NORN_TILE_PRODUCT

// Sums of tiles 4 to 7, of `blocks` times `vectors` tiles: from the panel's `start` (a row for all) or as they were
// left.
template <int blocks, int vectors>
void load_sums(const std::int32_t* from, std::int64_t row, std::int64_t block) {
  const auto bytes = row * static_cast<std::int64_t>(sizeof(std::int32_t));
  _tile_loadd(4, from, bytes);
  if constexpr (vectors > 1) _tile_loadd(5, from + kPanelLanes, bytes);
  if constexpr (blocks > 1) {
    _tile_loadd(6, from + block, bytes);
    if constexpr (vectors > 1) _tile_loadd(7, from + block + kPanelLanes, bytes);
  } else {
    if constexpr (vectors > 2) _tile_loadd(6, from + 2 * kPanelLanes, bytes);
    if constexpr (vectors > 3) _tile_loadd(7, from + 3 * kPanelLanes, bytes);
  }
}
template <int blocks, int vectors>
void store_sums(std::int32_t* to, std::int64_t row) {
  const auto bytes = row * static_cast<std::int64_t>(sizeof(std::int32_t));
  _tile_stored(4, to, bytes);
  if constexpr (vectors > 1) _tile_stored(5, to + kPanelLanes, bytes);
  if constexpr (blocks > 1) {
    _tile_stored(6, to + kRows * row, bytes);
    if constexpr (vectors > 1) _tile_stored(7, to + kRows * row + kPanelLanes, bytes);
  } else {
    if constexpr (vectors > 2) _tile_stored(6, to + 2 * kPanelLanes, bytes);
    if constexpr (vectors > 3) _tile_stored(7, to + 3 * kPanelLanes, bytes);
  }
}

// Steps [begin, end) of all taps, of vectors [v, v + vectors) of the panel.
template <bool is_signed, int blocks, int vectors>
void multiply_part(const PanelProduct& p, std::int64_t rows, std::int64_t begin, std::int64_t end, std::int64_t v,
                   const std::int32_t* start, std::int32_t* sums, std::int64_t sums_row, Ahead& ahead) {
  std::int32_t* const to = sums + v * kPanelLanes;
  if (begin == 0)
    load_sums<blocks, vectors>(start + v * kPanelLanes, 0, 0);
  else
    load_sums<blocks, vectors>(to, sums_row, kRows * sums_row);
  const std::int64_t tap_steps = p.quads / kRows, w_vector = p.taps * tap_steps * kTile;
  const std::int8_t* w = p.w + v * w_vector + begin * kTile;
  for (std::int64_t step = begin; step < end;) {
    const std::int64_t tap = step / tap_steps, within = step % tap_steps;
    const std::int64_t steps = std::min(end - step, tap_steps - within);
    const Blocks x = blocks_of(p.x + tap * p.x_tap, rows, p.offset + within * kBytes);
    if constexpr (blocks > 1)
      two_blocks<is_signed, vectors>(x, steps, w, w_vector, ahead);
    else
      one_block<is_signed, vectors>(x, steps, w, w_vector, ahead);
    step += steps;
    w += steps * kTile;
  }
  store_sums<blocks, vectors>(to, sums_row);
}

template <bool is_signed>
void multiply_steps(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, std::int64_t begin,
                    std::int64_t end, const std::int32_t* start, std::int32_t* sums, std::int64_t sums_row,
                    Ahead& ahead) {
  if (rows <= kRows) {
    switch (vectors) {
      case 1: return multiply_part<is_signed, 1, 1>(p, rows, begin, end, 0, start, sums, sums_row, ahead);
      case 2: return multiply_part<is_signed, 1, 2>(p, rows, begin, end, 0, start, sums, sums_row, ahead);
      case 3: return multiply_part<is_signed, 1, 3>(p, rows, begin, end, 0, start, sums, sums_row, ahead);
      default: return multiply_part<is_signed, 1, 4>(p, rows, begin, end, 0, start, sums, sums_row, ahead);
    }
  }
  for (std::int64_t v = 0; v < vectors; v += 2)
    if (vectors - v > 1)
      multiply_part<is_signed, 2, 2>(p, rows, begin, end, v, start, sums, sums_row, ahead);
    else
      multiply_part<is_signed, 2, 1>(p, rows, begin, end, v, start, sums, sums_row, ahead);
}

void multiply(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, PanelBytes x, std::int32_t* sums,
              std::int64_t sums_row) {
  alignas(64) std::int32_t start[kPanelVectors * kPanelLanes] = {}, whole[kMostRows * kPanelVectors * kPanelLanes];
  if (p.base != nullptr) std::copy_n(p.base, p.columns, start);
  // Tiles are stored whole.
  const bool fits = rows % kRows == 0;
  std::int32_t* const to = fits ? sums : whole;
  const std::int64_t to_row = fits ? sums_row : vectors * kPanelLanes;
  const std::int64_t steps = p.taps * p.quads / kRows;
  const std::int64_t passes = rows > kRows ? (vectors + 1) / 2 : 1;
  Ahead ahead{p.ahead, p.ahead_bytes / (steps * passes)};
  for (std::int64_t begin = 0; begin < steps; begin += kSteps) {
    const std::int64_t end = std::min(steps, begin + kSteps);
    if (x == PanelBytes::Int8)
      multiply_steps<true>(p, rows, vectors, begin, end, start, to, to_row, ahead);
    else
      multiply_steps<false>(p, rows, vectors, begin, end, start, to, to_row, ahead);
  }
  if (fits && p.corrections == nullptr) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    const __m512i row_sum = _mm512_set1_epi32(p.corrections != nullptr ? p.row_sums[r] : 0);
    for (std::int64_t v = 0; v < vectors; ++v) {
      __m512i sum = _mm512_loadu_si512(to + r * to_row + v * kPanelLanes);
      if (p.corrections != nullptr)
        sum = _mm512_add_epi32(sum, _mm512_mullo_epi32(_mm512_loadu_si512(p.corrections + v * kPanelLanes), row_sum));
      _mm512_storeu_si512(sums + r * sums_row + v * kPanelLanes, sum);
    }
  }
}

__m512i eight_of(const std::uint8_t* const* x) { return _mm512_loadu_si512(static_cast<const void*>(x)); }
// Addresses of 16 rows, `offset` behind.
void copy_addresses(const std::uint8_t* const* x, std::int64_t offset, const std::uint8_t** to) {
  const __m512i more = _mm512_set1_epi64(offset);
  _mm512_storeu_si512(static_cast<void*>(to), _mm512_add_epi64(eight_of(x), more));
  _mm512_storeu_si512(static_cast<void*>(to + 8), _mm512_add_epi64(eight_of(x + 8), more));
}
bool is_regular(const std::uint8_t* const* x) {
  const __m512i step = _mm512_set1_epi64(x[1] - x[0]);
  const __m512i low = _mm512_sub_epi64(eight_of(x + 1), eight_of(x));
  const __m512i high = _mm512_sub_epi64(eight_of(x + 8), eight_of(x + 7));
  return _mm512_cmpneq_epi64_mask(low, step) == 0 && _mm512_cmpneq_epi64_mask(high, step) == 0;
}

std::int64_t copy_row(std::int64_t depth) { return (depth + kBytes - 1) / kBytes * kBytes | kBytes; }

// Of rows of `depth` bytes in all at each tap; the last of them is written in whole vectors.
std::int64_t copy_bytes(std::int64_t rows, std::int64_t taps, std::int64_t depth) {
  return (rows + kRows - 1) / kRows * kRows * taps * copy_row(depth) + kBytes;
}

void gather(const PanelProduct& p, std::int64_t parts, std::int64_t depth, std::int64_t rows, PanelBytes,
            const std::uint8_t** to, std::uint8_t* copy) {
  const std::int64_t row = copy_row(parts * depth), whole = depth / kBytes * kBytes;
  const __mmask64 rest = (__mmask64{1} << (depth - whole)) - 1;
  for (std::int64_t tap = 0; tap < p.taps / parts; ++tap)
    for (std::int64_t first = 0; first < rows; first += kRows, copy += kRows * row) {
      const std::uint8_t* const* from = p.x + tap * parts * p.x_tap + first;
      const std::uint8_t** used = to + tap * p.x_tap + first;
      const std::int64_t count = std::min(kRows, rows - first);
      if (parts == 1 && count == kRows && whole == depth && is_regular(from)) {
        copy_addresses(from, p.offset, used);
        continue;
      }
      for (std::int64_t r = 0; r < count; ++r) {
        std::uint8_t* line = copy + r * row;
        used[r] = line;
        for (std::int64_t part = 0; part < parts; ++part, line += depth) {
          const std::uint8_t* x = from[part * p.x_tap + r] + p.offset;
          for (std::int64_t k = 0; k < whole; k += kBytes) _mm512_storeu_si512(line + k, _mm512_loadu_si512(x + k));
          // What is behind the last is multiplied by the panel's zeros.
          if (rest != 0) _mm512_storeu_si512(line + whole, _mm512_maskz_loadu_epi8(rest, x + whole));
        }
      }
    }
}

}  // namespace
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const PanelTable* tile_table() {
#if defined(__x86_64__)
  return base::made_once([]() -> const PanelTable* {
    if (panel_table() == nullptr || !has_byte_tiles()) return nullptr;
    static PanelTable table = *panel_table();
    for (std::int64_t& most : table.rows) most = kMostRows;
    table.row_unit = kRows;
    table.quad_unit = kRows;
    table.takes_int8 = table.vectors_apart = true;
    table.copies = RowCopies::Ragged;
    table.multiply = multiply;
    table.begin = begin;
    table.end = end;
    table.copy_bytes = copy_bytes;
    table.gather = gather;
    table.fetched_matrix = 0;
    table.large_matrix = std::int64_t{1536} << 10;
    table.tile_bytes = std::int64_t{1} << 20;
    return &table;
  });
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
