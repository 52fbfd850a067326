#include "kernels/cpu/recurrent_steps.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace recurrent_steps_cc {
namespace {

constexpr std::int64_t kChunkFloats = 1 << 19;  // products with W that are computed ahead, for a direction

}  // namespace
}  // namespace recurrent_steps_cc

std::int64_t recurrent_gates(RecurrentLayer layer) {
  return layer == RecurrentLayer::Rnn ? 1 : layer == RecurrentLayer::Gru ? 3 : 4;
}
std::int64_t recurrent_functions(RecurrentLayer layer) {
  return layer == RecurrentLayer::Rnn ? 1 : layer == RecurrentLayer::Gru ? 2 : 3;
}

std::string recurrent_sizes_refusal(const RecurrentConfig& c) {
  for (const std::int64_t size : {c.steps, c.batch, c.features, c.hidden}) {
    if (size < 1) return "an empty tensor";
    if (size > std::int64_t{1} << 60) return "larger than any memory";
  }
  if (c.directions < 1 || c.directions > 2) return "takes one direction or two";
  if (static_cast<std::int64_t>(c.activations.size()) != recurrent_functions(c.layer) * c.directions)
    return "another number of activation functions";
  // With the gates' products of all steps and the padding of panels.
  const std::int64_t gates = recurrent_gates(c.layer);
  if (!bounded_product({c.directions, 8 * gates, c.hidden + 64, std::max(c.hidden, c.features) + 64}) ||
      !bounded_product({c.directions, c.steps, c.batch, 8 * gates, std::max(c.hidden, c.features) + 64}))
    return "larger than any memory";
  return "";
}

RecurrentSteps::RecurrentSteps(const RecurrentConfig& c, std::size_t y, std::int64_t unit, const Costs& costs)
    : c_(c), n_(recurrent_gates(c.layer) * c.hidden), y_(y), unit_(unit) {
  chunk_ = std::max(kChunkFloats / (c.batch * n_), (kRecurrentRows + c.batch - 1) / c.batch);
  chunk_ = std::min(c.steps, std::max<std::int64_t>(1, chunk_));
  // As many as before of nearly equal size: the last one begins early, and computes little again.
  const std::int64_t chunks = (c.steps + chunk_ - 1) / chunk_;
  chunk_ = (c.steps + chunks - 1) / chunks;
  cut(unit, costs);
  const std::int64_t states = c.directions * c.batch * c.hidden;
  h_at_ = reserve<float>(states);
  next_h_at_ = reserve<float>(states);
  c_at_ = reserve<float>(states);
}

// What is worth a task of its own: sequences of a batch; or, where a step is long, units, step by step.
void RecurrentSteps::cut(std::int64_t unit, const Costs& costs) {
  const double weights = static_cast<double>(n_) * static_cast<double>(c_.hidden);
  const double batch = static_cast<double>(c_.batch);
  const double step_ns = std::max(weights * costs.weight_ns, weights * batch * costs.product_ns);
  // Each group reads all of R.
  const std::int64_t groups = std::max<std::int64_t>(1, c_.batch / (n_ * c_.hidden > costs.cached_weights ? 32 : 8));
  groups_ = piece_count(groups, step_ns * static_cast<double>(c_.steps) / static_cast<double>(groups));
  const double worth = c_.directions == 2 ? 100e3 : 6e3;
  if (groups_ == 1 && unit > 0 && c_.hidden % unit == 0 && step_ns > worth)
    pieces_ = std::min<std::int64_t>(
        {c_.hidden / unit, std::max<std::int64_t>(2, static_cast<std::int64_t>(step_ns / 10e3)), 16});
}

void RecurrentSteps::run(void* const* operands, void* scratch) const {
  Run run{operands, static_cast<char*>(scratch)};
  begin(run);
  prepare(run);
  const std::int64_t chunks = (c_.steps + chunk_ - 1) / chunk_;
  for (std::int64_t k = 0; k < chunks; ++k) {
    if (const base::Stop* stop = base::current_stop()) stop->check();
    // The last one begins early, so that all have one size.
    run.ahead = std::min(k * chunk_, c_.steps - chunk_);
    for (std::int64_t d = 0; d < c_.directions; ++d) project(run, d);
    advance(run, k * chunk_, std::min(c_.steps, (k + 1) * chunk_));
  }
  give_states(run);
}

