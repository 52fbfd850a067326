// From sums of products of 8-bit integers to outputs, a row of channels at a time, for each instruction set.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/fork.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/int8_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace int8_simd_cc {

HWY_INLINE std::int64_t int8_lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

// Rows shorter than a vector: as many together as it holds, through copies.
template <class Other, class Y, class Body>
HWY_INLINE void over_short_rows(const Finish& f, const FinishedRows& rows, const Other* other, std::int64_t other_row,
                                Y* y, const Body& body) {
  constexpr std::size_t kMost = HWY_MAX_BYTES / sizeof(float);
  const std::int64_t lanes = int8_lanes(), n = rows.n, together = lanes / n;
  const float* const shift_of = f.shift ? f.shift : f.scale;
  std::int32_t base[kMost] = {}, values[2 * kMost] = {};
  float scale[kMost] = {}, shift[kMost] = {};
  Other others[kMost] = {};
  Y result[kMost];
  for (std::int64_t r = 0; r < together; ++r)
    for (std::int64_t i = 0; i < n; ++i) {
      base[r * n + i] = f.base[i];
      scale[r * n + i] = f.scale[i];
      shift[r * n + i] = shift_of[i];
    }
  const std::int32_t* sums = rows.sums;
  const std::int32_t* const sums_end = sums + (rows.rows - 1) * rows.sums_row + n;
  for (std::int64_t r = 0; r < rows.rows; r += together) {
    const std::int64_t count = std::min(together, rows.rows - r);
    for (std::int64_t k = 0; k < count; ++k, sums += rows.sums_row) {
      // Whole vectors, whose ends the next row overwrites, as far as there is memory behind a row.
      if (sums + lanes <= sums_end)
        hn::StoreU(hn::LoadU(I(), sums), I(), values + k * n);
      else
        for (std::int64_t i = 0; i < n; ++i) values[k * n + i] = sums[i];
      if constexpr (!std::is_same_v<Other, std::int32_t>)
        for (std::int64_t i = 0; i < n; ++i) others[k * n + i] = other[k * other_row + i];
    }
    other += count * other_row;
    if (rows.y_row == n) {
      if (count * n == lanes) {
        body(base, scale, shift, values, others, y);
      } else {
        body(base, scale, shift, values, others, result);
        std::copy_n(result, count * n, y);
      }
    } else {
      body(base, scale, shift, values, others, result);
      for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t i = 0; i < n; ++i) y[k * rows.y_row + i] = result[k * n + i];
    }
    y += count * rows.y_row;
  }
}

// A row in whole vectors, the last of which may overlap the one before.
template <class Other, class Y, class Body>
HWY_INLINE void over_rows(const Finish& f, const FinishedRows& rows, const Other* other, Y* y, const Body& body) {
  const std::int64_t lanes = int8_lanes(), n = rows.n;
  const std::int32_t* sums = rows.sums;
  const float* shift_of = f.shift ? f.shift : f.scale;  // where there is none it is not used
  // Where there is no other tensor, the sums stand in for it.
  const std::int64_t other_row = std::is_same_v<Other, std::int32_t> ? rows.sums_row : rows.y_row;
  if (n < lanes) {
    if (n > 0 && rows.rows > 0) over_short_rows(f, rows, other, other_row, y, body);
    return;
  }
  for (std::int64_t r = 0; r < rows.rows; ++r, sums += rows.sums_row, other += other_row, y += rows.y_row)
    for (std::int64_t i = 0; i < n; i += lanes) {
      const std::int64_t at = std::min(i, n - lanes);
      body(f.base + at, f.scale + at, shift_of + at, sums + at, other + at, y + at);
    }
}

HWY_INLINE VI sums_with_base(const std::int32_t* sums, const std::int32_t* base) {
  return hn::Add(hn::LoadU(I(), sums), hn::LoadU(I(), base));
}

void finish_int32(const Finish& f, const FinishedRows& rows) {
  auto* to = static_cast<std::int32_t*>(rows.y);
  over_rows(f, rows, rows.sums, to,
            [](const std::int32_t* base, const float*, const float*, const std::int32_t* s, const std::int32_t*,
               std::int32_t* out) HWY_ATTR { hn::StoreU(sums_with_base(s, base), I(), out); });
}

void finish_float(const Finish& f, const FinishedRows& rows) {
  auto* to = static_cast<float*>(rows.y);
  const bool shifts = f.shift != nullptr;
  over_rows(f, rows, rows.sums, to,
            [shifts](const std::int32_t* base, const float* scale, const float* shift, const std::int32_t* s,
                     const std::int32_t*, float* out) HWY_ATTR {
              V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
              if (shifts) v = hn::Add(v, hn::LoadU(F(), shift));
              hn::StoreU(v, F(), out);
            });
}

