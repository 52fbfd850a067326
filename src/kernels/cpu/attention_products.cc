// Attention as two products for each head, with all scores of a block of queries between them: what goes by blocks of
// keys or by single queries does not take, which is double and probabilities that are given out.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/division.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace attention_products_cc {
namespace {

constexpr std::int64_t kRows = 64;  // queries that are done together

template <class T>
class ProductAttention final : public Kernel {
 public:
  explicit ProductAttention(const AttentionConfig& c)
      : c_(c),
        loops_(product_loops<T>()),
        exp_(typed_function(TypedOp::Exp, kType)),
        tanh_(typed_function(TypedOp::Tanh, kType)) {
    const double products = static_cast<double>(c.rows * c.total()) * static_cast<double>(c.size + c.v_size);
    pieces_ = piece_count(c.batch * c.heads, products * (sizeof(T) == 8 ? 0.04 : 0.02));
    const auto panels = [this](std::int64_t n) { return (n + loops_.width - 1) / loops_.width * loops_.width; };
    keys_ = panels(c.total()) * c.size;
    values_ = panels(c.v_size) * c.total();
    const std::int64_t aligned = 64 / sizeof(T);
    scores_ = (std::min(kRows, c.rows) * c.total() + aligned - 1) / aligned * aligned;
    piece_ = keys_ + values_ + 2 * scores_;
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(pieces_ * piece_) * sizeof(T); }

