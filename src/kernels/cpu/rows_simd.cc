// Softmax, normalisation and reduction of rows for each instruction set. The order of a sum depends on the row's
// length and the vector width only.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/long_sums.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace rows_simd_cc {

constexpr std::int64_t kNarrowRow = 8;  // elements, up to which a row goes into a lane

template <class Map>
HWY_INLINE void map_row(const float* x, float* out, std::int64_t n, Map map) {
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(map(hn::LoadU(F(), x + i), i), F(), out + i);
  if (i < n) store_tail(map(load_tail(x + i, n - i, 0.0f), i), out + i, n - i);
}

// Four running vectors, so that the additions of a row do not wait for each other.
template <class Map, class Join>
HWY_INLINE V fold_row(const float* x, std::int64_t n, float start, float filler, Map map, Join join) {
  const std::int64_t lanes = lane_count();
  V s0 = constant(start), s1 = s0, s2 = s0, s3 = s0;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = join(s0, map(hn::LoadU(F(), x + i)));
    s1 = join(s1, map(hn::LoadU(F(), x + i + lanes)));
    s2 = join(s2, map(hn::LoadU(F(), x + i + 2 * lanes)));
    s3 = join(s3, map(hn::LoadU(F(), x + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) s0 = join(s0, map(hn::LoadU(F(), x + i)));
  if (i < n) s1 = join(s1, map(load_tail(x + i, n - i, filler)));
  return join(join(s0, s1), join(s2, s3));
}

HWY_INLINE float sum_lanes(V v) { return hn::GetLane(hn::SumOfLanes(F(), v)); }

// Rows that stay in registers: up to `vectors` of them, the last one with `rest` elements.
template <int vectors>
struct ShortRow {
  V v[vectors];

  void load(const float* x, std::int64_t rest) {
    for (int i = 0; i + 1 < vectors; ++i) v[i] = hn::LoadU(F(), x + i * lane_count());
    v[vectors - 1] = load_tail(x + (vectors - 1) * lane_count(), rest, -std::numeric_limits<float>::infinity());
  }
  HWY_INLINE void softmax(float* out, std::int64_t rest, bool log_of_it) {
    constexpr int last = vectors - 1;
    const std::int64_t lanes = lane_count();
    V top = v[0];
    for (int i = 1; i < vectors; ++i) top = hn::Max(v[i], top);
    top = hn::MaxOfLanes(F(), top);
    V sums[2] = {hn::Zero(F()), hn::Zero(F())};
    for (int i = 0; i < vectors; ++i) {
      v[i] = hn::Sub(v[i], top);
      V e = softmax_weight(v[i]);
      if (i == last) e = hn::IfThenElseZero(hn::FirstN(F(), static_cast<std::size_t>(rest)), e);
      sums[i % 2] = hn::Add(sums[i % 2], e);
      if (!log_of_it) v[i] = e;
    }
    const float total = sum_lanes(hn::Add(sums[0], sums[1]));
    // In vectors: a call would have the row wait in memory.
    const V scale = constant(1.0f / total), shift = log_of_it ? log(constant(total)) : hn::Zero(F());
    const auto result = [&](V of) HWY_ATTR { return log_of_it ? hn::Sub(of, shift) : hn::Mul(of, scale); };
    for (int i = 0; i < last; ++i) hn::StoreU(result(v[i]), F(), out + i * lanes);
    store_tail(result(v[last]), out + last * lanes, rest);
  }
};
template <int vectors>
void short_softmax(const float* x, float* out, std::int64_t rows, std::int64_t n, bool log_of_it) {
  const std::int64_t rest = n - (vectors - 1) * lane_count();
  ShortRow<vectors> row, next;
  row.load(x, rest);
  for (std::int64_t r = 1; r < rows; ++r) {
    // In place, a row is read before the end of the one before it is written: reading where a vector with a mask is
    // about to be written would wait for that.
    next.load(x + r * n, rest);
    row.softmax(out + (r - 1) * n, rest, log_of_it);
    row = next;
  }
  row.softmax(out + (rows - 1) * n, rest, log_of_it);
}

// As many rows as a vector has lanes, one to a lane: of rows of a few elements.
void narrow_softmax(const float* x, float* out, std::int64_t n, bool log_of_it) {
  const VI at = hn::Mul(hn::Iota(I(), 0), hn::Set(I(), static_cast<std::int32_t>(n)));
  V v[kNarrowRow];
  V top = v[0] = hn::GatherIndex(F(), x, at);
  for (std::int64_t j = 1; j < n; ++j) top = hn::Max(v[j] = hn::GatherIndex(F(), x + j, at), top);
  V total = hn::Zero(F());
  for (std::int64_t j = 0; j < n; ++j) {
    v[j] = hn::Sub(v[j], top);
    const V e = softmax_weight(v[j]);
    total = hn::Add(total, e);
    if (!log_of_it) v[j] = e;
  }
  const V by = log_of_it ? log(total) : hn::Div(constant(1.0f), total);
  for (std::int64_t j = 0; j < n; ++j)
    hn::ScatterIndex(log_of_it ? hn::Sub(v[j], by) : hn::Mul(v[j], by), F(), out + j, at);
}

// False if rows are longer than those that stay in registers.
bool short_rows(const float* x, float* out, std::int64_t rows, std::int64_t n, bool log_of_it) {
  constexpr decltype(&short_softmax<1>) kShort[] = {short_softmax<1>, short_softmax<2>, short_softmax<3>,
                                                    short_softmax<4>, short_softmax<5>, short_softmax<6>,
                                                    short_softmax<7>, short_softmax<8>};
  const std::int64_t full = (n - 1) / lane_count();
  if (full >= 8) return false;
  kShort[full](x, out, rows, n, log_of_it);
  return true;
}

// Of a row, in vectors of sums, before these go on in double.
HWY_INLINE std::int64_t row_part() { return 2 * lane_count() * kRowsAtOnce; }

constexpr std::int64_t kFetchedRow = 2048;  // elements, so that a row, its results and the next fit the first cache

// Two vectors of what is read next, and of what is written if `out` is not null.
HWY_INLINE void fetch_pair(const float* from, float* out) {
  constexpr std::int64_t line = 64 / sizeof(float);
  for (std::int64_t i = 0; i < 2 * lane_count(); i += line) {
    __builtin_prefetch(from + i, 0);
    if (out != nullptr) __builtin_prefetch(out + i, 1);
  }
}

// While exponentials are computed, `next` is fetched, and where only their sum is kept, the place of the results.
void long_softmax(const float* x, float* out, std::int64_t n, bool log_of_it, const float* next) {
  const float lowest = -std::numeric_limits<float>::infinity();
  const V top = hn::MaxOfLanes(
      F(),
      fold_row(x, n, lowest, lowest, [](V v) HWY_ATTR { return v; }, [](V a, V b) HWY_ATTR { return hn::Max(b, a); }));
  const std::int64_t lanes = lane_count();
  V sum = hn::Zero(F()), sum2 = sum;
  double before = 0;  // what parts of the row have summed up to
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    if (i % row_part() == 0) {
      before += sum_lanes(hn::Add(sum, sum2));
      sum = sum2 = hn::Zero(F());
    }
    if (next != nullptr) fetch_pair(next + i, log_of_it ? out + i : nullptr);
    const V e = softmax_weight(hn::Sub(hn::LoadU(F(), x + i), top));
    const V e2 = softmax_weight(hn::Sub(hn::LoadU(F(), x + i + lanes), top));
    if (!log_of_it) {
      hn::StoreU(e, F(), out + i);
      hn::StoreU(e2, F(), out + i + lanes);
    }
    sum = hn::Add(sum, e);
    sum2 = hn::Add(sum2, e2);
  }
  for (; i < n; i += lanes) {
    const std::int64_t rest = n - i < lanes ? n - i : lanes;
    const V v = rest < lanes ? load_tail(x + i, rest, lowest) : hn::LoadU(F(), x + i);
    V e = softmax_weight(hn::Sub(v, top));
    if (rest < lanes) {
      if (!log_of_it) store_tail(e, out + i, rest);
      e = hn::IfThenElseZero(hn::FirstN(F(), static_cast<std::size_t>(rest)), e);
    } else if (!log_of_it) {
      hn::StoreU(e, F(), out + i);
    }
    sum = hn::Add(sum, e);
  }
  const auto total = static_cast<float>(before + sum_lanes(hn::Add(sum, sum2)));
  if (log_of_it) {
    const V shift = constant(std::log(total));
    map_row(x, out, n, [&](V v, std::int64_t) HWY_ATTR { return hn::Sub(hn::Sub(v, top), shift); });
  } else {
    const V scale = constant(1.0f / total);
    map_row(out, out, n, [&](V v, std::int64_t) HWY_ATTR { return hn::Mul(v, scale); });
  }
}

void softmax_rows(const float* x, float* out, std::int64_t rows, std::int64_t n, bool log_of_it) {
  if (n > kNarrowRow) {
    if (rows == 0 || short_rows(x, out, rows, n, log_of_it)) return;
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* next = n <= kFetchedRow ? x + std::min(r + 1, rows - 1) * n : nullptr;
      long_softmax(x + r * n, out + r * n, n, log_of_it, next);
    }
    return;
  }
  const std::int64_t lanes = lane_count();
  std::int64_t r = 0;
  for (; r + lanes <= rows; r += lanes) narrow_softmax(x + r * n, out + r * n, n, log_of_it);
  if (r == rows) return;
  // The last ones by the same sums, so that a row's result does not depend on where it lies.
  float some[kNarrowRow * HWY_MAX_BYTES / sizeof(float)] = {};
  const std::size_t bytes = static_cast<std::size_t>((rows - r) * n) * sizeof(float);
  std::memcpy(some, x + r * n, bytes);
  narrow_softmax(some, some, n, log_of_it);
  std::memcpy(out + r * n, some, bytes);
}

