// Folds for each instruction set: plain loops, which the compiler vectorises. Floating numbers are folded in lanes of
// their own, which are joined at the end: the order is the same for every target.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/cpu/fold.h"
#include "kernels/cpu/plain_targets.h"

// Vectors of 64 bytes that functions give are inlined, on machines without such registers as well.
#pragma GCC diagnostic ignored "-Wpsabi"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fold_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace folds {

// The type of partial results: integers wrap as unsigned ones, but for their mean; squares of floats may be beyond them
// where the root of their sum is not.
template <FoldKind kind, class T>
using Partial = std::conditional_t<
    std::is_same_v<T, float> && kind == FoldKind::L2, double,
    std::conditional_t<
        std::is_same_v<T, std::int32_t> && kind == FoldKind::Mean, std::int64_t,
        std::conditional_t<std::is_floating_point_v<T> || kind == FoldKind::Max || kind == FoldKind::Min, T,
                           std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, int, T>>>>>;

template <FoldKind kind, class T>
HWY_INLINE Partial<kind, T> first_of(T x) {
  using P = Partial<kind, T>;
  using W = std::conditional_t<std::is_floating_point_v<T>, P, std::conditional_t<sizeof(T) < 4, unsigned, P>>;
  if constexpr (kind == FoldKind::SumSquare || kind == FoldKind::L2)
    return static_cast<P>(static_cast<W>(x) * static_cast<W>(x));
  else if constexpr (kind == FoldKind::L1 && std::is_floating_point_v<T>)
    return std::fabs(x);
  else if constexpr (kind == FoldKind::L1)
    return x < 0 ? static_cast<P>(W{0} - static_cast<W>(x)) : static_cast<P>(x);
  else
    return static_cast<P>(x);
}
template <FoldKind kind, class P>
HWY_INLINE P joined(P a, P b) {
  using W = std::conditional_t<std::is_floating_point_v<P>, P, std::conditional_t<sizeof(P) < 4, unsigned, P>>;
  if constexpr (kind == FoldKind::Max || kind == FoldKind::Min) {
    const P v = (kind == FoldKind::Max ? a > b : a < b) ? a : b;
    if constexpr (std::is_floating_point_v<P>) return a != a ? a : v;
    return v;
  } else if constexpr (kind == FoldKind::Prod)
    return static_cast<P>(static_cast<W>(a) * static_cast<W>(b));
  else
    return static_cast<P>(static_cast<W>(a) + static_cast<W>(b));
}

template <FoldKind kind>
constexpr bool kIsExtremum = kind == FoldKind::Max || kind == FoldKind::Min;

// The lanes, joined half by half, whose sizes are constants: otherwise they go through memory one by one.
template <FoldKind kind, std::int64_t half, class P>
HWY_INLINE P halved(P* HWY_RESTRICT lanes) {
  if constexpr (half > 0) {
    for (std::int64_t l = 0; l < half; ++l) lanes[l] = joined<kind>(lanes[l], lanes[l + half]);
    return halved<kind, half / 2>(lanes);
  } else {
    return lanes[0];
  }
}
template <FoldKind kind, std::int64_t kLanes, class T, class P>
HWY_INLINE P in_lanes(const T* HWY_RESTRICT x, std::int64_t n) {
  P lanes[kLanes];
  for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = first_of<kind>(x[l]);
  std::int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = joined<kind>(lanes[l], first_of<kind>(x[i + l]));
  if constexpr (kIsExtremum<kind>) {  // what is taken twice does no harm
    const T* HWY_RESTRICT rest = x + n - kLanes;
    for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = joined<kind>(lanes[l], first_of<kind>(rest[l]));
  } else {
    for (std::int64_t l = 0; i + l < n; ++l) lanes[l] = joined<kind>(lanes[l], first_of<kind>(x[i + l]));
  }
  return halved<kind, kLanes / 2>(lanes);
}
template <FoldKind kind, class T>
HWY_NOINLINE void row(const void* x_data, std::int64_t n, void* out) {
  using P = Partial<kind, T>;
  constexpr std::int64_t kLanes = 256 / sizeof(T) > 64 ? 64 : 256 / sizeof(T);
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  P* to = static_cast<P*>(out);
  if (n >= kLanes) {
    *to = in_lanes<kind, kLanes, T, P>(x, n);
  } else if (n >= 16) {
    *to = in_lanes<kind, 16, T, P>(x, n);
  } else {
    P total = first_of<kind>(x[0]);
    for (std::int64_t i = 1; i < n; ++i) total = joined<kind>(total, first_of<kind>(x[i]));
    *to = total;
  }
}

