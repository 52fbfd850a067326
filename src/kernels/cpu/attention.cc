// Two ways. Many queries of one head go in blocks: their scores for a block of keys are computed and used while they
// lie in the cache, with the maximum and the sum so far kept for each query. A few queries, as a step of decoding has
// them, read keys and values once where they lie.
//
// Queries that share a key head are rows of one product, the heads of a group one behind the other.
#include "kernels/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/separable.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/thin.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {
inline namespace attention_cc {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
// Rows of queries up to which keys are read once for each: a block takes as long for any number of them.
constexpr std::int64_t kFewRows = 6, kFewShortRows = 4, kFewNarrowRows = 8;  // the latter with vectors of 8 floats
constexpr std::int64_t kShort = 16;                                          // elements of a short one

// Keys and values of one head that lie evenly.
struct Stretch {
  const float *k, *v;
  std::int64_t k_row, k_column, v_row, v_column;
  std::int64_t first, count;  // the keys' numbers
};

class Attention : public Kernel {
 public:
  explicit Attention(const AttentionConfig& c, std::int64_t block)
      : c_(c),
        scale_(static_cast<float>(c.scale)),
        softcap_(static_cast<float>(c.softcap)),
        group_(c.heads / c.kv_heads),
        group_rows_(group_ * c.rows),
        block_(std::min(block, group_rows_)) {
    blocks_ = (group_rows_ + block_ - 1) / block_;
    jobs_ = c.batch * c.kv_heads * blocks_;
    const double products = static_cast<double>(c.total()) * static_cast<double>(c.size + c.v_size);
    pieces_ = piece_count(jobs_, std::max(static_cast<double>(block_) * products * 0.012, products * 0.1));
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(pieces_ * piece_floats_) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    Operands o(operands);
    if (c_.gives_present) keep_present(o);
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      float* work = static_cast<float*>(scratch) + piece * piece_floats_;
      for (auto [j, last_j] = base::part_of(jobs_, pieces_, piece); j < last_j; ++j) {
        const auto [head, block] = base::divide(j, blocks_);
        const auto [batch, kv_head] = base::divide(head, c_.kv_heads);
        const std::int64_t first = block * block_;
        job(o, {batch, kv_head, first, std::min(block_, group_rows_ - first)}, work);
      }
    });
  }

 protected:
  struct Operands {
    explicit Operands(void* const* p)
        : q(static_cast<const float*>(p[0])),
          k(static_cast<const float*>(p[1])),
          v(static_cast<const float*>(p[2])),
          mask(p[3]),
          past_k(static_cast<const float*>(p[4])),
          past_v(static_cast<const float*>(p[5])),
          lengths(static_cast<const std::int64_t*>(p[6])),
          bias(static_cast<const float*>(p[7])),
          y(static_cast<float*>(p[8])),
          present_k(static_cast<float*>(p[9])),
          present_v(static_cast<float*>(p[10])),
          scores(static_cast<float*>(p[11])) {}
    const float *q, *k, *v;
    const void* mask;
    const float *past_k, *past_v;
    const std::int64_t* lengths;
    const float* bias;
    float *y, *present_k, *present_v, *scores;
  };
  // Rows of a key head.
  struct Rows {
    std::int64_t batch, kv_head, first, count;
  };
  struct Range {
    std::int64_t low, high;
  };

  virtual void job(const Operands& o, const Rows& rows, float* work) const = 0;

  std::int64_t head_of(const Rows& rows, std::int64_t r) const {
    return rows.kv_head * group_ + base::quotient(rows.first + r, c_.rows);
  }
  std::int64_t query_of(const Rows& rows, std::int64_t r) const { return base::divide(rows.first + r, c_.rows).rest; }
  const float* q_at(const Operands& o, const Rows& rows, std::int64_t r) const {
    return o.q + rows.batch * c_.q[0] + head_of(rows, r) * c_.q[1] + query_of(rows, r) * c_.q[2];
  }
  float* y_at(const Operands& o, const Rows& rows, std::int64_t r) const {
    const std::int64_t head = head_of(rows, r), query = query_of(rows, r);
    const std::int64_t row = c_.y_by_rows ? (rows.batch * c_.rows + query) * c_.heads + head
                                          : (rows.batch * c_.heads + head) * c_.rows + query;
    return o.y + row * c_.v_size;
  }
  // Where the row's part of a mask or bias begins.
  std::int64_t mask_at(const HeadStrides& strides, const Rows& rows, std::int64_t r) const {
    return rows.batch * strides[0] + head_of(rows, r) * strides[1] + query_of(rows, r) * strides[2];
  }
  bool shows(std::uint8_t flag) const { return (flag != 0) != c_.flags_hide; }
  float hidden_score() const { return c_.mask == AttentionMask::Flags ? kHidden : c_.hidden; }
  // The keys that their places let the row see.
  Range seen_by(const Operands& o, const Rows& rows, std::int64_t r) const {
    const std::int64_t length =
        o.lengths == nullptr ? 0 : std::clamp<std::int64_t>(o.lengths[rows.batch], -kMostExtent, kMostExtent);
    const std::int64_t place =
        query_of(rows, r) + (o.lengths != nullptr && o.past_k == nullptr ? length - c_.rows : c_.past);
    Range seen{0, c_.total()};
    if (c_.causal) seen.high = std::min(seen.high, place + 1);
    if (c_.right_window >= 0) seen.high = std::min(seen.high, place + c_.right_window + 1);
    if (c_.left_window >= 0) seen.low = std::max(seen.low, place - c_.left_window);
    if (c_.lengths) seen.high = std::min(seen.high, length);
    seen.high = std::clamp<std::int64_t>(seen.high, 0, c_.total());
    seen.low = std::clamp<std::int64_t>(seen.low, 0, c_.total());
    return seen;
  }
  Range seen_by_any(const Operands& o, const Rows& rows) const {
    if (!c_.by_place()) return {0, c_.total()};
    Range any{c_.total(), 0};
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Range one = seen_by(o, rows, r);
      if (one.low >= one.high) continue;
      any.low = std::min(any.low, one.low);
      any.high = std::max(any.high, one.high);
    }
    return any;
  }

  // What lies evenly of a head's keys and values within the range.
  int stretches(const Operands& o, const Rows& rows, const Range& range, Stretch* all) const {
    const std::int64_t head = rows.batch * c_.kv_heads + rows.kv_head;
    int count = 0;
    const auto add = [&](const float* k, const HeadStrides& ks, const float* v, const HeadStrides& vs,
                         std::int64_t first, std::int64_t keys) {
      const std::int64_t low = std::max(range.low, first), high = std::min(range.high, first + keys);
      if (low >= high) return;
      all[count++] = {k + rows.batch * ks[0] + rows.kv_head * ks[1] + (low - first) * ks[2],
                      v + rows.batch * vs[0] + rows.kv_head * vs[1] + (low - first) * vs[2],
                      ks[2],
                      ks[3],
                      vs[2],
                      vs[3],
                      low,
                      high - low};
    };
    const auto dense = [&](const float* k, const float* v, std::int64_t keys) {
      add(k + head * keys * c_.size, {0, 0, c_.size, 1}, v + head * keys * c_.v_size, {0, 0, c_.v_size, 1}, 0, keys);
    };
    if (c_.past > 0 && c_.gives_present) {
      dense(o.present_k, o.present_v, c_.total());
      return count;
    }
    if (c_.past > 0) dense(o.past_k, o.past_v, c_.past);
    add(o.k, c_.k, o.v, c_.v, c_.past, c_.keys);
    return count;
  }

  const AttentionConfig c_;
  const float scale_, softcap_;
  const std::int64_t group_, group_rows_, block_;
  std::int64_t blocks_ = 1, jobs_ = 1, pieces_ = 1;
  std::int64_t piece_floats_ = 0;  // of scratch

 private:
  void keep_present(const Operands& o) const {
    const std::int64_t heads = c_.batch * c_.kv_heads;
    const double floats = static_cast<double>(c_.total()) * static_cast<double>(c_.size + c_.v_size);
    parallel_ranges(heads, floats * 0.1, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t h = begin; h < end; ++h) {
        keep_one(o.past_k, o.k, c_.k, h, c_.size, o.present_k);
        keep_one(o.past_v, o.v, c_.v, h, c_.v_size, o.present_v);
      }
    });
  }
  void keep_one(const float* past, const float* fresh, const HeadStrides& strides, std::int64_t head, std::int64_t size,
                float* to) const {
    if (to == nullptr) return;
    to += head * c_.total() * size;
    if (c_.past > 0) {
      const std::int64_t floats = c_.past * size;
      std::memcpy(to, past + head * floats, static_cast<std::size_t>(floats) * sizeof(float));
      to += floats;
    }
    fresh += head / c_.kv_heads * strides[0] + head % c_.kv_heads * strides[1];
    for (std::int64_t s = 0; s < c_.keys; ++s, to += size, fresh += strides[2]) {
      if (strides[3] == 1)
        std::memcpy(to, fresh, static_cast<std::size_t>(size) * sizeof(float));
      else
        for (std::int64_t d = 0; d < size; ++d) to[d] = fresh[d * strides[3]];
    }
  }
};

