// Products with matrices of few bits for each instruction set. Columns lie in the lanes, so an element is widened by a
// shift and a look-up (AVX-512) or a mask and a conversion, and sums of a block wait for their scale in registers.
//
// Trap: (stored - zero) is exact and comes before the multiplication, so that infinities and NaN of A give what they
// give with the widened matrix; sums of A in place of zero points would not.
#include <hwy/cache_control.h>

#include <algorithm>

#include "base/fork.h"
#include "base/number.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/stored.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/stored_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace stored_simd_cc {

using U = hn::RebindToUnsigned<F>;
using VU = hn::Vec<U>;

constexpr int kVectors = HWY_MAX_BYTES >= 64 ? 4 : 2;  // of a panel's width, as in gemm_simd.cc
constexpr int kFewer = 2;                              // of them at a time for 3 rows and more
constexpr std::int64_t kAhead = 8192;                  // bytes; what the hardware fetches ahead alone is not enough
// Rows that share what is read of the matrix. Machines without AVX2 have it read for each.
constexpr int kMostRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 ? 4 : 1;
// Words of 16 lanes can look values up; only the lowest 4 bits of an index count.
constexpr bool kLooksUp = HWY_TARGET == HWY_AVX3;

// The elements of one format: how units are read, and what comes of them before the zero point is taken away.
template <StoredForm form>
struct Elements {
  static constexpr int kRows = static_cast<int>(rows_of_unit(form));
  static constexpr int kBits = form == StoredForm::Bits2 ? 2 : form == StoredForm::Bits4 ? 4 : 8;
  static constexpr bool kWords = kRows > 1;
  static constexpr bool kIntegers = form != StoredForm::Float16 && form != StoredForm::BFloat16;
  static constexpr bool kTable = kLooksUp && kWords;

  // The values of integers, if they are looked up: less the zero point that all have.
  static V table(float zero) {
    HWY_ALIGN float values[HWY_MAX_BYTES / sizeof(float)] = {};
    for (int i = 0; i < static_cast<int>(lane_count()); ++i)
      values[i] = static_cast<float>(i & ((1 << kBits) - 1)) - zero;
    return hn::Load(F(), values);
  }

  // The next row of words.
  static HWY_INLINE V take(V table, VU& words) {
    V value;
#if HWY_TARGET == HWY_AVX3
    value = V{_mm512_permutexvar_ps(words.raw, table.raw)};
#else
    (void)table;
    const VU mask = hn::Set(U(), (1u << kBits) - 1);
    value = hn::ConvertTo(F(), hn::BitCast(I(), hn::And(words, mask)));
#endif
    words = hn::ShiftRight<kBits>(words);
    return value;
  }

  // A row that is not a word: `lanes` columns from column `at` of the unit.
  static HWY_INLINE V row(const std::uint8_t* unit, std::int64_t at) {
    if constexpr (form == StoredForm::BFloat16) {
      const hn::Rebind<std::int16_t, F> narrow;
      const VI wide = hn::PromoteTo(I(), hn::LoadU(narrow, reinterpret_cast<const std::int16_t*>(unit) + at));
      return hn::BitCast(F(), hn::ShiftLeft<16>(wide));
    } else if constexpr (form == StoredForm::Float16) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
      const hn::Rebind<hwy::float16_t, F> narrow;
      return hn::PromoteTo(F(), hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(unit) + at));
#else
      HWY_ALIGN float wide[HWY_MAX_BYTES / sizeof(float)];
      const auto* half = reinterpret_cast<const std::uint16_t*>(unit) + at;
      for (std::int64_t i = 0; i < lane_count(); ++i) wide[i] = base::half_to_float(half[i]);
      return hn::Load(F(), wide);
#endif
    } else {
      const hn::Rebind<std::uint8_t, F> narrow;
      return hn::ConvertTo(F(), hn::PromoteTo(I(), hn::LoadU(narrow, unit + at)));
    }
  }
};