void RecurrentSteps::begin(Run& run) const {
  run.lengths = run.operand<std::int32_t>(4);
  if (run.lengths != nullptr)
    for (std::int64_t b = 0; b < c_.batch; ++b)
      if (run.lengths[b] < 0 || run.lengths[b] > c_.steps)
        throw Error(ErrorCode::RuntimeError, "sequence_lens has " + std::to_string(run.lengths[b]) +
                                                 ", which is outside of [0, " + std::to_string(c_.steps) + "]");
  for (std::int64_t d = 0; d < c_.directions; ++d)
    for (std::int64_t b = 0; b < c_.batch; ++b) {
      const std::int64_t own = (d * c_.batch + b) * c_.hidden;
      begin_state(run.operand<float>(5), state_at(d, b), states(run, 0) + own);
      begin_state(run.operand<float>(6), state_at(d, b), run.at(c_at_) + own);
    }
}

void RecurrentSteps::begin_state(const float* given, std::int64_t at, float* to) const {
  if (given == nullptr)
    std::fill_n(to, c_.hidden, 0.0f);
  else
    std::copy_n(given + at, c_.hidden, to);
}

void RecurrentSteps::advance(const Run& run, std::int64_t begin, std::int64_t end) const {
  const auto take = [&](std::int64_t k, const Part& part) {
    step(run, k, part);
    keep_and_give(run, k, part);
  };
  if (pieces_ == 1 || base::parallel_width() == 1) {  // units are computed alike in either way
    base::parallel_for(c_.directions * groups_, [&](std::int64_t task) {
      const std::int64_t d = task / groups_, g = task % groups_;
      const Part part{d, c_.batch * g / groups_, c_.batch * (g + 1) / groups_, 0, c_.hidden, 0};
      for (std::int64_t k = begin; k < end; ++k) take(k, part);
    });
    return;
  }
  const std::int64_t units = c_.hidden / unit_, tasks = c_.directions * pieces_;
  for (std::int64_t k = begin; k < end; ++k)
    base::parallel_for(tasks, [&](std::int64_t task) {
      const std::int64_t at = k % 2 == 0 ? task : tasks - 1 - task, p = at % pieces_;
      take(k, {at / pieces_, 0, c_.batch, units * p / pieces_ * unit_, units * (p + 1) / pieces_ * unit_, p});
    });
}

RecurrentRow RecurrentSteps::row(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b,
                                 std::int64_t u0) const {
  const std::int64_t own = (d * c_.batch + b) * c_.hidden + u0;
  RecurrentRow row{};
  row.gate_step = c_.hidden;
  row.h = states(run, k) + own;
  row.h_out = states(run, k + 1) + own;
  row.c = run.at(c_at_) + own;
  if (const auto* p = run.operand<float>(7)) row.peepholes = p + d * 3 * c_.hidden + u0;
  return row;
}

void RecurrentSteps::keep_and_give(const Run& run, std::int64_t k, const Part& part) const {
  auto* y = static_cast<float*>(run.operands[y_]);
  const std::int64_t t = time(k, part.d), n = part.u1 - part.u0;
  for (std::int64_t b = part.b0; b < part.b1; ++b) {
    const std::int64_t own = (part.d * c_.batch + b) * c_.hidden + part.u0;
    const bool there = is_there(run, k, part.d, b);
    if (!there) std::copy_n(states(run, k) + own, n, states(run, k + 1) + own);
    if (y == nullptr) continue;
    float* to = y + part.u0 +
                (c_.batch_first ? ((b * c_.steps + t) * c_.directions + part.d) * c_.hidden
                                : ((t * c_.directions + part.d) * c_.batch + b) * c_.hidden);
    if (there)
      std::copy_n(states(run, k + 1) + own, n, to);
    else
      std::fill_n(to, n, 0.0f);
  }
}

void RecurrentSteps::give_states(const Run& run) const {
  for (std::int64_t d = 0; d < c_.directions; ++d)
    for (std::int64_t b = 0; b < c_.batch; ++b) {
      const std::int64_t own = (d * c_.batch + b) * c_.hidden;
      if (auto* y_h = static_cast<float*>(run.operands[y_ + 1]))
        std::copy_n(states(run, c_.steps) + own, c_.hidden, y_h + state_at(d, b));
      if (auto* y_c = static_cast<float*>(run.operands[y_ + 2]))
        std::copy_n(run.at(c_at_) + own, c_.hidden, y_c + state_at(d, b));
    }
}

}  // namespace norn::kernels