class BlockAttention final : public Attention {
 public:
  explicit BlockAttention(const AttentionConfig& c)
      : Attention(c, kAttentionRows),
        gemm_(gemm_table()),
        table_(attention_table()),
        keys_(std::min(kKeys, c.total())),
        v_width_(round_up(c.v_size, gemm_.width)) {
    // Queries; scores; the sum so far and a part of it; panels of values; top, sum and factor of each query.
    const std::int64_t parts[] = {c.size * kAttentionRows,   keys_ * kAttentionRows, kAttentionRows * c.v_size,
                                  kAttentionRows * c.v_size, keys_ * v_width_,       3 * kAttentionRows};
    for (const std::int64_t part : parts) piece_floats_ += round_up(part, 16);
  }

 private:
  static constexpr std::int64_t kKeys = 256;

  void job(const Operands& o, const Rows& rows, float* work) const override {
    const auto take = [&](std::int64_t floats) {
      float* at = work;
      work += round_up(floats, 16);
      return at;
    };
    float* queries = take(c_.size * kAttentionRows);
    float* scores = take(keys_ * kAttentionRows);
    float* sum = take(kAttentionRows * c_.v_size);
    float* part = take(kAttentionRows * c_.v_size);
    float* values = take(keys_ * v_width_);
    float* top = take(3 * kAttentionRows);
    float *total = top + kAttentionRows, *factor = total + kAttentionRows;
    std::fill_n(top, kAttentionRows, kHidden);
    std::fill_n(total, kAttentionRows, 0.0f);
    pack_queries(o, rows, queries);
    alignas(64) std::int32_t low[kAttentionRows] = {}, high[kAttentionRows] = {};
    Range all{0, c_.total()}, each{0, c_.total()};  // seen by any row, and by all of them
    if (c_.by_place()) {
      if (c_.scores_stage < 0) all = seen_by_any(o, rows);
      for (std::int64_t r = 0; r < rows.count; ++r) {
        const Range seen = seen_by(o, rows, r);
        low[r] = static_cast<std::int32_t>(seen.low);
        high[r] = static_cast<std::int32_t>(seen.high);
        each = {std::max(each.low, seen.low), std::min(each.high, seen.high)};
      }
    }
    Stretch found[2];
    const int count = stretches(o, rows, all, found);
    float *y[kAttentionRows], *sum_rows[kAttentionRows], *part_rows[kAttentionRows];
    for (std::int64_t r = 0; r < rows.count; ++r) {
      y[r] = y_at(o, rows, r);
      sum_rows[r] = sum + r * c_.v_size;
      part_rows[r] = part + r * c_.v_size;
    }
    // Where all keys are one block, what is weighed is the output.
    const bool only = count == 1;
    bool begun = false, done = false;
    for (const Stretch& stretch : std::span(found, static_cast<std::size_t>(count))) {
      for (std::int64_t at = 0; at < stretch.count; at += keys_) {
        const std::int64_t keys = std::min(keys_, stretch.count - at), first = stretch.first + at;
        table_.multiply(keys, c_.size, stretch.k + at * stretch.k_row, stretch.k_row, stretch.k_column, queries, scores,
                        rows.count);
        give(o, 0, rows, first, keys, scores);
        if (softcap_ > 0) cap(scores, keys * kAttentionRows);
        give(o, 1, rows, first, keys, scores);
        if (c_.bias && !c_.bias_behind) add_summands(o.bias, c_.bias_strides, keys, rows, first, scores);
        if (c_.mask != AttentionMask::None) add_mask(o, rows, first, keys, scores);
        if (c_.bias && c_.bias_behind) add_summands(o.bias, c_.bias_strides, keys, rows, first, scores);
        if (first < each.low || first + keys > each.high) table_.hide(scores, keys, first, low, high, rows.count);
        give(o, 2, rows, first, keys, scores);
        table_.softmax(scores, keys, top, total, factor, c_.biased(), rows.count);
        const bool last = !begun && only && at + keys == stretch.count;
        if (last) reciprocals(total, rows.count, factor);
        const Weighing w{rows.count, keys, scores, last ? y : begun ? part_rows : sum_rows, last ? factor : nullptr};
        weigh(w, stretch, at, values);
        if (last) done = true;
        if (begun) table_.combine(sum, part, factor, rows.count, c_.v_size);
        begun = true;
      }
    }
    for (std::int64_t r = 0; r < rows.count; ++r) {
      // No key was seen.
      const bool none = !begun || (c_.biased() && total[r] == 0);
      const float by = 1.0f / total[r];
      if (c_.nan_is_zero && std::isnan(total[r]))
        std::fill_n(y[r], c_.v_size, 0.0f);
      else if (none)
        std::fill_n(y[r], c_.v_size, c_.blind_is_nan ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
      else if (!done)
        step_table_f32()(ElementOp::Mul, Right::Value)(sum_rows[r], &by, y[r], c_.v_size, 0, 0);
    }
  }

  static void reciprocals(const float* of, std::int64_t n, float* to) {
    for (std::int64_t r = 0; r < n; ++r) to[r] = 1.0f / of[r];
  }

  struct Weighing {
    std::int64_t rows, keys;
    const float* scores;
    float* const* y;
    const float* by;
  };
  // Values from the stretch's key `at` on; `panels` is memory for those whose columns are apart.
  void weigh(const Weighing& w, const Stretch& stretch, std::int64_t at, float* panels) const {
    const float* v = stretch.v + at * stretch.v_row;
    if (stretch.v_column == 1) return table_.weigh(w.rows, w.keys, c_.v_size, w.scores, v, stretch.v_row, w.y, 0, w.by);
    const std::int64_t width = gemm_.width;
    pack_panels(v, stretch.v_row, stretch.v_column, w.keys, c_.v_size, 0, v_width_ / width, panels);
    for (std::int64_t d = 0; d < c_.v_size; d += width)
      table_.weigh(w.rows, w.keys, std::min(width, c_.v_size - d), w.scores, panels + d * w.keys, width, w.y, d, w.by);
  }

  void pack_queries(const Operands& o, const Rows& rows, float* to) const {
    const float* from[kAttentionRows];
    for (std::int64_t r = 0; r < rows.count; ++r) from[r] = q_at(o, rows, r);
    table_.pack(from, c_.q[3], rows.count, c_.size, scale_, to);
  }

  void cap(float* scores, std::int64_t n) const {
    const StepTableF32& steps = step_table_f32();
    steps(ElementOp::Div, Right::Value)(scores, &softcap_, scores, n, 0, 0);
    steps(ElementOp::Tanh)(scores, nullptr, scores, n, 0, 0);
    steps(ElementOp::Mul, Right::Value)(scores, &softcap_, scores, n, 0, 0);
  }

  // Whether all rows have the same line of a mask or bias.
  bool one_line(const HeadStrides& strides) const {
    return (strides[1] == 0 || group_ == 1) && (strides[2] == 0 || c_.rows == 1);
  }
  static constexpr std::int64_t kAtOnce = 16;  // keys whose scores stay in the first cache

  // `keys` scores from the key `first` on.
  void add_summands(const float* summands, const HeadStrides& strides, std::int64_t keys, const Rows& rows,
                    std::int64_t first, float* scores) const {
    const std::int64_t step = strides[3], at = first * step;
    if (one_line(strides))
      return table_.add_column(scores, keys, summands + mask_at(strides, rows, 0) + at, step, rows.count);
    const float* lines[kAttentionRows];
    for (std::int64_t r = 0; r < rows.count; ++r) lines[r] = summands + mask_at(strides, rows, r) + at;
    if (step == 1) return table_.add_rows(scores, keys, lines, rows.count);
    for (std::int64_t j = 0; j < keys; j += kAtOnce)
      for (std::int64_t r = 0; r < rows.count; ++r)
        for (std::int64_t i = j; i < std::min(keys, j + kAtOnce); ++i)
          scores[i * kAttentionRows + r] += lines[r][i * step];
  }

  void add_mask(const Operands& o, const Rows& rows, std::int64_t first, std::int64_t keys, float* scores) const {
    const std::int64_t known = std::clamp<std::int64_t>(c_.mask_keys - first, 0, keys);
    if (c_.mask == AttentionMask::Summands)
      add_summands(static_cast<const float*>(o.mask), c_.mask_strides, known, rows, first, scores);
    else
      take_flags(static_cast<const std::uint8_t*>(o.mask), rows, first, known, scores);
    std::fill(scores + known * kAttentionRows, scores + keys * kAttentionRows, kHidden);
  }

  void take_flags(const std::uint8_t* flags, const Rows& rows, std::int64_t first, std::int64_t keys,
                  float* scores) const {
    const std::int64_t step = c_.mask_strides[3], at = first * step;
    const float hidden = hidden_score();
    if (one_line(c_.mask_strides)) {
      const std::uint8_t* line = flags + mask_at(c_.mask_strides, rows, 0) + at;
      for (std::int64_t j = 0; j < keys; ++j) {
        if (shows(line[j * step])) continue;
        float* column = scores + j * kAttentionRows;
        std::fill_n(column, kAttentionRows, hidden);
      }
      return;
    }
    alignas(64) std::uint8_t turned[kAtOnce * kAttentionRows] = {};
    const std::int64_t down = c_.mask_strides[2];
    for (std::int64_t j = 0; j < keys; j += kAtOnce) {
      const std::int64_t n = std::min(keys - j, kAtOnce);
      for (std::int64_t r = 0, same_head; r < rows.count; r += same_head) {
        same_head = std::min(rows.count - r, c_.rows - query_of(rows, r));
        const std::uint8_t* from = flags + mask_at(c_.mask_strides, rows, r) + at + j * step;
        if (step == 1) {
          bytes_.block(from, down, turned + r, kAttentionRows, same_head, n);
          continue;
        }
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t q = 0; q < same_head; ++q) turned[i * kAttentionRows + r + q] = from[q * down + i * step];
      }
      table_.choose(scores + j * kAttentionRows, n, turned, c_.flags_hide, hidden, rows.count);
    }
  }