// Of so many vectors of columns, whose maxima and sums stay in registers: in memory, a sum of part of a vector could
// not be read again until it was written. The last vector computes some of the columns before it again, since some
// CPUs take long to store part of one; `few`: there is one vector, and less than that.
template <int vectors, bool few>
void softmax_narrow_columns(const float* x, float* out, std::int64_t n, std::int64_t inner, std::int64_t columns,
                            bool log_of_it) {
  const std::int64_t lanes = lane_count(), last = few ? 0 : columns - lanes;
  using Line = V[vectors];
  // All of a line is read before any of it is written, which may be in the same place.
  const auto read = [&](const float* row, Line& line) HWY_ATTR {
#pragma GCC unroll 2
    for (int i = 0; i < vectors; ++i)
      line[i] = few ? load_tail(row, columns, 0.0f) : hn::LoadU(F(), row + (i + 1 < vectors ? i * lanes : last));
  };
  const auto write = [&](const Line& line, float* row) HWY_ATTR {
#pragma GCC unroll 2
    for (int i = 0; i < vectors; ++i)
      if constexpr (few)
        store_tail(line[i], row, columns);
      else
        hn::StoreU(line[i], F(), row + (i + 1 < vectors ? i * lanes : last));
  };
  const V zero = hn::Zero(F());
  Line line, top, sum, total, lost;
  read(x, top);
#pragma GCC unroll 2
  for (int i = 0; i < vectors; ++i) sum[i] = total[i] = lost[i] = zero;
  for (std::int64_t r = 1; r < n; ++r) {
    read(x + r * inner, line);
#pragma GCC unroll 2
    for (int i = 0; i < vectors; ++i) top[i] = hn::Max(line[i], top[i]);
  }
  for (std::int64_t first = 0; first < n; first += kRowsAtOnce) {
    const std::int64_t end = n - first < kRowsAtOnce ? n : first + kRowsAtOnce;
    for (std::int64_t r = first; r < end; ++r) {
      read(x + r * inner, line);
#pragma GCC unroll 2
      for (int i = 0; i < vectors; ++i) {
        line[i] = softmax_weight(hn::Sub(line[i], top[i]));
        sum[i] = hn::Add(sum[i], line[i]);
      }
      if (!log_of_it) write(line, out + r * inner);
    }
    // Added up in parts, and these with what was lost before (Kahan).
#pragma GCC unroll 2
    for (int i = 0; i < vectors; ++i) {
      const V more = hn::Sub(sum[i], lost[i]), now = hn::Add(total[i], more);
      lost[i] = hn::Sub(hn::Sub(now, total[i]), more);
      total[i] = now;
      sum[i] = zero;
    }
  }
#pragma GCC unroll 2
  for (int i = 0; i < vectors; ++i) sum[i] = log_of_it ? log(total[i]) : hn::Div(constant(1.0f), total[i]);
  for (std::int64_t r = 0; r < n; ++r) {
    float* const to = out + r * inner;
    read(log_of_it ? x + r * inner : to, line);
#pragma GCC unroll 2
    for (int i = 0; i < vectors; ++i)
      line[i] = log_of_it ? hn::Sub(hn::Sub(line[i], top[i]), sum[i]) : hn::Mul(line[i], sum[i]);
    write(line, to);
  }
}

