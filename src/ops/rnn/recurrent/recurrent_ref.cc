// RNN, GRU and LSTM, step by step as their equations say. States stay in double from step to step; what is given out is
// rounded once.
//
// A sequence that is shorter than the longest has zeros behind its end in Y, and its state there in Y_h and Y_c; the
// reverse direction begins at its own end.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/rnn/recurrent/recurrent_ref.h"

namespace norn::ops {
inline namespace recurrent_ref_cc {
namespace {

using opset::ReferenceContext;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

using Values = std::vector<double>;

struct Layer {
  RecurrentLayer kind;
  const RecurrentParams& p;
  std::size_t hidden, features, gates;
  const RecurrentNumbers& numbers;
  Values b, peepholes;  // may be empty

  std::span<const double> row(const Values& matrix, std::size_t direction, std::size_t gate, std::size_t j,
                              std::size_t n) const {
    return std::span(matrix).subspan(((direction * gates + gate) * hidden + j) * n, n);
  }
  double input_part(std::size_t direction, std::size_t gate, std::size_t j, std::span<const double> x) const {
    return dot(row(numbers.w, direction, gate, j, features), x) * numbers.x_scale *
               scale(numbers.w_scales, direction, gate, j) +
           bias(direction, gate, j);
  }
  double state_part(std::size_t direction, std::size_t gate, std::size_t j, std::span<const double> h) const {
    return dot(row(numbers.r, direction, gate, j, hidden), h) + bias(direction, gates + gate, j);
  }
  double scale(const Values& scales, std::size_t direction, std::size_t gate, std::size_t j) const {
    return scales.empty() ? 1 : scales[(direction * gates + gate) * hidden + j];
  }
  double bias(std::size_t direction, std::size_t gate, std::size_t j) const {
    return b.empty() ? 0 : b[(direction * 2 * gates + gate) * hidden + j];
  }
  // What the gate sees of the cell, which may be infinite: nothing without peepholes.
  double peephole(std::size_t direction, std::size_t gate, std::size_t j, double cell) const {
    return peepholes.empty() ? 0 : peepholes[(direction * 3 + gate) * hidden + j] * cell;
  }
  double activate(std::size_t direction, std::size_t function, double x) const {
    const auto functions = static_cast<std::size_t>(gates_of(kind).functions);
    const RecurrentActivation& a = p.activations[direction * functions + function];
    return a.f(p.clip ? std::clamp(x, -*p.clip, *p.clip) : x, a.alpha, a.beta);
  }

  void rnn_step(std::size_t d, std::span<const double> x, Values& h) const {
    Values next(hidden);
    for (std::size_t j = 0; j < hidden; ++j) next[j] = activate(d, 0, input_part(d, 0, j, x) + state_part(d, 0, j, h));
    h = std::move(next);
  }

  // Gates z, r, h.
  void gru_step(std::size_t d, std::span<const double> x, Values& h) const {
    Values update(hidden), reset(hidden), reset_h(hidden), next(hidden);
    for (std::size_t j = 0; j < hidden; ++j) {
      update[j] = activate(d, 0, input_part(d, 0, j, x) + state_part(d, 0, j, h));
      reset[j] = activate(d, 0, input_part(d, 1, j, x) + state_part(d, 1, j, h));
      reset_h[j] = reset[j] * h[j];
    }
    for (std::size_t j = 0; j < hidden; ++j) {
      const double state = p.linear_before_reset ? reset[j] * state_part(d, 2, j, h) : state_part(d, 2, j, reset_h);
      next[j] = (1 - update[j]) * activate(d, 1, input_part(d, 2, j, x) + state) + update[j] * h[j];
    }
    h = std::move(next);
  }

  // Gates i, o, f, c, and the peepholes of the first three. The output gate looks at the new cell.
  void lstm_step(std::size_t d, std::span<const double> x, Values& h, Values& c) const {
    Values next(hidden), seen = h;
    const double h_scale = numbers.round_state ? numbers.round_state(seen) : 1;
    const auto sum = [&](std::size_t gate, std::size_t j) {
      const double product =
          dot(row(numbers.r, d, gate, j, hidden), seen) * h_scale * scale(numbers.r_scales, d, gate, j);
      return input_part(d, gate, j, x) + product + bias(d, gates + gate, j);
    };
    for (std::size_t j = 0; j < hidden; ++j) {
      const double input = activate(d, 0, sum(0, j) + peephole(d, 0, j, c[j]));
      const double forget = p.input_forget ? 1 - input : activate(d, 0, sum(2, j) + peephole(d, 2, j, c[j]));
      c[j] = forget * c[j] + input * activate(d, 1, sum(3, j));
      const double output = activate(d, 0, sum(1, j) + peephole(d, 1, j, c[j]));
      next[j] = output * activate(d, 2, c[j]);
    }
    h = std::move(next);
  }
};

Values load_optional(const ReferenceContext& ctx, int i) {
  return ctx.has_input(i) ? load_all<double>(ctx.input(i)) : Values{};
}

void run(ReferenceContext& ctx, RecurrentLayer kind) {
  const RecurrentParams p = resolve_recurrent(ctx, kind);
  RecurrentNumbers numbers;
  numbers.x = load_all<double>(ctx.input(0));
  numbers.w = load_all<double>(ctx.input(1));
  numbers.r = load_all<double>(ctx.input(2));
  run_recurrent(ctx, kind, p, resolve_recurrent_sizes(ctx, kind, p), numbers);
}

void lstm_ref(ReferenceContext& ctx) { run(ctx, RecurrentLayer::Lstm); }
void gru_ref(ReferenceContext& ctx) { run(ctx, RecurrentLayer::Gru); }
void rnn_ref(ReferenceContext& ctx) { run(ctx, RecurrentLayer::Rnn); }

}  // namespace
}  // namespace recurrent_ref_cc

void run_recurrent(ReferenceContext& ctx, RecurrentLayer kind, const RecurrentParams& p, const RecurrentSizes& sizes,
                   const RecurrentNumbers& numbers) {
  const Tensor& x_in = ctx.input(0);
  const std::int64_t steps = sizes.steps->constant(), batch = sizes.batch->constant(),
                     hidden = sizes.hidden->constant();
  const std::int64_t features = x_in.dims()[2], directions = p.directions, gates = gates_of(kind).gates;
  const Shape state_dims = p.batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  std::vector<std::int64_t> lengths;  // empty: all are whole
  if (ctx.has_input(4)) lengths = to_ints(ctx.input(4));
  for (const std::int64_t n : lengths)
    if (n < 0 || n > steps)
      ctx.fail("sequence_lens has " + std::to_string(n) + ", which is outside of [0, " + std::to_string(steps) + "]");

  const auto h_size = static_cast<std::size_t>(hidden), x_size = static_cast<std::size_t>(features);
  const Layer layer{
      kind, p, h_size, x_size, static_cast<std::size_t>(gates), numbers, load_optional(ctx, 3), load_optional(ctx, 7)};
  const Values h0 = load_optional(ctx, 5), c0 = load_optional(ctx, 6);
  const Shape y_dims =
      p.batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
  const auto y_count = base::checked_count(y_dims);
  if (!y_count) ctx.fail("Y of shape " + to_string(y_dims) + " has too many elements");
  const bool wants_state = ctx.wants_output(1) || ctx.wants_output(2);
  if ((*y_count == 0 || !ctx.wants_output(0)) && (element_count(state_dims) == 0 || !wants_state)) {
    // Nothing to give, however many sequences there are.
    if (ctx.wants_output(0)) ctx.output(0, x_in.dtype(), y_dims);
    for (int o : {1, 2})
      if (ctx.wants_output(o)) ctx.output(o, x_in.dtype(), state_dims);
    return;
  }
  Values y(ctx.wants_output(0) ? static_cast<std::size_t>(*y_count) : 0);
  Values y_h(static_cast<std::size_t>(element_count(state_dims))), y_c(y_h.size());
  for (std::int64_t d = 0; d < directions; ++d) {
    for (std::int64_t n = 0; n < batch; ++n) {
      const auto state = static_cast<std::size_t>((p.batch_first ? n * directions + d : d * batch + n) * hidden);
      const auto begin = [&](const Values& given) {
        if (given.empty()) return Values(h_size);
        const auto from = given.begin() + static_cast<std::ptrdiff_t>(state);
        return Values(from, from + static_cast<std::ptrdiff_t>(hidden));
      };
      Values h = begin(h0), c = begin(c0);
      const std::int64_t length = lengths.empty() ? steps : lengths[static_cast<std::size_t>(n)];
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t t = p.reverse || d == 1 ? length - 1 - k : k;
        const std::int64_t from = (p.batch_first ? n * steps + t : t * batch + n) * features;
        const auto now = std::span(numbers.x).subspan(static_cast<std::size_t>(from), x_size);
        const auto dir = static_cast<std::size_t>(d);
        switch (kind) {
          case RecurrentLayer::Rnn: layer.rnn_step(dir, now, h); break;
          case RecurrentLayer::Gru: layer.gru_step(dir, now, h); break;
          case RecurrentLayer::Lstm: layer.lstm_step(dir, now, h, c); break;
        }
        if (y.empty()) continue;
        const std::int64_t to =
            p.batch_first ? ((n * steps + t) * directions + d) * hidden : ((t * directions + d) * batch + n) * hidden;
        std::copy(h.begin(), h.end(), y.begin() + to);
      }
      std::copy(h.begin(), h.end(), y_h.begin() + static_cast<std::ptrdiff_t>(state));
      std::copy(c.begin(), c.end(), y_c.begin() + static_cast<std::ptrdiff_t>(state));
    }
  }
  if (ctx.wants_output(0)) store_all<double>(ctx.output(0, x_in.dtype(), y_dims), y);
  if (ctx.wants_output(1)) store_all<double>(ctx.output(1, x_in.dtype(), state_dims), y_h);
  if (ctx.wants_output(2)) store_all<double>(ctx.output(2, x_in.dtype(), state_dims), y_c);
}

void recurrent_references(opset::ReferenceTable& table) {
  table.add(LSTM, lstm_ref);
  table.add(GRU, gru_ref);
  table.add(RNN, rnn_ref);
}

}  // namespace norn::ops