  // Scores of a stage that are given out; the rows' lines lie behind each other.
  void give(const Operands& o, int stage, const Rows& rows, std::int64_t first, std::int64_t keys,
            const float* scores) const {
    if (c_.scores_stage != stage) return;
    const std::int64_t row = (rows.batch * c_.kv_heads + rows.kv_head) * group_rows_ + rows.first;
    floats_.block(scores, kAttentionRows, o.scores + row * c_.total() + first, c_.total(), keys, rows.count);
  }

  const GemmTable& gemm_;
  const AttentionTable& table_;
  const TransposeLoops bytes_ = transpose_loops(1), floats_ = transpose_loops(sizeof(float));
  const std::int64_t keys_, v_width_;
};

class RowAttention final : public Attention {
 public:
  explicit RowAttention(const AttentionConfig& c) : Attention(c, kThinRows), thin_(thin_table()) {
    piece_floats_ =
        round_up(kThinRows * c.size, 16) + round_up(kThinRows * c.total(), 16) + 2 * round_up(kThinRows * c.v_size, 16);
  }

 private:
  void job(const Operands& o, const Rows& rows, float* work) const override {
    float* queries = work;
    float* scores = queries + round_up(kThinRows * c_.size, 16);
    float* sum = scores + round_up(kThinRows * c_.total(), 16);
    float* part = sum + round_up(kThinRows * c_.v_size, 16);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const float* q = q_at(o, rows, r);
      for (std::int64_t d = 0; d < c_.size; ++d) queries[r * c_.size + d] = q[d * c_.q[3]] * scale_;
    }
    // All keys' scores are wanted if any are given.
    const Range range = c_.scores_stage >= 0 ? Range{0, c_.total()} : seen_by_any(o, rows);
    const std::int64_t keys = std::max<std::int64_t>(0, range.high - range.low);
    Stretch found[2];
    const int count = stretches(o, rows, range, found);
    const std::span all(found, static_cast<std::size_t>(count));
    for (const Stretch& s : all) {
      float* to = scores + s.first - range.low;
      if (s.k_column == 1)
        thin_.by_columns(rows.count, s.count, c_.size, queries, c_.size, s.k, s.k_row, to, keys, nullptr, 1.0f);
      else
        thin_.by_rows(rows.count, s.count, c_.size, queries, c_.size, 1, s.k, s.k_column, to, keys, nullptr, 1.0f);
    }
    if (keys > 0) weigh(o, rows, range, scores);
    std::fill_n(sum, rows.count * c_.v_size, 0.0f);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Stretch& s = all[i];
      thin_.by_rows(rows.count, c_.v_size, s.count, scores + s.first - range.low, keys, 1, s.v, s.v_row,
                    i == 0 ? sum : part, c_.v_size, nullptr, 1.0f);
      if (i > 0)
        for (std::int64_t d = 0; d < rows.count * c_.v_size; ++d) sum[d] += part[d];
    }
    for (std::int64_t r = 0; r < rows.count; ++r)
      std::memcpy(y_at(o, rows, r), sum + r * c_.v_size, static_cast<std::size_t>(c_.v_size) * sizeof(float));
  }

  // From all rows' scores, of the keys in `range`, to their probabilities.
  void weigh(const Operands& o, const Rows& rows, const Range& range, float* scores) const {
    constexpr int kMax = 2;  // of a ReduceTable
    const std::int64_t n = range.high - range.low;
    const auto each = [&](const auto& f) {
      for (std::int64_t r = 0; r < rows.count; ++r) f(r, scores + r * n);
    };
    each([&](std::int64_t r, float* s) { shape_scores(o, rows, r, range, s); });
    // Rows that see no key have no largest score to subtract.
    if (!c_.biased())
      row_table().softmax(scores, scores, rows.count, n, false);
    else
      each([&](std::int64_t, float* s) {
        if (reduce_table().row(kMax, s, n) == kHidden)
          std::fill_n(s, n, c_.blind_is_nan ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
        else
          row_table().softmax(s, s, 1, n, false);
      });
    // Where one probability is NaN, all are.
    if (c_.nan_is_zero)
      each([&](std::int64_t, float* s) {
        if (std::isnan(s[0])) std::fill_n(s, n, 0.0f);
      });
    each([&](std::int64_t r, float* s) { give_scores(o, rows, r, n, 3, s); });
  }

  // If scores of this stage are an output.
  void give_scores(const Operands& o, const Rows& rows, std::int64_t r, std::int64_t n, int stage,
                   const float* s) const {
    if (c_.scores_stage != stage) return;
    const std::int64_t row = (rows.batch * c_.heads + head_of(rows, r)) * c_.rows + query_of(rows, r);
    std::memcpy(o.scores + row * c_.total(), s, static_cast<std::size_t>(n) * sizeof(float));
  }

  // What goes over a row's scores before their softmax: cap, biases and masks.
  void shape_scores(const Operands& o, const Rows& rows, std::int64_t r, const Range& range, float* s) const {
    const std::int64_t n = range.high - range.low;
    const StepTableF32& steps = step_table_f32();
    const auto give = [&](int stage) { give_scores(o, rows, r, n, stage, s); };
    give(0);
    if (softcap_ > 0) {
      steps(ElementOp::Div, Right::Value)(s, &softcap_, s, n, 0, 0);
      steps(ElementOp::Tanh)(s, nullptr, s, n, 0, 0);
      steps(ElementOp::Mul, Right::Value)(s, &softcap_, s, n, 0, 0);
    }
    give(1);
    const auto add = [&](const float* line, std::int64_t step, std::int64_t count) {
      if (step == 1)
        steps(ElementOp::Add)(s, line, s, count, 0, 0);
      else
        for (std::int64_t j = 0; j < count; ++j) s[j] += line[j * step];
    };
    const auto add_bias = [&](bool behind) {
      const std::int64_t step = c_.bias_strides[3];
      if (c_.bias && c_.bias_behind == behind)
        add(o.bias + mask_at(c_.bias_strides, rows, r) + range.low * step, step, n);
    };
    add_bias(false);
    if (c_.mask != AttentionMask::None) {
      const std::int64_t known = std::clamp<std::int64_t>(c_.mask_keys - range.low, 0, n), step = c_.mask_strides[3];
      const std::int64_t at = mask_at(c_.mask_strides, rows, r) + range.low * step;
      const auto* flags = static_cast<const std::uint8_t*>(o.mask) + at;
      if (c_.mask == AttentionMask::Summands)
        add(static_cast<const float*>(o.mask) + at, step, known);
      else
        for (std::int64_t j = 0; j < known; ++j) s[j] = shows(flags[j * step]) ? s[j] : hidden_score();
      for (std::int64_t j = known; j < n; ++j) s[j] = kHidden;
    }
    add_bias(true);
    if (c_.by_place()) {
      const Range seen = seen_by(o, rows, r);
      for (std::int64_t j = range.low; j < std::min(seen.low, range.high); ++j) s[j - range.low] = kHidden;
      for (std::int64_t j = std::max(seen.high, range.low); j < range.high; ++j) s[j - range.low] = kHidden;
    }
    give(2);
  }

  const ThinTable& thin_;
};