template <FoldKind kind, class T>
void rows(const void* x_data, std::int64_t stride, std::int64_t count, void* to_data, std::int64_t n, bool first) {
  using P = Partial<kind, T>;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  P* HWY_RESTRICT to = static_cast<P*>(to_data);
  if (first) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = first_of<kind>(x[i]);
    x += stride;
    --count;
  }
  for (; count >= 4; count -= 4, x += 4 * stride) {
    const T *HWY_RESTRICT a = x, *HWY_RESTRICT b = a + stride, *HWY_RESTRICT c = b + stride,
                          *HWY_RESTRICT d = c + stride;
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = joined<kind>(joined<kind>(joined<kind>(joined<kind>(to[i], first_of<kind>(a[i])), first_of<kind>(b[i])),
                                        first_of<kind>(c[i])),
                           first_of<kind>(d[i]));
  }
  for (; count > 0; --count, x += stride)
    for (std::int64_t i = 0; i < n; ++i) to[i] = joined<kind>(to[i], first_of<kind>(x[i]));
}

constexpr std::int64_t kBlock = 512;

// Folds from each of the first `span` elements on, n elements each; `numbers`: none of them is NaN.
template <FoldKind kind, bool numbers, class T, class P>
HWY_INLINE void sliding_folds(const T* HWY_RESTRICT from, std::int64_t n, std::int64_t span, P* HWY_RESTRICT all) {
  const auto f = [from](std::int64_t i) HWY_ATTR { return first_of<kind>(from[i]); };
  const auto join = [](P a, P b) HWY_ATTR {
    if constexpr (numbers)
      return (kind == FoldKind::Max ? a > b : a < b) ? a : b;
    else
      return joined<kind>(a, b);
  };
  std::int64_t k = 1;
  if (n >= 5) {
    for (std::int64_t i = 0; i < span; ++i)
      all[i] = join(join(join(join(f(i), f(i + 1)), f(i + 2)), f(i + 3)), f(i + 4));
    k = 5;
  } else if (n == 4) {
    for (std::int64_t i = 0; i < span; ++i) all[i] = join(join(join(f(i), f(i + 1)), f(i + 2)), f(i + 3));
    k = 4;
  } else if (n == 3) {
    for (std::int64_t i = 0; i < span; ++i) all[i] = join(join(f(i), f(i + 1)), f(i + 2));
    k = 3;
  } else {
    for (std::int64_t i = 0; i < span; ++i) all[i] = f(i);
  }
  for (; k < n; ++k)
    for (std::int64_t i = 0; i < span; ++i) all[i] = join(all[i], f(i + k));
}

template <class T>
HWY_INLINE bool has_nan(const T* HWY_RESTRICT x, std::int64_t n) {
  unsigned found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= x[i] != x[i];
  return found != 0;
}

// Of rows that lie behind each other: folds from every element on, of which every n-th is one of a row.
template <FoldKind kind, class T>
void short_rows(const void* x_data, std::int64_t n, void* out, std::int64_t count) {
  using P = Partial<kind, T>;
  const T* x = static_cast<const T*>(x_data);
  P* to = static_cast<P*>(out);
  P all[kBlock];
  const std::int64_t together = n == 1 ? kBlock : kBlock / n;
  for (std::int64_t r = 0; r < count; r += together) {
    const std::int64_t m = count - r < together ? count - r : together, span = (m - 1) * n + 1;
    const T* const from = x + r * n;
    if constexpr (kIsExtremum<kind> && std::is_floating_point_v<T>) {
      if (has_nan(from, m * n))
        sliding_folds<kind, false>(from, n, span, all);
      else
        sliding_folds<kind, true>(from, n, span, all);
    } else {
      sliding_folds<kind, false>(from, n, span, all);
    }
    for (std::int64_t j = 0; j < m; ++j) to[r + j] = all[j * n];
  }
}

// Sums and products of rows that lie behind each other, as many at a time as a vector has lanes: each is folded to a
// vector, and these are joined in pairs, lanes of one beside lanes of the other, until one vector has the folds of all
// rows. What is left of rows follows column by column.
template <FoldKind kind, class P>
struct LanesOf {
  static constexpr int kCount = 64 / sizeof(P);
  typedef P Vec __attribute__((vector_size(64)));