void softmax_columns(const float* x, float* out, std::int64_t n, std::int64_t inner, std::int64_t columns,
                     bool log_of_it, float* work) {
  const std::int64_t lanes = lane_count();
  if (columns < lanes) return softmax_narrow_columns<1, true>(x, out, n, inner, columns, log_of_it);
  if (columns == lanes) return softmax_narrow_columns<1, false>(x, out, n, inner, columns, log_of_it);
  if (columns <= 2 * lanes) return softmax_narrow_columns<2, false>(x, out, n, inner, columns, log_of_it);
  if (columns <= 4 * lanes) {
    softmax_narrow_columns<2, false>(x, out, n, inner, 2 * lanes, log_of_it);
    return softmax_columns(x + 2 * lanes, out + 2 * lanes, n, inner, columns - 2 * lanes, log_of_it, work);
  }
  float* top = work;
  float* sum = work + columns;
  std::memcpy(top, x, static_cast<std::size_t>(columns) * sizeof(float));
  std::memset(sum, 0, static_cast<std::size_t>(columns) * sizeof(float));
  auto at = [&](const float* p, std::int64_t i) HWY_ATTR {
    return columns - i < lane_count() ? load_tail(p + i, columns - i, 0.0f) : hn::LoadU(F(), p + i);
  };
  for (std::int64_t r = 1; r < n; ++r)
    map_row(x + r * inner, top, columns, [&](V v, std::int64_t i) HWY_ATTR { return hn::Max(v, at(top, i)); });
  // Long columns are added up in parts, and these with what was lost before (Kahan).
  float *total = sum + columns, *lost = total + columns;
  const bool in_parts = n > kManyRows;
  if (in_parts) std::memset(total, 0, 2 * static_cast<std::size_t>(columns) * sizeof(float));
  const auto end_part = [&] {
    for (std::int64_t i = 0; i < columns; ++i) {
      const float more = sum[i] - lost[i], now = total[i] + more;
      lost[i] = (now - total[i]) - more;
      total[i] = now;
      sum[i] = 0;
    }
  };
  for (std::int64_t r = 0; r < n; ++r) {
    const float* row = x + r * inner;
    if (log_of_it) {
      map_row(row, sum, columns, [&](V v, std::int64_t i) HWY_ATTR {
        return hn::Add(at(sum, i), softmax_weight(hn::Sub(v, at(top, i))));
      });
    } else {
      float* to = out + r * inner;
      map_row(row, to, columns, [&](V v, std::int64_t i) HWY_ATTR { return softmax_weight(hn::Sub(v, at(top, i))); });
      map_row(to, sum, columns, [&](V v, std::int64_t i) HWY_ATTR { return hn::Add(at(sum, i), v); });
    }
    if (in_parts && ((r + 1) % kRowsAtOnce == 0 || r + 1 == n)) end_part();
  }
  if (in_parts) sum = total;
  map_row(sum, sum, columns,
          [&](V v, std::int64_t) HWY_ATTR { return log_of_it ? log(v) : hn::Div(constant(1.0f), v); });
  for (std::int64_t r = 0; r < n; ++r) {
    float* to = out + r * inner;
    if (log_of_it)
      map_row(x + r * inner, to, columns,
              [&](V v, std::int64_t i) HWY_ATTR { return hn::Sub(hn::Sub(v, at(top, i)), at(sum, i)); });
    else
      map_row(to, to, columns, [&](V v, std::int64_t i) HWY_ATTR { return hn::Mul(v, at(sum, i)); });
  }
}

