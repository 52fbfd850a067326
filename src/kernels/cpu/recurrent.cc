// Recurrent layers: the products with W of many steps at once, as any matrix product; then step by step the product of
// the state with R, which is packed in panels, and the gates.
//
// For one sequence a step reads all of R, so the bound is the cache that R lies in. Steps go through R's panels
// forwards and backwards in turn: what was read last is still in the nearest cache.
#include "kernels/cpu/recurrent.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/recurrent_row.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace recurrent_cc {
namespace {

constexpr std::int64_t kChunkFloats = 1 << 19;  // products with W that are computed ahead, for a direction
constexpr std::int64_t kChunkRows = 64;         // but at least as many rows
constexpr double kWeightNs = 0.04;              // to read an element of R
constexpr double kProductNs = 0.012;
constexpr std::int64_t kCachedWeights = 1 << 18;  // of R, that stay in the second cache from step to step

std::int64_t gates_of(RecurrentLayer layer) {
  return layer == RecurrentLayer::Rnn ? 1 : layer == RecurrentLayer::Gru ? 3 : 4;
}
std::int64_t functions_of(RecurrentLayer layer) {
  return layer == RecurrentLayer::Rnn ? 1 : layer == RecurrentLayer::Gru ? 2 : 3;
}
std::size_t align16(std::int64_t floats) { return static_cast<std::size_t>((floats + 15) / 16 * 16); }

MatMulConfig projection_config(const RecurrentConfig& c, std::int64_t rows, std::int64_t direction) {
  const std::int64_t n = gates_of(c.layer) * c.hidden;
  MatMulConfig config;
  config.a = {rows, c.features};
  config.b = {n, c.features};
  config.out = {rows, n};
  config.trans_b = true;
  config.has_c = true;
  config.c = {n};
  if (c.w.known()) config.b_constant = {static_cast<const float*>(c.w.data) + direction * n * c.features, c.w.shared};
  return config;
}

class Recurrent final : public Kernel {
 public:
  Recurrent(const RecurrentConfig& c, PackedConstants& packed)
      : c_(c),
        gates_(gates_of(c.layer)),
        n_(gates_ * c.hidden),
        width_(gemm_table().width),
        fetches_(has_large_second_cache() && n_ * c.hidden > kCachedWeights) {
    const std::int64_t d = c.directions, b = c.batch, h = c.hidden;
    chunk_ = std::max(kChunkFloats / (b * n_), (kChunkRows + b - 1) / b);
    chunk_ = std::min(c.steps, std::max<std::int64_t>(1, chunk_));
    // As many as before of nearly equal size: the last one begins early, and computes little again.
    const std::int64_t chunks = (c.steps + chunk_ - 1) / chunk_;
    chunk_ = (c.steps + chunks - 1) / chunks;
    for (std::int64_t i = 0; i < d; ++i) {
      const MatMulConfig config = projection_config(c, chunk_ * b, i);
      for (const auto& candidate : matmul_candidates()) {
        if (!candidate.refuses(config).empty()) continue;
        projections_.push_back(candidate.make(config, packed));
        break;
      }
    }
    // Gate h of a GRU that is linear behind the reset has a product of its own.
    const bool apart = c.layer == RecurrentLayer::Gru && !c.linear_before_reset;
    if (apart)
      parts_ = {{0, 2 * h, 0}, {2 * h, h, 0}};
    else
      parts_ = {{0, n_, 0}};
    for (Part& part : parts_) {
      part.at = packed_size_;
      packed_size_ += packed_floats(h, part.columns);
    }
    if (c.r.known())
      for (std::int64_t i = 0; i < d; ++i)
        packed_.push_back(
            packed.get(c.r, static_cast<std::size_t>(i * n_ * h) * sizeof(float),
                       "recurrent " + std::to_string(n_) + (apart ? " apart" : ""), [&] {
                         auto buffer = aligned_buffer(static_cast<std::size_t>(packed_size_) * sizeof(float));
                         pack(static_cast<const float*>(c.r.data) + i * n_ * h, static_cast<float*>(buffer.get()));
                         return buffer;
                       }));
    cut(apart);
    lay_out_scratch();
  }

