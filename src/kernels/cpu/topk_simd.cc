// Keys of elements and the search through them, for each instruction set.
#include <bit>
#include <limits>
#include <type_traits>

#include "kernels/cpu/targets.h"
#include "kernels/cpu/topk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/topk_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace top {

namespace hn = hwy::HWY_NAMESPACE;

// The bits of floating numbers as integers, negative ones mirrored, ascend as the numbers do; -0 becomes 0, and what
// is beyond infinity, NaN, the greatest key.
template <class K>
HWY_INLINE K floating_key(K bits, K infinity) {
  constexpr K kMagnitude = std::numeric_limits<K>::max();
  const K magnitude = bits & kMagnitude;
  const K key = bits < 0 ? static_cast<K>(K{0} - magnitude) : magnitude;
  return magnitude > infinity ? kMagnitude : key;
}

struct Half {
  std::int16_t bits;
};
struct BHalf {
  std::int16_t bits;
};
template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

HWY_INLINE std::int32_t key_of(float x) { return floating_key(std::bit_cast<std::int32_t>(x), 0x7f800000); }
HWY_INLINE std::int64_t key_of(double x) {
  return floating_key(std::bit_cast<std::int64_t>(x), std::int64_t{0x7ff} << 52);
}
HWY_INLINE std::int32_t key_of(Half x) {
  return floating_key(static_cast<std::int32_t>(static_cast<std::uint32_t>(x.bits) << 16), 0x7c000000);
}
HWY_INLINE std::int32_t key_of(BHalf x) {
  return floating_key(static_cast<std::int32_t>(static_cast<std::uint32_t>(x.bits) << 16), 0x7f800000);
}
template <class T>
HWY_INLINE KeyOf<T> key_of(T x) {
  if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)
    return static_cast<KeyOf<T>>(x ^ (T{1} << (8 * sizeof(T) - 1)));
  else
    return x;
}

template <class T>
void keys(const void* x_data, std::int64_t n, bool reversed, void* keys_data) {
  const T* HWY_RESTRICT x = static_cast<const T*>(x_data);
  KeyOf<T>* HWY_RESTRICT to = static_cast<KeyOf<T>*>(keys_data);
  if (reversed)
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<KeyOf<T>>(~key_of(x[i]));
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = key_of(x[i]);
}

template <class K>
void maxima(const void* keys_data, std::int64_t n, void* maxima_data, std::int64_t lanes) {
  const hn::CappedTag<K, 16> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d)), group = 4 * width;
  const K* HWY_RESTRICT from = static_cast<const K*>(keys_data);
  K* HWY_RESTRICT most = static_cast<K*>(maxima_data);
  for (std::int64_t first = 0; first < lanes; first += group) {
    const auto at = [&](std::int64_t i, std::int64_t v) HWY_ATTR { return hn::LoadU(d, from + i + v * width); };
    auto a = at(first, 0), b = at(first, 1), c = at(first, 2), e = at(first, 3);
    std::int64_t i = first + lanes;
    for (; i + group <= n; i += lanes) {
      a = hn::Max(a, at(i, 0));
      b = hn::Max(b, at(i, 1));
      c = hn::Max(c, at(i, 2));
      e = hn::Max(e, at(i, 3));
    }
    K* const to = most + first;
    hn::StoreU(a, d, to);
    hn::StoreU(b, d, to + width);
    hn::StoreU(c, d, to + 2 * width);
    hn::StoreU(e, d, to + 3 * width);
    for (std::int64_t l = 0; l < group && i + l < n; ++l) to[l] = to[l] < from[i + l] ? from[i + l] : to[l];
  }
}

template <class K>
std::int64_t not_below(const void* keys_data, std::int64_t n, const void* bound_data, std::int64_t k,
                       std::uint32_t* at) {
  const K* from = static_cast<const K*>(keys_data);
  const K bound = *static_cast<const K*>(bound_data);
  const hn::ScalableTag<K> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  K least = bound;  // one more where enough keys are the bound itself
  std::int64_t count = 0, alike = 0, i = 0;
  const auto one_by_one = [&](std::int64_t end) {
    for (; i < end; ++i) {  // without a branch that nothing foretells; what is written over did not count
      at[count] = static_cast<std::uint32_t>(i);
      count += from[i] >= least;
      alike += from[i] == bound;
    }
  };
  while (i + width <= n) {
    if (hn::AllTrue(d, hn::Lt(hn::LoadU(d, from + i), hn::Set(d, least)))) {
      i += width;
      continue;
    }
    one_by_one(i + width);
    if (alike < k || least != bound) continue;
    if (bound == std::numeric_limits<K>::max()) return count;
    least = static_cast<K>(bound + 1);
  }
  one_by_one(n);
  return count;
}