// Down all of few columns, up to kMost: many rows are taken as one, whose columns are joined between the passes.
void softmax_few_columns(const float* x, float* out, std::int64_t n, std::int64_t inner, bool log_of_it) {
  constexpr std::int64_t kMost = 16, kRows = 16;
  float top[kRows * kMost], sum[kRows * kMost];
  double sums[kRows * kMost] = {};
  const std::int64_t width = kRows * inner, all = n * inner;
  auto at = [&](const float* p, std::int64_t i, std::int64_t m)
                HWY_ATTR { return m - i < lane_count() ? load_tail(p + i, m - i, 0.0f) : hn::LoadU(F(), p + i); };
  const auto blocks = [&](const auto& f) HWY_ATTR {
    for (std::int64_t first = 0; first < all; first += width) f(first, all - first < width ? all - first : width);
  };
  const auto spread = [&](float* of) HWY_ATTR {
    for (std::int64_t r = 1; r < kRows; ++r)
      std::memcpy(of + r * inner, of, static_cast<std::size_t>(inner) * sizeof(float));
  };
  for (std::int64_t i = 0; i < width; ++i) top[i] = -std::numeric_limits<float>::infinity();
  std::memset(sum, 0, sizeof sum);
  blocks([&](std::int64_t first, std::int64_t m) HWY_ATTR {
    map_row(x + first, top, m, [&](V v, std::int64_t i) HWY_ATTR { return hn::Max(v, at(top, i, m)); });
  });
  for (std::int64_t i = inner; i < width; ++i)
    if (!(top[i] <= top[i % inner])) top[i % inner] = top[i];
  spread(top);
  blocks([&](std::int64_t first, std::int64_t m) HWY_ATTR {
    const float* from = x + first;
    float* to = out + first;
    if (first % (width * kRowsAtOnce) == 0) {
      add_part(sum, sums, width, false);
      std::memset(sum, 0, sizeof sum);
    }
    if (log_of_it) {
      map_row(from, sum, m, [&](V v, std::int64_t i) HWY_ATTR {
        return hn::Add(at(sum, i, m), softmax_weight(hn::Sub(v, at(top, i, m))));
      });
    } else {
      map_row(from, to, m, [&](V v, std::int64_t i) HWY_ATTR { return softmax_weight(hn::Sub(v, at(top, i, m))); });
      map_row(to, sum, m, [&](V v, std::int64_t i) HWY_ATTR { return hn::Add(at(sum, i, m), v); });
    }
  });
  add_part(sum, sums, width, false);
  for (std::int64_t i = inner; i < width; ++i) sums[i % inner] += sums[i];
  narrow_sums(sums, sum, inner);
  map_row(sum, sum, inner, [&](V v, std::int64_t) HWY_ATTR { return log_of_it ? log(v) : hn::Div(constant(1.0f), v); });
  spread(sum);
  blocks([&](std::int64_t first, std::int64_t m) HWY_ATTR {
    float* to = out + first;
    if (log_of_it)
      map_row(x + first, to, m,
              [&](V v, std::int64_t i) HWY_ATTR { return hn::Sub(hn::Sub(v, at(top, i, m)), at(sum, i, m)); });
    else
      map_row(to, to, m, [&](V v, std::int64_t i) HWY_ATTR { return hn::Mul(v, at(sum, i, m)); });
  });
}