// Four bits where they lie in a word's lower half, at place 0 to 3 of it, are the last ones before the point of a float
// whose exponent says so: 2^(23 - 4 place) more than their number, without a shift and a conversion for each.
HWY_INLINE V in_place(VU words, int place) {
  const VU bits = hn::And(words, hn::Set(U(), 0xfu << (4 * place)));
  return hn::BitCast(F(), hn::Or(bits, hn::Set(U(), static_cast<std::uint32_t>(127 + 23 - 4 * place) << 23)));
}
HWY_INLINE V more_in_place(int place) { return constant(static_cast<float>(1 << (23 - 4 * place))); }

HWY_INLINE V zero_points(const std::uint8_t* zeros) {
  return hn::ConvertTo(F(), hn::PromoteTo(I(), hn::LoadU(hn::Rebind<std::uint8_t, F>(), zeros)));
}

HWY_INLINE void fetch_ahead(const std::uint8_t* from, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) hwy::Prefetch(from + kAhead + at);
}

HWY_INLINE void put(V v, float* c, std::int64_t columns) {
  if (columns >= lane_count())
    hn::StoreU(v, F(), c);
  else if (columns > 0)
    store_tail(v, c, columns);
}

// `rows` rows of A with `vectors` vectors of columns, from column `at` of a panel on.
template <StoredForm form, bool zeros, int rows, int vectors>
HWY_NOINLINE void few_columns(const StoredPanels& b, const std::uint8_t* panel, std::int64_t at, const float* a,
                              std::int64_t a_row, std::int64_t a_column, float* c, std::int64_t c_row,
                              std::int64_t columns, const float* bias, float alpha) {
  using E = Elements<form>;
  // Additions in flight: a second set of sums where there are few of them.
  constexpr bool kTwo = rows * vectors <= 4;
  // Constants of more rows would not stay in registers.
  constexpr bool kInPlace = form == StoredForm::Bits4 && !kLooksUp && rows == 1;
  constexpr int kPlaces = kInPlace ? 4 : 0;
  static_assert(!kInPlace || kTwo);
  const std::int64_t lanes = lane_count(), unit_bytes = b.unit_bytes(), block_bytes = b.block_bytes();
  const V table = E::table(zeros ? 0.0f : static_cast<float>(b.zero));
  V zero[vectors], totals[rows][vectors];
  for (int v = 0; v < vectors; ++v) zero[v] = constant(static_cast<float>(b.zero));
  V less[4][vectors];  // what is to be taken away in place
  const auto set_less = [&]() HWY_ATTR {
#pragma GCC unroll 4
    for (int place = 0; place < kPlaces; ++place)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) less[place][v] = hn::Add(more_in_place(place), zero[v]);
  };
  set_less();
  for (auto& row : totals)
    for (V& total : row) total = hn::Zero(F());
  for (std::int64_t k0 = 0; k0 < b.k; k0 += b.block, panel += block_bytes) {
    const std::int64_t deep = std::min(b.block, b.k - k0);
    const auto* scales = reinterpret_cast<const float*>(panel) + at;
    if (at == 0) fetch_ahead(panel, b.header_bytes());
    if (zeros && b.zeros) {
      for (int v = 0; v < vectors; ++v) zero[v] = zero_points(panel + 4 * b.width + at + v * lanes);
      set_less();
    }
    V sums[rows][vectors], odd[rows][vectors];
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) sums[r][v] = odd[r][v] = hn::Zero(F());
    const auto add = [&](auto& into, const V* values) HWY_ATTR {
      V left[rows];
      for (int r = 0; r < rows; ++r) left[r] = constant(a[r * a_row]);
      for (int v = 0; v < vectors; ++v) {
        V value = values[v];
        if constexpr (E::kIntegers && (zeros || !E::kTable)) value = hn::Sub(value, zero[v]);
        for (int r = 0; r < rows; ++r) into[r][v] = hn::MulAdd(left[r], value, into[r][v]);
      }
      a += a_column;
    };
    const std::uint8_t* unit = panel + b.header_bytes();
    std::int64_t i = 0;
    V values[vectors];
    for (V& value : values) value = hn::Zero(F());
    if constexpr (E::kWords) {
      VU words[vectors];
      for (VU& word : words) word = hn::Zero(U());
      const auto load = [&]() HWY_ATTR {
        for (int v = 0; v < vectors; ++v)
          words[v] = hn::LoadU(U(), reinterpret_cast<const std::uint32_t*>(unit) + at + v * lanes);
        unit += unit_bytes;
      };
      const auto take = [&]() HWY_ATTR {
        for (int v = 0; v < vectors; ++v) values[v] = E::take(table, words[v]);
      };
      for (; i + E::kRows <= deep; i += E::kRows) {
        if (at == 0) fetch_ahead(unit, unit_bytes);
        load();
        if constexpr (kInPlace) {
#pragma GCC unroll 8
          for (int j = 0; j < E::kRows; ++j, a += a_column) {
            const V left = constant(*a);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
              if (j == kPlaces) words[v] = hn::ShiftRight<16>(words[v]);
              const V value = hn::Sub(in_place(words[v], j % kPlaces), less[j % kPlaces][v]);
              V& sum = j % 2 == 0 ? sums[0][v] : odd[0][v];
              sum = hn::MulAdd(left, value, sum);
            }
          }
          continue;
        }
        for (int j = 0; j < E::kRows; j += 2) {
          take();
          add(sums, values);
          take();
          add(kTwo ? odd : sums, values);
        }
      }
      if (i < deep) load();
      for (; i < deep; ++i) {
        take();
        add(sums, values);
      }
    } else {
      const auto take = [&]() HWY_ATTR {
        for (int v = 0; v < vectors; ++v) values[v] = E::row(unit, at + v * lanes);
        unit += unit_bytes;
      };
      for (; i + 4 <= deep; i += 4) {
        if (at == 0) fetch_ahead(unit, 4 * unit_bytes);
        take();
        add(sums, values);
        take();
        add(kTwo ? odd : sums, values);
        take();
        add(sums, values);
        take();
        add(kTwo ? odd : sums, values);
      }
      for (; i < deep; ++i) {
        take();
        add(sums, values);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      const V scale = hn::LoadU(F(), scales + v * lanes);
      for (int r = 0; r < rows; ++r) {
        const V sum = kTwo ? hn::Add(sums[r][v], odd[r][v]) : sums[r][v];
        totals[r][v] = hn::MulAdd(sum, scale, totals[r][v]);
      }
    }
  }
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t first = at + v * lanes, rest = columns - first;
    if (rest <= 0) return;
    V shift = hn::Zero(F());
    if (bias != nullptr) shift = rest >= lanes ? hn::LoadU(F(), bias + first) : load_tail(bias + first, rest, 0.0f);
    for (int r = 0; r < rows; ++r) {
      V result = alpha == 1.0f ? totals[r][v] : hn::Mul(constant(alpha), totals[r][v]);
      if (bias != nullptr) result = hn::Add(result, shift);
      put(result, c + r * c_row + first, rest);
    }
  }
}