  std::size_t scratch_bytes() const override { return scratch_floats_ * sizeof(float) + projection_bytes_; }
  std::size_t bytes() const noexcept override {
    std::size_t sum = 1024;
    for (const auto& p : projections_) sum += p->bytes();
    return sum;
  }

  void run(void* const* operands, void* scratch) const override {
    Run run(*this, operands, static_cast<float*>(scratch));
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

 private:
  struct Part {
    std::int64_t first, columns;
    std::int64_t at;  // in the packed form of a direction
  };
  struct Places {
    std::size_t bias, h, c, input, product, reset_h, x, packed, end;
  };
  // A run's memory.
  struct Run {
    Run(const Recurrent& k, void* const* ops, float* memory) : operands(ops), scratch(memory) { k.begin(*this); }
    const float* operand(std::size_t i) const { return static_cast<const float*>(operands[i]); }
    void* const* operands;
    float* scratch;
    const std::int32_t* lengths = nullptr;
    const float* packed[2] = {};
    std::int64_t ahead = 0;  // the first step, in a direction's own order, whose products with W are there
  };

  void pack(const float* r, float* to) const {
    for (const Part& part : parts_)
      pack_panels(r + part.first * c_.hidden, 1, c_.hidden, c_.hidden, part.columns, 0,
                  (part.columns + width_ - 1) / width_, to + part.at);
  }

  // What is worth a task of its own: sequences of a batch; or, where a step is long, units, step by step.
  void cut(bool apart) {
    const double weights = static_cast<double>(n_) * static_cast<double>(c_.hidden);
    const double batch = static_cast<double>(c_.batch);
    const double step_ns = std::max(weights * kWeightNs, weights * batch * kProductNs);
    // Each group reads all of R.
    const std::int64_t groups = std::max<std::int64_t>(1, c_.batch / (n_ * c_.hidden > kCachedWeights ? 32 : 8));
    groups_ = piece_count(groups, step_ns * static_cast<double>(c_.steps) / static_cast<double>(groups));
    const double worth = c_.directions == 2 ? 100e3 : 6e3;
    if (groups_ == 1 && !apart && c_.hidden % width_ == 0 && step_ns > worth)
      pieces_ = std::min<std::int64_t>(
          {c_.hidden / width_, std::max<std::int64_t>(2, static_cast<std::int64_t>(step_ns / 10e3)), 16});
  }

  void lay_out_scratch() {
    const std::int64_t d = c_.directions, states = d * c_.batch * c_.hidden, all = d * c_.batch * n_;
    at_.bias = 0;
    at_.h = at_.bias + align16(d * n_);
    at_.c = at_.h + 2 * align16(states);
    at_.input = at_.c + align16(states);
    at_.product = at_.input + static_cast<std::size_t>(d) * align16(chunk_ * c_.batch * n_);
    at_.reset_h = at_.product + align16(all);
    at_.x = at_.reset_h + (parts_.size() > 1 ? align16(states) : 0);
    at_.packed = at_.x + (c_.batch_first && c_.batch > 1 ? align16(chunk_ * c_.batch * c_.features) : 0);
    at_.end = at_.packed + (c_.r.known() ? 0 : static_cast<std::size_t>(d) * align16(packed_size_));
    scratch_floats_ = at_.end;
    for (const auto& p : projections_) projection_bytes_ = std::max(projection_bytes_, p->scratch_bytes());
  }

  bool backwards(std::int64_t d) const { return c_.reverse || d == 1; }
  // Of a state in memory of the caller.
  std::int64_t state_at(std::int64_t d, std::int64_t b) const {
    return (c_.batch_first ? b * c_.directions + d : d * c_.batch + b) * c_.hidden;
  }
  float* states(const Run& run, std::int64_t step) const {
    return run.scratch + at_.h + (step % 2 == 0 ? 0 : align16(c_.directions * c_.batch * c_.hidden));
  }

  void begin(Run& run) const {
    run.lengths = static_cast<const std::int32_t*>(run.operands[4]);
    if (run.lengths != nullptr)
      for (std::int64_t b = 0; b < c_.batch; ++b)
        if (run.lengths[b] < 0 || run.lengths[b] > c_.steps)
          throw Error(ErrorCode::RuntimeError, "sequence_lens has " + std::to_string(run.lengths[b]) +
                                                   ", which is outside of [0, " + std::to_string(c_.steps) + "]");
    for (std::int64_t d = 0; d < c_.directions; ++d) {
      begin_bias(run, d);
      for (std::int64_t b = 0; b < c_.batch; ++b) {
        const std::int64_t own = (d * c_.batch + b) * c_.hidden;
        begin_state(run.operand(5), state_at(d, b), states(run, 0) + own);
        begin_state(run.operand(6), state_at(d, b), run.scratch + at_.c + own);
      }
      if (!packed_.empty()) {
        run.packed[d] = static_cast<const float*>(packed_[static_cast<std::size_t>(d)].get());
      } else {
        float* to = run.scratch + at_.packed + static_cast<std::size_t>(d) * align16(packed_size_);
        pack(run.operand(2) + d * n_ * c_.hidden, to);
        run.packed[d] = to;
      }
    }
  }
  void begin_state(const float* given, std::int64_t at, float* to) const {
    if (given == nullptr)
      std::fill_n(to, c_.hidden, 0.0f);
    else
      std::copy_n(given + at, c_.hidden, to);
  }
  void begin_bias(const Run& run, std::int64_t d) const {
    float* to = run.scratch + at_.bias + d * n_;
    std::fill_n(to, n_, 0.0f);
    if (run.operand(3) == nullptr) return;
    const float* w = run.operand(3) + d * 2 * n_;
    const float* r = w + n_;
    const std::int64_t both = c_.layer == RecurrentLayer::Gru && c_.linear_before_reset ? 2 * c_.hidden : n_;
    for (std::int64_t i = 0; i < n_; ++i) to[i] = i < both ? w[i] + r[i] : w[i];
  }

  // Products of W with the inputs from step run.ahead on, in the direction's order.
  void project(const Run& run, std::int64_t d) const {
    const std::int64_t t = backwards(d) ? c_.steps - run.ahead - chunk_ : run.ahead;
    const float* x = run.operand(0) + t * c_.features * (c_.batch_first ? 1 : c_.batch);
    if (c_.batch_first && c_.batch > 1) {
      float* gathered = run.scratch + at_.x;
      for (std::int64_t i = 0; i < chunk_; ++i)
        for (std::int64_t b = 0; b < c_.batch; ++b)
          std::copy_n(x + (b * c_.steps + i) * c_.features, c_.features, gathered + (i * c_.batch + b) * c_.features);
      x = gathered;
    }
    float* out = run.scratch + at_.input + static_cast<std::size_t>(d) * align16(chunk_ * c_.batch * n_);
    const float* w = run.operand(1) + d * n_ * c_.features;
    const float* bias = run.scratch + at_.bias + d * n_;
    void* const operands[] = {const_cast<float*>(x), const_cast<float*>(w), const_cast<float*>(bias), out};
    projections_[static_cast<std::size_t>(d)]->run(operands, run.scratch + scratch_floats_);
  }

  void advance(const Run& run, std::int64_t begin, std::int64_t end) const {
    if (pieces_ == 1 || base::parallel_width() == 1) {  // units are computed alike in either way
      base::parallel_for(c_.directions * groups_, [&](std::int64_t task) {
        const std::int64_t d = task / groups_, g = task % groups_;
        const std::int64_t b0 = c_.batch * g / groups_, b1 = c_.batch * (g + 1) / groups_;
        for (std::int64_t k = begin; k < end; ++k) step(run, k, d, b0, b1, 0, c_.hidden);
      });
      return;
    }
    const std::int64_t panels = c_.hidden / width_, tasks = c_.directions * pieces_;
    for (std::int64_t k = begin; k < end; ++k)
      base::parallel_for(tasks, [&](std::int64_t task) {
        const std::int64_t at = k % 2 == 0 ? task : tasks - 1 - task, p = at % pieces_;
        step(run, k, at / pieces_, 0, c_.batch, panels * p / pieces_ * width_, panels * (p + 1) / pieces_ * width_);
      });
  }

  // to[rows][n_] = from[rows][hidden] times the columns [begin, end) of a part. `then`: a column that is multiplied
  // next, -1 for none.
  void multiply(const Run& run, std::int64_t d, const Part& part, std::int64_t rows, const float* from, float* to,
                std::int64_t begin, std::int64_t end, bool forwards, std::int64_t then = -1) const {
    const Panels panels{run.packed[d] + part.at, c_.hidden * width_, width_};
    const std::int64_t first = begin / width_, last = (end + width_ - 1) / width_;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t p = forwards ? i : first + last - 1 - i;
      Panels one = panels;
      one.data += p * panels.panel_stride;
      if (fetches_ && i + 1 < last)
        one.next = one.data + (forwards ? 1 : -1) * panels.panel_stride;
      else if (fetches_ && then >= 0)
        one.next = panels.data + then / width_ * panels.panel_stride;
      gemm_table().multiply(rows, std::min(width_, end - p * width_), c_.hidden, from, c_.hidden, 1, one,
                            to + part.first + p * width_, n_, nullptr, 1.0f);
    }
  }