// The sum of f(x[i]); f(`otherwise`) is 0.
template <class Map>
HWY_INLINE float sum_of_row(const float* x, std::int64_t n, float otherwise, Map f) {
  const std::int64_t part = row_part();
  auto add = [](V a, V b) HWY_ATTR { return hn::Add(a, b); };
  if (n <= part) return sum_lanes(fold_row(x, n, 0.0f, otherwise, f, add));
  double sum = 0;
  for (std::int64_t i = 0; i < n; i += part)
    sum += sum_lanes(fold_row(x + i, n - i < part ? n - i : part, 0.0f, otherwise, f, add));
  return static_cast<float>(sum);
}

float exponential_sum_of_row(const float* x, std::int64_t n, float most) {
  const V top = constant(most);
  return sum_of_row(x, n, -std::numeric_limits<float>::infinity(),
                    [=](V v) HWY_ATTR { return softmax_weight(hn::Sub(v, top)); });
}

template <int vectors>
HWY_INLINE void add_exponentials(const float* x, std::int64_t stride, std::int64_t rows, const float* most,
                                 float* sums) {
  V top[vectors], sum[vectors];
  for (int v = 0; v < vectors; ++v) {
    top[v] = hn::LoadU(F(), most + v * lane_count());
    sum[v] = hn::Zero(F());
  }
  for (std::int64_t r = 0; r < rows; ++r, x += stride)
    for (int v = 0; v < vectors; ++v)
      sum[v] = hn::Add(sum[v], softmax_weight(hn::Sub(hn::LoadU(F(), x + v * lane_count()), top[v])));
  for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], F(), sums + v * lane_count());
}
void exponentials_of_columns(const float* x, std::int64_t stride, std::int64_t rows, const float* most, float* sums,
                             std::int64_t n) {
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) add_exponentials<4>(x + i, stride, rows, most + i, sums + i);
  for (; i + lanes <= n; i += lanes) add_exponentials<1>(x + i, stride, rows, most + i, sums + i);
  if (i == n) return;
  const V top = load_tail(most + i, n - i, 0.0f);
  V sum = hn::Zero(F());
  for (std::int64_t r = 0; r < rows; ++r)
    sum = hn::Add(sum, softmax_weight(hn::Sub(load_tail(x + r * stride + i, n - i, 0.0f), top)));
  store_tail(sum, sums + i, n - i);
}