template <StoredForm form, bool zeros>
void few(const StoredPanels& b, std::int64_t first, std::int64_t last, std::int64_t m, const float* a,
         std::int64_t a_row, std::int64_t a_column, float* c, std::int64_t c_row, const float* bias, float alpha) {
  for (std::int64_t p = first; p < last; ++p) {
    const std::int64_t n0 = p * b.width, columns = std::min(b.width, b.n - n0);
    const std::uint8_t* panel = b.data + p * b.panel_bytes();
    const float* shift = bias == nullptr ? bias : bias + n0;
    if constexpr (kMostRows == 1) {
      for (std::int64_t r = 0; r < m; ++r)
        few_columns<form, zeros, 1, kVectors>(b, panel, 0, a + r * a_row, a_row, a_column, c + r * c_row + n0, c_row,
                                              columns, shift, alpha);
    } else {
      using Columns = decltype(&few_columns<form, zeros, 1, kVectors>);
      static constexpr Columns kFew[] = {few_columns<form, zeros, 1, kVectors>, few_columns<form, zeros, 2, kVectors>,
                                         few_columns<form, zeros, 3, kFewer>, few_columns<form, zeros, 4, kFewer>};
      const std::int64_t step = m <= 2 ? b.width : kFewer * lane_count();
      for (std::int64_t at = 0; at < b.width; at += step)
        kFew[m - 1](b, panel, at, a, a_row, a_column, c + n0, c_row, columns, shift, alpha);
    }
  }
}