  static HWY_INLINE Vec join(const Vec& a, const Vec& b) {
    if constexpr (kind == FoldKind::Prod)
      return a * b;
    else
      return a + b;
  }
  // Lane l of the result is of `a` where l has no bit `d`, else of `b`: the two lanes that differ in this bit, joined.
  template <int d, int... l>
  static HWY_INLINE Vec halves(const Vec& a, const Vec& b, std::integer_sequence<int, l...>) {
    return join(__builtin_shufflevector(a, b, ((l & d) != 0 ? (l ^ d) + kCount : l)...),
                __builtin_shufflevector(a, b, ((l & d) != 0 ? l + kCount : l ^ d)...));
  }
  template <int d>
  static HWY_INLINE Vec all(const Vec* v) {
    if constexpr (d == kCount)
      return v[0];
    else
      return halves<d>(all<2 * d>(v), all<2 * d>(v + d), std::make_integer_sequence<int, kCount>());
  }
};

// A lone row in the same order.
template <FoldKind kind, class T, class P = Partial<kind, T>>
HWY_INLINE P middle_row(const T* HWY_RESTRICT x, std::int64_t n) {
  constexpr int kCount = LanesOf<kind, P>::kCount;
  P lanes[kCount];
  for (int l = 0; l < kCount; ++l) lanes[l] = first_of<kind>(x[l]);
  std::int64_t i = kCount;
  for (; i + kCount <= n; i += kCount)
    for (int l = 0; l < kCount; ++l) lanes[l] = joined<kind>(lanes[l], first_of<kind>(x[i + l]));
  P total = halved<kind, kCount / 2>(lanes);
  for (; i < n; ++i) total = joined<kind>(total, first_of<kind>(x[i]));
  return total;
}

template <FoldKind kind, class T>
HWY_NOINLINE void middle_rows(const void* x_data, std::int64_t n, void* out, std::int64_t count) {
  using P = Partial<kind, T>;
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  P* HWY_RESTRICT to = static_cast<P*>(out);
  using Lanes = LanesOf<kind, P>;
  constexpr int kCount = Lanes::kCount;
  for (; count >= kCount; count -= kCount, x += kCount * n, to += kCount) {
    typename Lanes::Vec folds[kCount];
    for (int r = 0; r < kCount; ++r) {
      const T* HWY_RESTRICT from = x + r * n;
      P lanes[kCount];
      for (int l = 0; l < kCount; ++l) lanes[l] = first_of<kind>(from[l]);
      for (std::int64_t i = kCount; i + kCount <= n; i += kCount)
        for (int l = 0; l < kCount; ++l) lanes[l] = joined<kind>(lanes[l], first_of<kind>(from[i + l]));
      std::memcpy(&folds[r], lanes, 64);
    }
    const typename Lanes::Vec total = Lanes::template all<1>(folds);
    std::memcpy(to, &total, 64);
    for (std::int64_t i = n / kCount * kCount; i < n; ++i)
      for (int r = 0; r < kCount; ++r) to[r] = joined<kind>(to[r], first_of<kind>(x[r * n + i]));
  }
  for (; count > 0; --count, x += n, ++to) *to = middle_row<kind, T>(x, n);
}

struct AllLoops {
  FoldLoops loops;
  RowsLoop middle = nullptr;
};
template <FoldKind kind, class T>
AllLoops loops_for() {
  AllLoops all{{row<kind, T>, rows<kind, T>, short_rows<kind, T>, sizeof(Partial<kind, T>)}};
  if constexpr (sizeof(Partial<kind, T>) >= 4 && !kIsExtremum<kind>) all.middle = middle_rows<kind, T>;
  return all;
}
template <class T>
AllLoops loops_of(FoldKind kind) {
  // Sums and products of integers wrap, so that one loop serves both signs.
  using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  switch (kind) {
    case FoldKind::Mean:
      if constexpr (std::is_same_v<T, std::int32_t>) return loops_for<FoldKind::Mean, T>();
      [[fallthrough]];
    case FoldKind::LogSum:
    case FoldKind::Sum: return loops_for<FoldKind::Sum, U>();
    case FoldKind::Max: return loops_for<FoldKind::Max, T>();
    case FoldKind::Min: return loops_for<FoldKind::Min, T>();
    case FoldKind::Prod: return loops_for<FoldKind::Prod, U>();
    case FoldKind::L1:
      if constexpr (std::is_unsigned_v<T>) return loops_for<FoldKind::Sum, T>();
      return loops_for<FoldKind::L1, T>();
    case FoldKind::L2:
      if constexpr (std::is_same_v<T, float>) return loops_for<FoldKind::L2, T>();
      [[fallthrough]];
    case FoldKind::SumSquare: return loops_for<FoldKind::SumSquare, U>();
    case FoldKind::LogSumExp: return {};
  }
  return {};
}
template <class T>
AllLoops extremum_loops(FoldKind kind) {
  if (kind == FoldKind::Max) return loops_for<FoldKind::Max, T>();
  if (kind == FoldKind::Min) return loops_for<FoldKind::Min, T>();
  return {};
}

