// One query after the other: scores, their bias, softmax, and the values' mean by it. The bias is -inf where a key is
// not to be seen; a query that sees none has probabilities of 0. Query heads that share a key head are consecutive.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/nn/attention/attention.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace attention_ref_cc {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// An input with heads as [batch, heads, length, size].
std::vector<double> by_heads(const Tensor& t, std::int64_t heads) {
  std::vector<double> values = load_all<double>(t);
  if (t.rank() == 4) return values;
  const std::int64_t batch = t.dims()[0], length = t.dims()[1], size = t.dims()[2] / heads;
  std::vector<double> turned(values.size());
  std::size_t at = 0;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t s = 0; s < length; ++s)
        for (std::int64_t d = 0; d < size; ++d) turned[at++] = values[((b * length + s) * heads + h) * size + d];
  return turned;
}

// The cache, with `fresh` behind it, both [batches of heads, length, size].
std::vector<double> present(std::vector<double> fresh, const Tensor* past, std::int64_t heads, std::int64_t keys,
                            std::int64_t size) {
  if (!past) return fresh;
  const std::vector<double> old = load_all<double>(*past);
  const std::int64_t before = past->dims()[2];
  std::vector<double> all;
  all.reserve(old.size() + fresh.size());
  for (std::int64_t h = 0; h < heads; ++h) {
    all.insert(all.end(), old.begin() + h * before * size, old.begin() + (h + 1) * before * size);
    all.insert(all.end(), fresh.begin() + h * keys * size, fresh.begin() + (h + 1) * keys * size);
  }
  return all;
}

// For each key and query; empty if nothing is added.
struct Bias {
  std::vector<double> summands;
  std::vector<bool> hidden;  // the score does not matter, and may be NaN
};

Bias bias_of(opset::ReferenceContext& ctx, const AttentionParams& p) {
  const bool nonpad = ctx.has_input(6);
  const bool by_place = p.causal || p.left_window >= 0 || p.right_window >= 0 || nonpad;
  const std::int64_t total = p.total();
  if (!ctx.has_input(3) && !by_place) return {};
  const Shape whole = {p.batch, p.q_heads, p.rows, total};
  const auto count = static_cast<std::size_t>(element_count(whole));
  if (count == 0) return {};
  Bias bias{std::vector<double>(count), std::vector<bool>(count)};
  if (ctx.has_input(3)) {
    const Tensor& mask = ctx.input(3);
    const bool flags = mask.dtype() == DataType::Bool;
    const std::vector<double> values = load_numbers(mask);
    // A mask for fewer keys hides the rest; in version 23 it broadcasts.
    const std::int64_t columns = mask.dims().back(), seen = ctx.version() < 24 ? total : columns;
    Shape narrow = whole;
    narrow.back() = seen;
    bias.hidden.assign(count, true);
    std::int64_t at = 0;
    for (Odometer o(narrow, {broadcast_strides(mask.dims(), narrow)}); !o.done(); o.next(), ++at) {
      const double v = values[static_cast<std::size_t>(o.offset(0))];
      const auto to = static_cast<std::size_t>(at / seen * total + at % seen);
      bias.hidden[to] = flags && v == 0;
      if (!flags) bias.summands[to] = v;
    }
  }
  if (!by_place) return bias;
  const std::vector<std::int64_t> valid = nonpad ? to_ints(ctx.input(6)) : std::vector<std::int64_t>();
  std::size_t at = 0;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t q = 0; q < p.rows; ++q) {
        const std::int64_t length = nonpad ? valid[static_cast<std::size_t>(b)] : 0;
        const double place =
            static_cast<double>(q) + (ctx.has_input(4) ? static_cast<double>(p.past)
                                      : nonpad         ? static_cast<double>(length) - static_cast<double>(p.rows)
                                                       : 0);
        for (std::int64_t k = 0; k < total; ++k, ++at) {
          const auto key = static_cast<double>(k);
          const bool hidden =
              (p.causal && key > place) || (p.left_window >= 0 && key < place - static_cast<double>(p.left_window)) ||
              (p.right_window >= 0 && key > place + static_cast<double>(p.right_window)) || (nonpad && k >= length);
          if (hidden) bias.hidden[at] = true;
        }
      }
  return bias;
}