  void run(void* const* operands, void* scratch) const override {
    const Operands o(operands);
    const std::int64_t heads = c_.batch * c_.heads;
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      T* work = static_cast<T*>(scratch) + piece * piece_;
      for (auto [h, last_h] = base::part_of(heads, pieces_, piece); h < last_h; ++h) head(o, h, work);
    });
    if (!c_.gives_present) return;
    const std::int64_t kv_heads = c_.batch * c_.kv_heads;
    const double elements = static_cast<double>(c_.total()) * static_cast<double>(c_.size + c_.v_size);
    parallel_ranges(kv_heads, elements * 0.2, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t h = begin; h < end; ++h) {
        keep(o.past_k, o.k, c_.k, h, c_.size, o.present_k);
        keep(o.past_v, o.v, c_.v, h, c_.v_size, o.present_v);
      }
    });
  }

 private:
  static constexpr DataType kType = std::is_same_v<T, double> ? DataType::Double : DataType::Float;
  static constexpr T kHidden = -std::numeric_limits<T>::infinity();

  struct Operands {
    explicit Operands(void* const* p)
        : q(static_cast<const T*>(p[0])),
          k(static_cast<const T*>(p[1])),
          v(static_cast<const T*>(p[2])),
          mask(p[3]),
          past_k(static_cast<const T*>(p[4])),
          past_v(static_cast<const T*>(p[5])),
          lengths(static_cast<const std::int64_t*>(p[6])),
          y(static_cast<T*>(p[8])),
          present_k(static_cast<T*>(p[9])),
          present_v(static_cast<T*>(p[10])),
          scores(static_cast<T*>(p[11])) {}
    const T *q, *k, *v;
    const void* mask;
    const T *past_k, *past_v;
    const std::int64_t* lengths;
    T *y, *present_k, *present_v, *scores;
  };
  struct Range {
    std::int64_t low, high;
  };

  void head(const Operands& o, std::int64_t h, T* work) const {
    const std::int64_t batch = h / c_.heads, head = h % c_.heads, kv = head / (c_.heads / c_.kv_heads);
    T *keys = work, *values = keys + keys_, *scores = values + values_, *shares = scores + scores_;
    pack(o, batch, kv, keys, values);
    const auto& width = loops_.width;
    for (std::int64_t first = 0; first < c_.rows; first += kRows) {
      const std::int64_t rows = std::min(kRows, c_.rows - first);
      // Keys that a place hides from all of these queries have no part in it.
      Range all{c_.total(), 0};
      for (std::int64_t r = 0; r < rows; ++r) {
        const Range seen = seen_by(o, batch, first + r);
        if (seen.low >= seen.high) continue;
        all = {std::min(all.low, seen.low / width * width), std::max(all.high, seen.high)};
      }
      if (c_.scores_stage >= 0) all = {0, c_.total()};
      const std::int64_t n = std::max<std::int64_t>(0, all.high - all.low);
      if (n > 0)
        loops_.multiply(rows, n, c_.size, o.q + batch * c_.q[0] + head * c_.q[1] + first * c_.q[2], c_.q[2], c_.q[3],
                        keys + all.low * c_.size, c_.size * width, width, scores, n, false);
      for (std::int64_t r = 0; r < rows; ++r)
        weigh(o, {batch, head, first + r}, {all.low, all.low + n}, scores + r * n, shares + r * n);
      const std::int64_t row = c_.y_by_rows ? (batch * c_.rows + first) * c_.heads + head : h * c_.rows + first;
      T* y = o.y + row * c_.v_size;
      const std::int64_t y_row = c_.y_by_rows ? c_.heads * c_.v_size : c_.v_size;
      if (n > 0)
        loops_.multiply(rows, c_.v_size, n, shares, n, 1, values + all.low * width, c_.total() * width, width, y, y_row,
                        false);
      else
        for (std::int64_t r = 0; r < rows; ++r) std::fill_n(y + r * y_row, c_.v_size, T{0});
    }
  }

  // Keys as columns and values as rows, in panels; those of the cache come first.
  void pack(const Operands& o, std::int64_t batch, std::int64_t kv, T* keys, T* values) const {
    const std::int64_t width = loops_.width, at = batch * c_.kv_heads + kv;
    const T* k = o.k + batch * c_.k[0] + kv * c_.k[1];
    const T* v = o.v + batch * c_.v[0] + kv * c_.v[1];
    const std::int64_t key_panels = (c_.total() + width - 1) / width, value_panels = (c_.v_size + width - 1) / width;
    if (c_.past == 0) {
      pack_product_panels(k, c_.k[3], c_.k[2], c_.size, c_.total(), width, 0, key_panels, keys);
      pack_product_panels(v, c_.v[2], c_.v[3], c_.total(), c_.v_size, width, 0, value_panels, values);
      return;
    }
    const T* past_k = o.past_k + at * c_.past * c_.size;
    const T* past_v = o.past_v + at * c_.past * c_.v_size;
    std::fill_n(keys, keys_, T{0});
    for (std::int64_t j = 0; j < c_.total(); ++j) {
      const T* from = j < c_.past ? past_k + j * c_.size : k + (j - c_.past) * c_.k[2];
      const std::int64_t step = j < c_.past ? 1 : c_.k[3];
      T* to = keys + j / width * width * c_.size + j % width;
      for (std::int64_t d = 0; d < c_.size; ++d) to[d * width] = from[d * step];
    }
    std::fill_n(values, values_, T{0});
    for (std::int64_t j = 0; j < c_.total(); ++j) {
      const T* from = j < c_.past ? past_v + j * c_.v_size : v + (j - c_.past) * c_.v[2];
      const std::int64_t step = j < c_.past ? 1 : c_.v[3];
      for (std::int64_t d = 0; d < c_.v_size; ++d)
        values[d / width * width * c_.total() + j * width + d % width] = from[d * step];
    }
  }

  // The keys that their places let a query see.
  Range seen_by(const Operands& o, std::int64_t batch, std::int64_t query) const {
    const std::int64_t length =
        o.lengths == nullptr ? 0 : std::clamp<std::int64_t>(o.lengths[batch], -kMostExtent, kMostExtent);
    const std::int64_t place = query + (o.lengths != nullptr && o.past_k == nullptr ? length - c_.rows : c_.past);
    Range seen{0, c_.total()};
    if (c_.causal) seen.high = std::min(seen.high, place + 1);
    if (c_.right_window >= 0) seen.high = std::min(seen.high, place + c_.right_window + 1);
    if (c_.left_window >= 0) seen.low = std::max(seen.low, place - c_.left_window);
    if (c_.lengths) seen.high = std::min(seen.high, length);
    return {std::clamp<std::int64_t>(seen.low, 0, c_.total()), std::clamp<std::int64_t>(seen.high, 0, c_.total())};
  }

  struct Query {
    std::int64_t batch, head, row;
  };
  // From the products of a query with the keys of the range to what it takes of their values.
  void weigh(const Operands& o, const Query& query, const Range& range, T* s, T* shares) const {
    const std::int64_t n = range.high - range.low;
    if (n <= 0) return;
    const auto give = [&](int stage, const T* from) {
      if (c_.scores_stage != stage) return;
      const std::int64_t row = (query.batch * c_.heads + query.head) * c_.rows + query.row;
      std::memcpy(o.scores + row * c_.total(), from, static_cast<std::size_t>(n) * sizeof(T));
    };
    const T scale = static_cast<T>(c_.scale);
    for (std::int64_t j = 0; j < n; ++j) s[j] *= scale;
    give(0, s);
    if (c_.softcap > 0) {
      const T cap = static_cast<T>(c_.softcap);
      for (std::int64_t j = 0; j < n; ++j) s[j] /= cap;
      tanh_(s, nullptr, shares, n, 0, 0);
      for (std::int64_t j = 0; j < n; ++j) s[j] = cap * shares[j];
    }
    give(1, s);
    if (c_.mask != AttentionMask::None) {
      const HeadStrides& by = c_.mask_strides;
      const std::int64_t known = std::clamp<std::int64_t>(c_.mask_keys - range.low, 0, n), step = by[3];
      const std::int64_t at = query.batch * by[0] + query.head * by[1] + query.row * by[2] + range.low * step;
      if (c_.mask == AttentionMask::Summands) {
        const T* summands = static_cast<const T*>(o.mask) + at;
        for (std::int64_t j = 0; j < known; ++j) s[j] += summands[j * step];
      } else {
        const auto* flags = static_cast<const std::uint8_t*>(o.mask) + at;
        for (std::int64_t j = 0; j < known; ++j) s[j] = flags[j * step] != 0 ? s[j] : kHidden;
      }
      std::fill(s + known, s + n, kHidden);
    }
    if (c_.by_place()) {
      const Range seen = seen_by(o, query.batch, query.row);
      std::fill(s, s + std::clamp<std::int64_t>(seen.low - range.low, 0, n), kHidden);
      std::fill(s + std::clamp<std::int64_t>(seen.high - range.low, 0, n), s + n, kHidden);
    }
    give(2, s);
    const T top = top_of(s, n);
    if (top == kHidden && c_.biased()) {
      std::fill_n(shares, n, T{0});
    } else {
      for (std::int64_t j = 0; j < n; ++j) s[j] -= top;
      exp_(s, nullptr, shares, n, 0, 0);
      const T by = static_cast<T>(1 / sum_of(shares, n));
      for (std::int64_t j = 0; j < n; ++j) shares[j] *= by;
    }
    give(3, shares);
  }

  // In lanes, which the compiler makes vectors of. A NaN stays.
  static T top_of(const T* x, std::int64_t n) {
    constexpr std::int64_t kLanes = 16;
    T tops[kLanes];
    std::fill_n(tops, kLanes, kHidden);
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
      for (std::int64_t l = 0; l < kLanes; ++l)
        tops[l] = tops[l] >= x[j + l] || tops[l] != tops[l] ? tops[l] : x[j + l];
    for (; j < n; ++j) tops[0] = tops[0] >= x[j] || tops[0] != tops[0] ? tops[0] : x[j];
    for (std::int64_t l = 1; l < kLanes; ++l) tops[0] = tops[0] >= tops[l] || tops[0] != tops[0] ? tops[0] : tops[l];
    return tops[0];
  }
  static double sum_of(const T* x, std::int64_t n) {
    constexpr std::int64_t kLanes = 16;
    double sums[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
      for (std::int64_t l = 0; l < kLanes; ++l) sums[l] += static_cast<double>(x[j + l]);
    for (; j < n; ++j) sums[0] += static_cast<double>(x[j]);
    for (std::int64_t l = 1; l < kLanes; ++l) sums[0] += sums[l];
    return sums[0];
  }

  void keep(const T* past, const T* fresh, const HeadStrides& strides, std::int64_t head, std::int64_t size,
            T* to) const {
    if (to == nullptr) return;
    to += head * c_.total() * size;
    if (c_.past > 0) to = std::copy_n(past + head * c_.past * size, c_.past * size, to);
    fresh += head / c_.kv_heads * strides[0] + head % c_.kv_heads * strides[1];
    for (std::int64_t s = 0; s < c_.keys; ++s, to += size, fresh += strides[2])
      for (std::int64_t d = 0; d < size; ++d) to[d] = fresh[d * strides[3]];
  }

  const AttentionConfig c_;
  const ProductLoops<T> loops_;
  const TypedLoop exp_, tanh_;
  std::int64_t pieces_ = 1, keys_ = 0, values_ = 0, scores_ = 0, piece_ = 0;  // elements
};

}  // namespace
}  // namespace attention_products_cc

std::string product_attention_refuses(const AttentionConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "computes float and double, not " + std::string(data_type_name(c.type));
  if (c.bias || c.mask == AttentionMask::Choice || c.blind_is_nan || c.nan_is_zero)
    return "takes a mask of flags or summands alone";
  if (!bounded_product({c.total() + kRows, c.size + c.v_size + 2 * kRows, kRows, 8}))
    return "heads larger than any memory";
  return "";
}
std::unique_ptr<Kernel> make_product_attention(const AttentionConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<ProductAttention<double>>(c);
  return std::make_unique<ProductAttention<float>>(c);
}

}  // namespace norn::kernels