// round(v), within the whole numbers low and high; NaN gives the lowest. On x86 whatever is below the least integer
// becomes that.
HWY_INLINE VI whole_within(V v, V high, VI low) {
  v = hn::IfThenElse(hn::IsNaN(v), hn::ConvertTo(F(), low), v);
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR || !HWY_ARCH_X86
  v = at_least(hn::ConvertTo(F(), low), v);
#endif
  return hn::Max(hn::NearestInt(at_most(high, v)), low);
}

template <class T>
void finish_quantized(const Finish& f, const FinishedRows& rows) {
  const hn::Rebind<T, F> narrow;
  const V high = constant(static_cast<float>(f.high - f.zero));
  const VI low = hn::Set(I(), f.low - f.zero), zero = hn::Set(I(), f.zero);
  over_rows(f, rows, rows.sums, static_cast<T*>(rows.y),
            [&](const std::int32_t* base, const float* scale, const float*, const std::int32_t* s, const std::int32_t*,
                T* out) HWY_ATTR {
              const V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
              hn::StoreU(hn::DemoteTo(narrow, hn::Add(whole_within(v, high, low), zero)), narrow, out);
            });
}

template <class R, class T>
void finish_with_other(const Finish& f, const FinishedRows& rows) {
  const hn::Rebind<T, F> narrow;
  const hn::Rebind<R, F> narrow_other;
  const V high = constant(static_cast<float>(f.high - f.zero));
  const VI low = hn::Set(I(), f.low - f.zero), last_zero = hn::Set(I(), f.last_zero);
  // What zero points add to the sum.
  const V shift =
      constant(static_cast<float>(f.zero - f.middle_zero) * f.middle - static_cast<float>(f.other_zero) * f.other);
  const V middle_scale = constant(f.middle), other_scale = constant(f.other);
  const std::int32_t least = std::numeric_limits<T>::min() - f.last_zero;
  const VI last_low = hn::Set(I(), f.relu ? std::max(least, 0) : least);
  const V last_high = constant(static_cast<float>(std::numeric_limits<T>::max() - f.last_zero));
  over_rows(f, rows, static_cast<const R*>(rows.other), static_cast<T*>(rows.y),
            [&](const std::int32_t* base, const float* scale, const float*, const std::int32_t* s, const R* o,
                T* out) HWY_ATTR {
              const V v = hn::Mul(hn::ConvertTo(F(), sums_with_base(s, base)), hn::LoadU(F(), scale));
              const V first = hn::ConvertTo(F(), whole_within(v, high, low));
              const V second = hn::ConvertTo(F(), hn::PromoteTo(I(), hn::LoadU(narrow_other, o)));
              const V sum = hn::MulAdd(first, middle_scale, hn::MulAdd(second, other_scale, shift));
              hn::StoreU(hn::DemoteTo(narrow, hn::Add(whole_within(sum, last_high, last_low), last_zero)), narrow, out);
            });
}

// Some vectors of columns at a time, so that lines of memory are read whole.
template <class T>
void column_sums(const T* w, std::int64_t rows, std::int64_t columns, std::int64_t stride, std::int32_t* sums) {
  const std::int64_t lanes = int8_lanes();
  const hn::Rebind<T, F> narrow;
  std::int64_t j = 0;
  const auto add = [&]<int vectors>() HWY_ATTR {
    for (; j + vectors * lanes <= columns; j += vectors * lanes) {
      VI sum[vectors];
      for (int v = 0; v < vectors; ++v) sum[v] = hn::LoadU(I(), sums + j + v * lanes);
      for (std::int64_t r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v)
          sum[v] = hn::Add(sum[v], hn::PromoteTo(I(), hn::LoadU(narrow, w + r * stride + j + v * lanes)));
      for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], I(), sums + j + v * lanes);
    }
  };
  add.template operator()<4>();
  add.template operator()<1>();
  for (; j < columns; ++j)
    for (std::int64_t r = 0; r < rows; ++r) sums[j] += w[r * stride + j];
}