void attention_ref(opset::ReferenceContext& ctx) {
  const AttentionParams p = resolve_attention(ctx);
  const std::int64_t total = p.total(), kv = p.batch * p.kv_heads, group = p.kv_heads == 0 ? 1 : p.q_heads / p.kv_heads;
  const DataType type = ctx.input(0).dtype(), v_type = ctx.input(2).dtype();
  const auto past = [&](int i) { return ctx.has_input(i) ? &ctx.input(i) : nullptr; };
  const std::vector<double> q = by_heads(ctx.input(0), p.q_heads);
  const std::vector<double> k = present(by_heads(ctx.input(1), p.kv_heads), past(4), kv, p.keys, p.size);
  const std::vector<double> v = present(by_heads(ctx.input(2), p.kv_heads), past(5), kv, p.keys, p.v_size);
  const Bias bias = bias_of(ctx, p);
  const bool biased = !bias.summands.empty();
  const auto softmax_rounds = [&](double x) { return p.softmax_type ? round_to(*p.softmax_type, x) : x; };
  std::vector<double> y(static_cast<std::size_t>(p.batch * p.rows * p.q_heads * p.v_size)), stage;
  const bool wants_scores = ctx.wants_output(3);
  const bool none = p.batch == 0 || p.q_heads == 0 || p.rows == 0;  // however many keys there are
  std::vector<double> s(static_cast<std::size_t>(none ? 0 : total));
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.rows; ++r) {
        if (const base::Stop* stop = base::current_stop()) stop->check();
        const std::int64_t row = (b * p.q_heads + h) * p.rows + r, head = b * p.kv_heads + h / group;
        const auto keep = [&](std::int64_t mode) {
          if (wants_scores && p.qk_mode == mode) stage.insert(stage.end(), s.begin(), s.end());
        };
        for (std::int64_t j = 0; j < total; ++j) {
          double dot = 0;
          for (std::int64_t d = 0; d < p.size; ++d) dot += q[row * p.size + d] * k[(head * total + j) * p.size + d];
          s[j] = dot * p.score_scale;
        }
        keep(0);
        if (p.softcap > 0)
          for (double& x : s) x = p.softcap * std::tanh(x / p.softcap);
        keep(1);
        double top = kHidden;
        for (std::int64_t j = 0; j < total; ++j) {
          if (biased) s[j] = bias.hidden[row * total + j] ? kHidden : s[j] + bias.summands[row * total + j];
          top = std::isnan(s[j]) || std::isnan(top) ? std::numeric_limits<double>::quiet_NaN() : std::max(top, s[j]);
        }
        keep(2);
        if (biased && top == kHidden) {
          std::fill(s.begin(), s.end(), 0.0);
        } else {
          double sum = 0;
          for (double& x : s) sum += x = std::exp(softmax_rounds(x) - softmax_rounds(top));
          for (double& x : s) x = softmax_rounds(x / sum);
        }
        keep(3);
        const std::int64_t out = p.packed ? (b * p.rows + r) * p.q_heads + h : row;
        for (std::int64_t j = 0; j < total; ++j)
          for (std::int64_t d = 0; d < p.v_size; ++d)
            y[out * p.v_size + d] += s[j] * v[(head * total + j) * p.v_size + d];
      }
  const Shape y_dims =
      p.packed ? Shape{p.batch, p.rows, p.q_heads * p.v_size} : Shape{p.batch, p.q_heads, p.rows, p.v_size};
  store_all(ctx.output(0, type, y_dims), y);
  if (ctx.wants_output(1)) store_all(ctx.output(1, type, {p.batch, p.kv_heads, total, p.size}), k);
  if (ctx.wants_output(2)) store_all(ctx.output(2, v_type, {p.batch, p.kv_heads, total, p.v_size}), v);
  if (wants_scores) store_all(ctx.output(3, type, {p.batch, p.q_heads, p.rows, total}), stage);
}

}  // namespace
}  // namespace attention_ref_cc

void attention_references(opset::ReferenceTable& table) { table.add(Attention, attention_ref); }

}  // namespace norn::ops