template <bool scaled, bool biased>
HWY_NOINLINE void normalize(const float* x, const float* scale, const float* bias, float* out, std::int64_t n,
                            float mean, float inverse) {
  const std::int64_t lanes = lane_count();
  const V vm = constant(mean), by = constant(inverse);
  const auto result = [&](V v, V a, V b) HWY_ATTR {
    v = hn::Mul(hn::Sub(v, vm), by);
    if constexpr (scaled) return hn::MulAdd(v, a, b);
    return hn::Add(v, b);
  };
  const auto whole = [&](std::int64_t i) HWY_ATTR {
    const V a = scaled ? hn::LoadU(F(), scale + i) : by, b = biased ? hn::LoadU(F(), bias + i) : hn::Zero(F());
    hn::StoreU(result(hn::LoadU(F(), x + i), a, b), F(), out + i);
  };
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    whole(i);
    whole(i + lanes);
  }
  if (i + lanes <= n) {
    whole(i);
    i += lanes;
  }
  if (i == n) return;
  const V a = scaled ? load_tail(scale + i, n - i, 0.0f) : by;
  const V b = biased ? load_tail(bias + i, n - i, 0.0f) : hn::Zero(F());
  store_tail(result(load_tail(x + i, n - i, 0.0f), a, b), out + i, n - i);
}

void layer_norm(const float* x, const float* scale, const float* bias, float* out, std::int64_t n, float epsilon,
                bool root_mean_square) {
  float mean = 0.0f;
  if (!root_mean_square) mean = sum_of_row(x, n, 0.0f, [](V v) HWY_ATTR { return v; }) / static_cast<float>(n);
  const V vm = constant(mean);
  const float squares = sum_of_row(x, n, mean, [&](V v) HWY_ATTR {
    const V c = hn::Sub(v, vm);
    return hn::Mul(c, c);
  });
  const float inverse = 1.0f / std::sqrt(squares / static_cast<float>(n) + epsilon);
  if (scale != nullptr && bias != nullptr) return normalize<true, true>(x, scale, bias, out, n, mean, inverse);
  if (scale != nullptr) return normalize<true, false>(x, scale, bias, out, n, mean, inverse);
  if (bias != nullptr) return normalize<false, true>(x, scale, bias, out, n, mean, inverse);
  normalize<false, false>(x, scale, bias, out, n, mean, inverse);
}

// Visits each vector of a grid.
template <class Visit>
HWY_INLINE void over_grid(const float* x, const std::int64_t* size, const std::int64_t* stride, std::int64_t rest,
                          Visit visit) {
  for (std::int64_t i = 0; i < size[0]; ++i) {
    for (std::int64_t j = 0; j < size[1]; ++j) {
      const float* p = x + i * stride[0] + j * stride[1];
      for (std::int64_t k = 0; k < size[2]; ++k, p += stride[2])
        visit(rest < lane_count() ? load_tail(p, rest, 0.0f) : hn::LoadU(F(), p));
    }
  }
}

void pool(const float* x, const std::int64_t* size, const std::int64_t* stride, std::int64_t channels, bool max,
          float scale, float* out) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t c = 0; c < channels; c += lanes) {
    const std::int64_t rest = channels - c;
    V v;
    if (max) {
      // NaN is gathered apart: the maxima then wait for nothing but each other.
      V top = constant(-std::numeric_limits<float>::infinity());
      auto bad = hn::IsNaN(top);
      over_grid(x + c, size, stride, rest, [&](V t) HWY_ATTR {
        top = hn::Max(top, t);
        bad = hn::Or(bad, hn::IsNaN(t));
      });
      v = hn::IfThenElse(bad, constant(std::numeric_limits<float>::quiet_NaN()), top);
    } else {
      V sum = hn::Zero(F());
      over_grid(x + c, size, stride, rest, [&](V t) HWY_ATTR { sum = hn::Add(sum, t); });
      v = hn::Mul(constant(scale), sum);
    }
    if (rest < lanes)
      store_tail(v, out + c, rest);
    else
      hn::StoreU(v, F(), out + c);
  }
}