// Whether an element takes the place of the best before it. NaN is beyond every number.
template <class T, bool largest, bool last>
struct FloatOrder {
  static constexpr bool kLast = last;
  HWY_INLINE bool operator()(T a, T best) const {
    const bool better = largest ? (last ? a >= best : a > best) : (last ? a <= best : a < best);
    return (better & (best == best)) | ((a != a) & (last | (best == best)));
  }
};
// With some bits flipped, integers of one size, signed or not, for their least or largest, are in one order.
template <class T, bool last>
struct IntegerOrder {
  static constexpr bool kLast = last;
  T flip;
  HWY_INLINE bool operator()(T a, T best) const {
    const T x = static_cast<T>(a ^ flip), y = static_cast<T>(best ^ flip);
    return last ? x >= y : x > y;
  }
};
// Where among n neighbours `best` is.
template <class T>
HWY_NOINLINE std::int64_t place_of(const T* HWY_RESTRICT x, std::int64_t n, T best, bool last) {
  std::int64_t at = last ? n - 1 : 0;
  constexpr std::int64_t kRun = 64;
  const auto here = [&](std::int64_t i) { return x[i] == best || (best != best && x[i] != x[i]); };
  if (last) {
    while (!here(at)) --at;
    return at;
  }
  for (; at + kRun <= n; at += kRun) {
    unsigned found = 0;
    for (std::int64_t i = 0; i < kRun; ++i) found |= (x[at + i] == best) | ((best != best) & (x[at + i] != x[at + i]));
    if (found) break;
  }
  while (!here(at)) ++at;
  return at;
}
template <class T, class Order>
std::int64_t arg_of_row(const T* HWY_RESTRICT x, std::int64_t n, Order wins, decltype(FoldLoops::row) extremum_of) {
  if (n <= 32) {
    T best = x[0];
    std::int64_t at = 0;
    for (std::int64_t k = 1; k < n; ++k) {
      const bool better = wins(x[k], best);
      best = better ? x[k] : best;
      at = better ? k : at;
    }
    return at;
  }
  // The extremum first, then its place.
  T extremum;
  extremum_of(x, n, &extremum);
  return place_of(x, n, extremum, Order::kLast);
}

template <class T, class Order>
void arg_of_columns(const T* HWY_RESTRICT x, std::int64_t n, std::int64_t stride, std::int64_t columns, Order wins,
                    T* HWY_RESTRICT best, std::int64_t* HWY_RESTRICT out) {
  for (std::int64_t i = 0; i < columns; ++i) best[i] = x[i];
  for (std::int64_t i = 0; i < columns; ++i) out[i] = 0;
  for (std::int64_t k = 1; k < n; ++k) {
    const T* HWY_RESTRICT from = x + k * stride;
    for (std::int64_t i = 0; i < columns; ++i) {
      const T a = from[i], b = best[i];
      const bool better = wins(a, b);
      best[i] = better ? a : b;
      out[i] = better ? k : out[i];
    }
  }
}

// Few columns without gaps: many rows are taken as one, whose columns are joined at the end.
constexpr std::int64_t kJoinedColumns = 256;
template <class T, class Order>
void arg_of_few_columns(const T* HWY_RESTRICT x, std::int64_t n, std::int64_t columns, Order wins,
                        std::int64_t* HWY_RESTRICT out) {
  const std::int64_t together = kJoinedColumns / columns, width = together * columns;
  T best[kJoinedColumns];
  std::int64_t row[kJoinedColumns];
  for (std::int64_t i = 0; i < width; ++i) best[i] = x[i];
  for (std::int64_t i = 0; i < width; ++i) row[i] = 0;
  for (std::int64_t k = together; k < n; k += together) {
    const T* HWY_RESTRICT from = x + k * columns;
    const std::int64_t m = (n - k < together ? n - k : together) * columns;
    for (std::int64_t i = 0; i < m; ++i) {
      const T a = from[i], b = best[i];
      const bool better = wins(a, b);
      best[i] = better ? a : b;
      row[i] = better ? k : row[i];
    }
  }
  for (std::int64_t i = 0; i < columns; ++i) {
    T of_all = best[i];
    std::int64_t at = row[i];
    for (std::int64_t r = 1; r < together; ++r) {
      const T v = best[r * columns + i];
      const std::int64_t place = row[r * columns + i] + r;
      const bool alike = v == of_all || (v != v && of_all != of_all);
      if (alike ? (Order::kLast ? place > at : place < at) : wins(v, of_all)) {
        of_all = v;
        at = place;
      }
    }
    out[i] = at;
  }
}