  // Step k, in the direction's order, for units [u0, u1) of sequences [b0, b1).
  void step(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b0, std::int64_t b1, std::int64_t u0,
            std::int64_t u1) const {
    const std::int64_t first = d * c_.batch + b0, rows = b1 - b0;
    const float* h = states(run, k) + first * c_.hidden;
    float* product = run.scratch + at_.product + first * n_;
    const bool forwards = k % 2 == 0;
    if (u0 == 0 && u1 == c_.hidden) {
      multiply(run, d, parts_[0], rows, h, product, 0, parts_[0].columns, forwards);
    } else {
      const std::int64_t gates = parts_[0].columns / c_.hidden;
      for (std::int64_t g = 0; g < gates; ++g) {
        const std::int64_t after = g + 1 < gates ? (g + 1) * c_.hidden + u0 : u1 < c_.hidden ? u1 : -1;
        multiply(run, d, parts_[0], rows, h, product, g * c_.hidden + u0, g * c_.hidden + u1, true, after);
      }
    }
    const RecurrentTable& table = recurrent_table();
    if (c_.layer == RecurrentLayer::Lstm) {
      each_row(run, k, d, b0, b1, u0, u1, table.lstm);
    } else if (c_.layer == RecurrentLayer::Rnn) {
      each_row(run, k, d, b0, b1, u0, u1, table.rnn);
    } else if (parts_.size() == 1) {
      each_row(run, k, d, b0, b1, u0, u1, table.gru);
    } else {
      each_row(run, k, d, b0, b1, u0, u1, table.gru_gates);
      multiply(run, d, parts_[1], rows, run.scratch + at_.reset_h + first * c_.hidden, product, 0, c_.hidden, forwards);
      each_row(run, k, d, b0, b1, u0, u1, table.gru_state);
    }
    keep_and_give(run, k, d, b0, b1, u0, u1);
  }