template <class D, class T>
HWY_INLINE hn::Vec<D> load_keys(D d, const T* from) {
  using K = hn::TFromD<D>;
  constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BHalf>;
  if constexpr (std::is_floating_point_v<T> || is_half) {
    hn::Vec<D> bits;
    K infinity;
    if constexpr (is_half) {
      const hn::Rebind<std::int16_t, D> narrow;
      bits = hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(narrow, &from->bits)));
      infinity = std::is_same_v<T, Half> ? 0x7c000000 : 0x7f800000;
    } else {
      bits = hn::BitCast(d, hn::LoadU(hn::Rebind<T, D>(), from));
      infinity = std::bit_cast<K>(std::numeric_limits<T>::infinity());
    }
    const auto most = hn::Set(d, std::numeric_limits<K>::max());
    const auto magnitude = hn::And(bits, most);
    const auto key = hn::IfThenElse(hn::Lt(bits, hn::Zero(d)), hn::Neg(magnitude), magnitude);
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, infinity)), most, key);
  } else if constexpr (sizeof(T) == sizeof(K)) {
    const auto v = hn::LoadU(d, reinterpret_cast<const K*>(from));
    return std::is_signed_v<T> ? v : hn::Xor(v, hn::Set(d, std::numeric_limits<K>::min()));
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

// Puts keys behind those that they are not above, which come before them: what they are above moves down, so that
// equal ones stay in order. There are `held` of k so far.
template <class D, class K>
HWY_INLINE void insert(D d, hn::Vec<D> key, K row_number, std::int64_t held, std::int64_t k, K* best, K* rows) {
  const auto row = hn::Set(d, row_number);
  std::int64_t j = held < k ? held : k - 1;
  auto moves = held < k ? hn::Eq(row, row) : hn::Gt(key, hn::LoadU(d, best + j * 16));
  for (; j > 0; --j) {
    K *to = best + j * 16, *to_row = rows + j * 16;
    const auto above = hn::LoadU(d, to - 16);
    const auto moves_above = hn::Gt(key, above);
    const auto next = hn::IfThenElse(moves_above, above, key);
    const auto next_row = hn::IfThenElse(moves_above, hn::LoadU(d, to_row - 16), row);
    // What was never written is not kept.
    hn::StoreU(j == held ? next : hn::IfThenElse(moves, next, hn::LoadU(d, to)), d, to);
    hn::StoreU(j == held ? next_row : hn::IfThenElse(moves, next_row, hn::LoadU(d, to_row)), d, to_row);
    moves = moves_above;
    if (hn::AllFalse(d, moves)) return;
  }
  hn::StoreU(held == 0 ? key : hn::IfThenElse(moves, key, hn::LoadU(d, best)), d, best);
  hn::StoreU(held == 0 ? row : hn::IfThenElse(moves, row, hn::LoadU(d, rows)), d, rows);
}
template <class T>
void best(const void* x_data, std::int64_t n, std::int64_t stride, std::int64_t columns, bool reversed, std::int64_t k,
          void* keys_data, void* rows_data) {
  using K = KeyOf<T>;
  const hn::CappedTag<K, 16> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(x_data);
  K *all = static_cast<K*>(keys_data), *all_rows = static_cast<K*>(rows_data);
  const auto turn = hn::Set(d, reversed ? K{-1} : K{0});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < columns; c += lanes) {
      const auto key = hn::Xor(load_keys(d, x + i * stride + c), turn);
      const std::int64_t at = c / 16 * 16 * k + c % 16;
      if (i >= k && hn::AllFalse(d, hn::Gt(key, hn::LoadU(d, all + at + (k - 1) * 16)))) continue;
      insert(d, key, static_cast<K>(i), i, k, all + at, all_rows + at);
    }
}

template <class T>
TopKLoops loops_of() {
  return {keys<T>, maxima<KeyOf<T>>, not_below<KeyOf<T>>, best<T>};
}

}  // namespace top

TopKLoops find_topk_loops(DataType type) {
  using namespace top;
  switch (type) {
    case DataType::Float: return loops_of<float>();
    case DataType::Double: return loops_of<double>();
    case DataType::Float16: return loops_of<Half>();
    case DataType::BFloat16: return loops_of<BHalf>();
    case DataType::Int8: return loops_of<std::int8_t>();
    case DataType::Int16: return loops_of<std::int16_t>();
    case DataType::Int32: return loops_of<std::int32_t>();
    case DataType::Int64: return loops_of<std::int64_t>();
    case DataType::Uint8: return loops_of<std::uint8_t>();
    case DataType::Uint16: return loops_of<std::uint16_t>();
    case DataType::Uint32: return loops_of<std::uint32_t>();
    case DataType::Uint64: return loops_of<std::uint64_t>();
    default: return {};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_topk_loops);

TopKLoops topk_loops(DataType type) { return HWY_DYNAMIC_DISPATCH(find_topk_loops)(type); }

}  // namespace norn::kernels
#endif