void add_rows(float* to, std::int64_t to_step, const float* from, std::int64_t from_step, std::int64_t n,
              std::int64_t count) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t c = 0; c + lanes <= count; c += lanes)
    for (std::int64_t i = 0; i < n; ++i) {
      float* const at = to + i * to_step + c;
      hn::StoreU(hn::Add(hn::LoadU(F(), at), hn::LoadU(F(), from + i * from_step + c)), F(), at);
    }
  for (std::int64_t c = count / lanes * lanes; c < count; ++c)
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step + c] += from[i * from_step + c];
}

void put_rows(float* to, std::int64_t to_step, const float* from, std::int64_t from_step, std::int64_t n,
              std::int64_t count, const float* bias) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t c = 0; c + lanes <= count; c += lanes) {
    const V plus = bias ? hn::LoadU(F(), bias + c) : constant(0.0f);
    for (std::int64_t i = 0; i < n; ++i)
      hn::StoreU(hn::Add(hn::LoadU(F(), from + i * from_step + c), plus), F(), to + i * to_step + c);
  }
  for (std::int64_t c = count / lanes * lanes; c < count; ++c)
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step + c] = from[i * from_step + c] + (bias ? bias[c] : 0.0f);
}

enum Kind { kSum, kMean, kMax, kMin, kProd, kSumSquare, kL1, kL2 };

float reduce_row(int kind, const float* x, std::int64_t n) {
  auto same = [](V v) HWY_ATTR { return v; };
  auto add = [](V a, V b) HWY_ATTR { return hn::Add(a, b); };
  switch (kind) {
    case kMax:
    case kMin: {
      const float inf = std::numeric_limits<float>::infinity();
      const float start = kind == kMax ? -inf : inf;
      const V v = kind == kMax ? fold_row(x, n, start, start, same, [](V a, V b) HWY_ATTR { return maximum(a, b); })
                               : fold_row(x, n, start, start, same, [](V a, V b) HWY_ATTR { return minimum(a, b); });
      if (!hn::AllFalse(F(), hn::IsNaN(v))) return std::numeric_limits<float>::quiet_NaN();
      return hn::GetLane(kind == kMax ? hn::MaxOfLanes(F(), v) : hn::MinOfLanes(F(), v));
    }
    case kProd: {
      const V v = fold_row(x, n, 1.0f, 1.0f, same, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
      HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
      hn::Store(v, F(), lanes);
      float product = 1.0f;
      for (std::int64_t i = 0; i < lane_count(); ++i) product *= lanes[i];
      return product;
    }
    case kSumSquare:
    case kL2: return sum_lanes(fold_row(x, n, 0.0f, 0.0f, [](V v) HWY_ATTR { return hn::Mul(v, v); }, add));
    case kL1: return sum_lanes(fold_row(x, n, 0.0f, 0.0f, [](V v) HWY_ATTR { return hn::Abs(v); }, add));
    default: return sum_lanes(fold_row(x, n, 0.0f, 0.0f, same, add));
  }
}

#if HWY_TARGET != HWY_SCALAR
// The sums of four vectors' blocks of four lanes, one to a lane.
HWY_INLINE V sums_of_blocks(V a, V b, V c, V d) {
  const hn::Repartition<std::uint64_t, F> pairs;
  const V ab = hn::Add(hn::InterleaveLower(F(), a, b), hn::InterleaveUpper(F(), a, b));
  const V cd = hn::Add(hn::InterleaveLower(F(), c, d), hn::InterleaveUpper(F(), c, d));
  const auto of_ab = hn::BitCast(pairs, ab), of_cd = hn::BitCast(pairs, cd);
  return hn::Add(hn::BitCast(F(), hn::InterleaveLower(pairs, of_ab, of_cd)),
                 hn::BitCast(F(), hn::InterleaveUpper(pairs, of_ab, of_cd)));
}
// The sums of the vectors' halves, those of `a` in the lower half.
HWY_INLINE V sums_of_halves(V a, V b) {
  return hn::Add(hn::ConcatLowerLower(F(), b, a), hn::ConcatUpperUpper(F(), b, a));
}
// As many rows at a time as a vector has lanes: what joins the lanes of a sum costs more than a short row does.
void sum_rows(const float* x, std::int64_t n, float* out, std::int64_t count) {
  constexpr std::int64_t kRows = HWY_MAX_BYTES / sizeof(float);
  const std::int64_t lanes = lane_count();
  const auto sum = [&](const float* row) HWY_ATTR {
    V total = hn::Zero(F());
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) total = hn::Add(total, hn::LoadU(F(), row + i));
    return i < n ? hn::Add(total, load_tail(row + i, n - i, 0.0f)) : total;
  };
  for (; count >= kRows; count -= kRows, x += kRows * n, out += kRows) {
    V sums[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) sums[r] = sum(x + r * n);
    const auto four = [&](std::int64_t r)
                          HWY_ATTR { return sums_of_blocks(sums[r], sums[r + 1], sums[r + 2], sums[r + 3]); };
    if constexpr (kRows == 16) {
      const V even = sums_of_halves(four(0), four(8)), odd = sums_of_halves(four(4), four(12));
      hn::StoreU(
          hn::OddEvenBlocks(hn::Add(odd, hn::SwapAdjacentBlocks(odd)), hn::Add(even, hn::SwapAdjacentBlocks(even))),
          F(), out);
    } else if constexpr (kRows == 8) {
      hn::StoreU(sums_of_halves(four(0), four(4)), F(), out);
    } else {
      hn::StoreU(four(0), F(), out);
    }
  }
  for (; count > 0; --count, x += n, ++out) {
    const V zero = hn::Zero(F());
    V one = sums_of_blocks(sum(x), zero, zero, zero);
    if constexpr (kRows > 4) one = sums_of_halves(one, one);
    if constexpr (kRows > 8) one = hn::Add(one, hn::SwapAdjacentBlocks(one));
    *out = hn::GetLane(one);
  }
}
constexpr decltype(&sum_rows) kSumRows = sum_rows;
#else
constexpr decltype(ReduceTable::sum_rows) kSumRows = nullptr;
#endif