  void each_row(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b0, std::int64_t b1, std::int64_t u0,
                std::int64_t u1, decltype(RecurrentTable::rnn) gates) const {
    const RecurrentRule rule{c_.activations.data() + d * functions_of(c_.layer), c_.clip, c_.input_forget};
    // Products with W lie in the order of time.
    const std::int64_t t = backwards(d) ? chunk_ - 1 - (k - run.ahead) : k - run.ahead;
    const float* input = run.scratch + at_.input + static_cast<std::size_t>(d) * align16(chunk_ * c_.batch * n_);
    for (std::int64_t b = b0; b < b1; ++b) {
      const std::int64_t own = d * c_.batch + b;
      RecurrentRow row{};
      row.input = input + (t * c_.batch + b) * n_ + u0;
      row.product = run.scratch + at_.product + own * n_ + u0;
      row.gate_step = c_.hidden;
      row.h = states(run, k) + own * c_.hidden + u0;
      row.h_out = states(run, k + 1) + own * c_.hidden + u0;
      row.c = run.scratch + at_.c + own * c_.hidden + u0;
      if (run.operand(7) != nullptr) row.peepholes = run.operand(7) + d * 3 * c_.hidden + u0;
      if (run.operand(3) != nullptr && c_.linear_before_reset)
        row.state_bias = run.operand(3) + d * 2 * n_ + n_ + 2 * c_.hidden + u0;
      row.reset_h = run.scratch + at_.reset_h + own * c_.hidden + u0;
      if (is_there(run, k, d, b)) gates(row, rule, u1 - u0);
    }
  }