std::string config_refuses(const AttentionConfig& c) {
  for (const std::int64_t d : {c.batch, c.heads, c.kv_heads, c.rows, c.size, c.v_size})
    if (d < 1) return "an empty tensor";
  if (c.keys < 0 || c.past < 0 || c.past > kMostExtent || c.keys > kMostExtent || c.total() < 1) return "no keys";
  if (c.heads % c.kv_heads != 0) return "heads that do not share keys evenly";
  if (c.total() > std::numeric_limits<std::int32_t>::max() / 4) return "more keys than 32 bits count";
  if (!bounded_product({c.batch, c.heads, c.rows, c.size}) || !bounded_product({c.batch, c.heads, c.rows, c.v_size}) ||
      !bounded_product({c.batch, c.heads, c.total(), c.size}) ||
      !bounded_product({c.batch, c.heads, c.total(), c.v_size}) ||
      (c.scores_stage >= 0 && !bounded_product({c.batch, c.heads, c.rows, c.total()})))
    return "a tensor larger than any memory";
  for (const HeadStrides* s : {&c.q, &c.k, &c.v, &c.mask_strides, &c.bias_strides})
    for (const std::int64_t stride : *s)
      if (stride < 0 || stride > kMostExtent) return "strides that reach beyond any memory";
  if (c.left_window > kMostExtent || c.right_window > kMostExtent) return "a window beyond any memory";
  return "";
}