template <class T>
std::int32_t row_sum(const T* x, std::int64_t n) {
  const std::int64_t lanes = int8_lanes();
  const hn::Rebind<T, F> narrow;
  const auto at = [&](std::int64_t i) HWY_ATTR { return hn::PromoteTo(I(), hn::LoadU(narrow, x + i)); };
  VI a = hn::Zero(I()), b = a, c = a, e = a;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::Add(a, at(i));
    b = hn::Add(b, at(i + lanes));
    c = hn::Add(c, at(i + 2 * lanes));
    e = hn::Add(e, at(i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a = hn::Add(a, at(i));
  std::int32_t sum = hn::GetLane(hn::SumOfLanes(I(), hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

void add_whole(const float* from, std::int32_t* to, std::int64_t n) {
  const std::int64_t lanes = int8_lanes();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(I(), to + i), hn::NearestInt(hn::LoadU(F(), from + i))), I(), to + i);
  for (; i < n; ++i)
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                      static_cast<std::uint32_t>(static_cast<std::int32_t>(from[i])));
}

void to_whole(const float* from, std::int32_t* to, std::int64_t n) {
  const std::int64_t lanes = int8_lanes();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::NearestInt(hn::LoadU(F(), from + i)), I(), to + i);
  if (i < n) {
    HWY_ALIGN std::int32_t tail[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(hn::NearestInt(load_tail(from + i, n - i, 0.0f)), I(), tail);
    std::memcpy(to + i, tail, static_cast<std::size_t>(n - i) * sizeof(std::int32_t));
  }
}

// The largest of the elements that lie apart on a grid, for each of `channels` channels that lie together.
template <class D, class T>
HWY_INLINE void largest_by(D d, const T* x, const std::int64_t* size, const std::int64_t* stride, std::int64_t channels,
                           T* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t c = 0; c < channels; c += lanes) {
    const std::int64_t at = std::min(c, channels - lanes);  // the last vector overlaps with the one before
    auto most = hn::Set(d, std::numeric_limits<T>::min());
    for (std::int64_t i = 0; i < size[0]; ++i)
      for (std::int64_t j = 0; j < size[1]; ++j)
        for (std::int64_t k = 0; k < size[2]; ++k)
          most = hn::Max(most, hn::LoadU(d, x + i * stride[0] + j * stride[1] + k * stride[2] + at));
    hn::StoreU(most, d, out + at);
  }
}
template <class T>
void largest(const T* x, const std::int64_t* size, const std::int64_t* stride, std::int64_t channels, T* out) {
  const hn::ScalableTag<T> whole;
  if (channels >= static_cast<std::int64_t>(hn::Lanes(whole))) return largest_by(whole, x, size, stride, channels, out);
  if (channels >= 16) return largest_by(hn::CappedTag<T, 16>(), x, size, stride, channels, out);
  if (channels >= 4) return largest_by(hn::CappedTag<T, 4>(), x, size, stride, channels, out);
  largest_by(hn::CappedTag<T, 1>(), x, size, stride, channels, out);
}

// The least and the largest of n > 0 elements; NaN for both if one is NaN.
void range(const float* x, std::int64_t n, float* low, float* high) {
  const std::int64_t lanes = int8_lanes();
  float least = x[0], most = x[0];
  bool is_number = true;
  std::int64_t i = 0;
  if (n >= lanes) {
    V least_of = hn::LoadU(F(), x), most_of = least_of;
    auto numbers = hn::Eq(least_of, least_of);
    const auto take = [&](V v) HWY_ATTR {
      numbers = hn::And(numbers, hn::Eq(v, v));
      least_of = hn::Min(least_of, v);
      most_of = hn::Max(most_of, v);
    };
    for (; i + lanes <= n; i += lanes) take(hn::LoadU(F(), x + i));
    take(hn::LoadU(F(), x + n - lanes));
    is_number = hn::AllTrue(F(), numbers);
    least = hn::GetLane(hn::MinOfLanes(F(), least_of));
    most = hn::GetLane(hn::MaxOfLanes(F(), most_of));
    i = n;
  }
  for (; i < n; ++i) {
    is_number = is_number && x[i] == x[i];
    least = std::min(least, x[i]);
    most = std::max(most, x[i]);
  }
  *low = is_number ? least : std::numeric_limits<float>::quiet_NaN();
  *high = is_number ? most : *low;
}

Int8Table finishing_int8() {
  return {finish_int32,
          finish_float,
          finish_quantized<std::uint8_t>,
          finish_quantized<std::int8_t>,
          {{finish_with_other<std::uint8_t, std::uint8_t>, finish_with_other<std::uint8_t, std::int8_t>},
           {finish_with_other<std::int8_t, std::uint8_t>, finish_with_other<std::int8_t, std::int8_t>}},
          column_sums<std::int8_t>,
          column_sums<std::uint8_t>,
          row_sum<std::int8_t>,
          row_sum<std::uint8_t>,
          add_whole,
          to_whole,
          largest<std::uint8_t>,
          largest<std::int8_t>,
          range};
}

}  // namespace int8_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(finishing_int8);

const Int8Table& int8_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(finishing_int8)(); });
}

}  // namespace norn::kernels
#endif