template <StoredForm form>
void expand(const StoredPanels& b, std::int64_t panel, std::int64_t k0, std::int64_t k1, float* to) {
  using E = Elements<form>;
  const std::int64_t lanes = lane_count(), unit_bytes = b.unit_bytes();
  const V table = E::table(0.0f);
  for (std::int64_t k = k0; k < k1;) {
    const std::uint8_t* block = b.data + panel * b.panel_bytes() + k / b.block * b.block_bytes();
    const std::int64_t within = k % b.block, deep = std::min({b.block - within, b.k - k, k1 - k});
    V scales[kVectors], zeros[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      scales[v] = hn::LoadU(F(), reinterpret_cast<const float*>(block) + v * lanes);
      zeros[v] = b.zeros ? zero_points(block + 4 * b.width + v * lanes) : constant(static_cast<float>(b.zero));
    }
    // In the order in which it lies: it may come from memory.
    const std::uint8_t* unit = block + b.header_bytes() + within / E::kRows * unit_bytes;
    float* into = to;
    const auto store = [&](V value, int v, std::int64_t row) HWY_ATTR {
      if constexpr (E::kIntegers) value = hn::Sub(value, zeros[v]);
      hn::StoreU(hn::Mul(value, scales[v]), F(), into + row * b.width + v * lanes);
    };
    for (std::int64_t i = 0; i < deep; i += E::kRows, unit += unit_bytes, into += E::kRows * b.width) {
      fetch_ahead(unit, unit_bytes);
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (E::kWords) {
          VU words = hn::LoadU(U(), reinterpret_cast<const std::uint32_t*>(unit) + v * lanes);
          const std::int64_t rows = std::min<std::int64_t>(E::kRows, deep - i);
          for (std::int64_t j = 0; j < rows; ++j) store(E::take(table, words), v, j);
        } else {
          store(E::row(unit, v * lanes), v, 0);
        }
      }
    }
    k += deep;
    to += deep * b.width;
  }
}

// The functions for what a matrix is made of.
void few_of(const StoredPanels& b, std::int64_t first, std::int64_t last, std::int64_t m, const float* a,
            std::int64_t a_row, std::int64_t a_column, float* c, std::int64_t c_row, const float* bias, float alpha) {
  // Where values are not looked up, zero points are taken away in any case.
  constexpr bool kSame = !kLooksUp;
  static constexpr decltype(&few<StoredForm::Bits2, true>) kFew[kStoredForms][2] = {
      {few<StoredForm::Bits2, kSame>, few<StoredForm::Bits2, true>},
      {few<StoredForm::Bits4, kSame>, few<StoredForm::Bits4, true>},
      {few<StoredForm::Bits8, true>, few<StoredForm::Bits8, true>},
      {few<StoredForm::Float16, false>, few<StoredForm::Float16, false>},
      {few<StoredForm::BFloat16, false>, few<StoredForm::BFloat16, false>},
  };
  kFew[static_cast<int>(b.form)][b.zeros ? 1 : 0](b, first, last, m, a, a_row, a_column, c, c_row, bias, alpha);
}
void expand_of(const StoredPanels& b, std::int64_t panel, std::int64_t k0, std::int64_t k1, float* to) {
  static constexpr decltype(&expand<StoredForm::Bits2>) kExpand[kStoredForms] = {
      expand<StoredForm::Bits2>, expand<StoredForm::Bits4>, expand<StoredForm::Bits8>, expand<StoredForm::Float16>,
      expand<StoredForm::BFloat16>};
  kExpand[static_cast<int>(b.form)](b, panel, k0, k1, to);
}

StoredTable stored() { return {few_of, expand_of}; }

}  // namespace stored_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(stored);

const StoredTable& stored_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(stored)(); });
}

}  // namespace norn::kernels
#endif