std::string products_refuse(const AttentionConfig& c) {
  if (std::string why = config_refuses(c); !why.empty()) return why;
  return product_attention_refuses(c);
}
std::string block_refuses(const AttentionConfig& c) {
  if (std::string why = config_refuses(c); !why.empty()) return why;
  if (c.type != DataType::Float) return "computes float";
  if (c.scores_stage == 3) return "does not give probabilities";
  if (!bounded_product({c.size, kAttentionRows, 1024}) || !bounded_product({c.v_size, kAttentionRows, 1024}))
    return "heads larger than any memory";
  return "";
}
std::string few_rows_refuses(const AttentionConfig& c) {
  if (std::string why = config_refuses(c); !why.empty()) return why;
  if (c.type != DataType::Float) return "computes float";
  const bool is_wide = separable_table().lanes >= 16;
  const std::int64_t few = !is_wide ? kFewNarrowRows : c.size <= kShort ? kFewShortRows : kFewRows;
  if (c.heads / c.kv_heads * c.rows > few) return "more than " + std::to_string(few) + " queries for a key";
  if (c.k[3] != 1 && c.k[2] != 1) return "neither rows nor columns of K are contiguous";
  if (c.v[3] != 1 && c.v_size != 1) return "rows of V are not contiguous";
  return "";
}
template <class Kind>
std::unique_ptr<Kernel> make(const AttentionConfig& c, PackedConstants&) {
  return std::make_unique<Kind>(c);
}

constexpr Candidate<AttentionConfig> kAttentionCandidates[] = {
    {"simd-rows", few_rows_refuses, make<RowAttention>},
    {"simd-blocks", block_refuses, make<BlockAttention>},
    {"products", products_refuse, make_product_attention},
};

}  // namespace
}  // namespace attention_cc

std::span<const Candidate<AttentionConfig>> attention_candidates() { return kAttentionCandidates; }

}  // namespace norn::kernels