template <class Map, class Join>
HWY_INLINE void accumulate_with(const float* x, float* into, std::int64_t n, bool first, Map map, Join join) {
  const std::int64_t lanes = lane_count();
  if (first) {
    map_row(x, into, n, [&](V v, std::int64_t) HWY_ATTR { return map(v); });
    return;
  }
  map_row(x, into, n, [&](V v, std::int64_t i) HWY_ATTR {
    const V old = n - i < lanes ? load_tail(into + i, n - i, 0.0f) : hn::LoadU(F(), into + i);
    return join(old, map(v));
  });
}

void accumulate(int kind, const float* x, float* into, std::int64_t n, bool first) {
  auto same = [](V v) HWY_ATTR { return v; };
  auto add = [](V a, V b) HWY_ATTR { return hn::Add(a, b); };
  switch (kind) {
    case kMax: return accumulate_with(x, into, n, first, same, [](V a, V b) HWY_ATTR { return maximum(a, b); });
    case kMin: return accumulate_with(x, into, n, first, same, [](V a, V b) HWY_ATTR { return minimum(a, b); });
    case kProd: return accumulate_with(x, into, n, first, same, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
    case kSumSquare:
    case kL2: return accumulate_with(x, into, n, first, [](V v) HWY_ATTR { return hn::Mul(v, v); }, add);
    case kL1: return accumulate_with(x, into, n, first, [](V v) HWY_ATTR { return hn::Abs(v); }, add);
    default: return accumulate_with(x, into, n, first, same, add);
  }
}

RowTable rows() {
  return {softmax_rows, softmax_columns,        softmax_few_columns,    layer_norm, add_rows, put_rows,
          pool,         exponential_sum_of_row, exponentials_of_columns};
}
ReduceTable reductions() { return {reduce_row, accumulate, row_part(), kSumRows}; }

}  // namespace rows_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(rows);
HWY_EXPORT(reductions);

const RowTable& row_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(rows)(); });
}
const ReduceTable& reduce_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(reductions)(); });
}

}  // namespace norn::kernels
#endif