template <class T, class Order>
HWY_NOINLINE void arg_by(Order wins, decltype(FoldLoops::row) extremum_of, const void* x_data, std::int64_t n,
                         std::int64_t stride, std::int64_t columns, void* best_data, std::int64_t* HWY_RESTRICT out) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  if (stride == 1) {
    for (std::int64_t r = 0; r < columns; ++r) out[r] = arg_of_row(x + r * n, n, wins, extremum_of);
    return;
  }
  if (stride == columns && columns <= kJoinedColumns / 8 && n * columns >= 4 * kJoinedColumns)
    return arg_of_few_columns(x, n, columns, wins, out);
  arg_of_columns(x, n, stride, columns, wins, static_cast<T*>(best_data), out);
}
template <class T, bool largest, bool last>
void arg(const void* x, std::int64_t n, std::int64_t stride, std::int64_t columns, void* best, std::int64_t* out) {
  constexpr FoldKind kind = largest ? FoldKind::Max : FoldKind::Min;
  constexpr auto extremum_of = row<kind, T>;
  if constexpr (std::is_floating_point_v<T>) {
    arg_by<T>(FloatOrder<T, largest, last>{}, extremum_of, x, n, stride, columns, best, out);
  } else {
    using S = std::make_signed_t<T>;
    constexpr S kOther = std::is_signed_v<T> ? S{0} : std::numeric_limits<S>::min();
    constexpr IntegerOrder<S, last> order{static_cast<S>(largest ? kOther : ~kOther)};
    arg_by<S>(order, extremum_of, x, n, stride, columns, best, out);
  }
}
template <class T>
ArgLoop arg_of(bool largest, bool last) {
  if (largest) return last ? arg<T, true, true> : arg<T, true, false>;
  return last ? arg<T, false, true> : arg<T, false, false>;
}

AllLoops find(FoldKind kind, DataType type) {
  switch (type) {
    case DataType::Float: return loops_of<float>(kind);
    case DataType::Double: return loops_of<double>(kind);
    case DataType::Int32: return loops_of<std::int32_t>(kind);
    case DataType::Int64: return loops_of<std::int64_t>(kind);
    case DataType::Int8: return extremum_loops<std::int8_t>(kind);
    case DataType::Bool:
    case DataType::Uint8: return extremum_loops<std::uint8_t>(kind);
    case DataType::Uint32: return loops_of<std::uint32_t>(kind);
    case DataType::Uint64: return loops_of<std::uint64_t>(kind);
    default: return {};
  }
}

}  // namespace folds

FoldLoops find_fold_loops(FoldKind kind, DataType type) { return folds::find(kind, type).loops; }
RowsLoop find_middle_rows(FoldKind kind, DataType type) { return folds::find(kind, type).middle; }

ArgLoop find_arg_loop(DataType type, bool largest, bool last) {
  using namespace folds;
  switch (type) {
    case DataType::Float: return arg_of<float>(largest, last);
    case DataType::Double: return arg_of<double>(largest, last);
    case DataType::Int8: return arg_of<std::int8_t>(largest, last);
    case DataType::Int16: return arg_of<std::int16_t>(largest, last);
    case DataType::Int32: return arg_of<std::int32_t>(largest, last);
    case DataType::Int64: return arg_of<std::int64_t>(largest, last);
    case DataType::Uint8: return arg_of<std::uint8_t>(largest, last);
    case DataType::Uint16: return arg_of<std::uint16_t>(largest, last);
    case DataType::Uint32: return arg_of<std::uint32_t>(largest, last);
    case DataType::Uint64: return arg_of<std::uint64_t>(largest, last);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_fold_loops);
HWY_EXPORT(find_middle_rows);
HWY_EXPORT(find_arg_loop);

FoldLoops fold_loops(FoldKind kind, DataType type) { return HWY_DYNAMIC_DISPATCH(find_fold_loops)(kind, type); }
RowsLoop middle_rows_loop(FoldKind kind, DataType type) { return HWY_DYNAMIC_DISPATCH(find_middle_rows)(kind, type); }
ArgLoop arg_loop(DataType type, bool largest, bool last) {
  return HWY_DYNAMIC_DISPATCH(find_arg_loop)(type, largest, last);
}

}  // namespace norn::kernels
#endif