  std::int64_t time(std::int64_t k, std::int64_t d) const { return backwards(d) ? c_.steps - 1 - k : k; }
  // A sequence has ended, or going backwards not begun, where time is not below its length.
  bool is_there(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b) const {
    return run.lengths == nullptr || time(k, d) < run.lengths[b];
  }

  void keep_and_give(const Run& run, std::int64_t k, std::int64_t d, std::int64_t b0, std::int64_t b1, std::int64_t u0,
                     std::int64_t u1) const {
    auto* y = static_cast<float*>(run.operands[8]);
    const std::int64_t t = time(k, d);
    for (std::int64_t b = b0; b < b1; ++b) {
      const std::int64_t own = (d * c_.batch + b) * c_.hidden + u0;
      const bool there = is_there(run, k, d, b);
      if (!there) std::copy_n(states(run, k) + own, u1 - u0, states(run, k + 1) + own);
      if (y == nullptr) continue;
      float* to = y + u0 +
                  (c_.batch_first ? ((b * c_.steps + t) * c_.directions + d) * c_.hidden
                                  : ((t * c_.directions + d) * c_.batch + b) * c_.hidden);
      if (there)
        std::copy_n(states(run, k + 1) + own, u1 - u0, to);
      else
        std::fill_n(to, u1 - u0, 0.0f);
    }
  }

  void give_states(const Run& run) const {
    for (std::int64_t d = 0; d < c_.directions; ++d)
      for (std::int64_t b = 0; b < c_.batch; ++b) {
        const std::int64_t own = (d * c_.batch + b) * c_.hidden;
        if (auto* y_h = static_cast<float*>(run.operands[9]))
          std::copy_n(states(run, c_.steps) + own, c_.hidden, y_h + state_at(d, b));
        if (auto* y_c = static_cast<float*>(run.operands[10]))
          std::copy_n(run.scratch + at_.c + own, c_.hidden, y_c + state_at(d, b));
      }
  }

  RecurrentConfig c_;
  std::int64_t gates_, n_, width_;
  bool fetches_;            // the panels of R that come next
  std::int64_t chunk_ = 1;  // steps whose products with W are computed at once
  std::int64_t groups_ = 1, pieces_ = 1;
  std::vector<std::unique_ptr<Kernel>> projections_;  // of each direction
  std::vector<Part> parts_;
  std::int64_t packed_size_ = 0;
  std::vector<std::shared_ptr<const void>> packed_;  // of each direction
  Places at_{};
  std::size_t scratch_floats_ = 0, projection_bytes_ = 0;
};

std::string refuses(const RecurrentConfig& c) {
  const std::int64_t gates = gates_of(c.layer);
  for (const std::int64_t size : {c.steps, c.batch, c.features, c.hidden}) {
    if (size < 1) return "an empty tensor";
    if (size > std::int64_t{1} << 60) return "larger than any memory";
  }
  if (c.directions < 1 || c.directions > 2) return "takes one direction or two";
  if (static_cast<std::int64_t>(c.activations.size()) != functions_of(c.layer) * c.directions)
    return "another number of activation functions";
  // With the gates' products of all steps and the padding of panels.
  if (!bounded_product({c.directions, 8 * gates, c.hidden + 64, std::max(c.hidden, c.features) + 64}) ||
      !bounded_product({c.directions, c.steps, c.batch, 8 * gates, std::max(c.hidden, c.features) + 64}))
    return "larger than any memory";
  const std::int64_t rows = c.batch * std::max((kChunkRows + c.batch - 1) / c.batch, std::int64_t{1});
  const MatMulConfig projection = projection_config(c, rows, 0);
  std::string why;
  for (const auto& candidate : matmul_candidates()) {
    why = candidate.refuses(projection);
    if (why.empty()) return "";
  }
  return why;
}
std::unique_ptr<Kernel> make(const RecurrentConfig& c, PackedConstants& packed) {
  return std::make_unique<Recurrent>(c, packed);
}

constexpr Candidate<RecurrentConfig> kRecurrentCandidates[] = {{"steps", refuses, make, true}};

}  // namespace
}  // namespace recurrent_cc

std::span<const Candidate<RecurrentConfig>> recurrent_candidates() { return kRecurrentCandidates; }

}  // namespace norn::kernels
