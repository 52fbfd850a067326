// Recurrent layers in f32: the products with W as any matrix product; R is packed in panels.
#include "kernels/cpu/recurrent.h"

#include <algorithm>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/recurrent_steps.h"

namespace norn::kernels {
inline namespace recurrent_cc {
namespace {

constexpr std::int64_t kCachedWeights = 1 << 18;

MatMulConfig projection_config(const RecurrentConfig& c, std::int64_t rows, std::int64_t direction) {
  const std::int64_t n = recurrent_gates(c.layer) * c.hidden;
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

// Gate h of a GRU that is linear behind the reset has a product of its own.
bool is_apart(const RecurrentConfig& c) { return c.layer == RecurrentLayer::Gru && !c.linear_before_reset; }

class Recurrent final : public RecurrentSteps {
 public:
  Recurrent(const RecurrentConfig& c, PackedConstants& packed)
      : RecurrentSteps(c, 8, is_apart(c) ? 0 : gemm_table().width, {0.04, 0.012, kCachedWeights}),
        width_(gemm_table().width),
        fetches_((has_slow_third_cache() || halves_wide_vectors()) && n_ * c.hidden > kCachedWeights) {
    const std::int64_t d = c.directions, b = c.batch, h = c.hidden;
    for (std::int64_t i = 0; i < d; ++i) {
      const MatMulConfig config = projection_config(c, chunk_ * b, i);
      for (const auto& candidate : matmul_candidates()) {
        if (!candidate.refuses(config).empty()) continue;
        projections_.push_back(candidate.make(config, packed));
        break;
      }
    }
    const bool apart = is_apart(c);
    if (apart)
      products_ = {{0, 2 * h, 0}, {2 * h, h, 0}};
    else
      products_ = {{0, n_, 0}};
    for (Product& product : products_) {
      product.at = packed_size_;
      packed_size_ += packed_floats(h, product.columns);
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
    lay_out_scratch();
  }

  std::size_t bytes() const noexcept override {
    std::size_t sum = 1024;
    for (const auto& p : projections_) sum += p->bytes();
    return sum;
  }

 private:
  // Columns of R that are multiplied together.
  struct Product {
    std::int64_t first, columns;
    std::int64_t at;  // in the packed form of a direction
  };
  struct Places {
    std::size_t bias, input, product, reset_h, x, packed, projection;
  };

  void pack(const float* r, float* to) const {
    for (const Product& product : products_)
      pack_panels(r + product.first * c_.hidden, 1, c_.hidden, c_.hidden, product.columns, 0,
                  (product.columns + width_ - 1) / width_, to + product.at);
  }

  void lay_out_scratch() {
    const std::int64_t d = c_.directions, states = d * c_.batch * c_.hidden;
    at_.bias = reserve<float>(d * n_);
    at_.input = reserve<float>(d * chunk_ * c_.batch * n_);
    at_.product = reserve<float>(d * c_.batch * n_);
    at_.reset_h = reserve<float>(products_.size() > 1 ? states : 0);
    at_.x = reserve<float>(c_.batch_first && c_.batch > 1 ? chunk_ * c_.batch * c_.features : 0);
    at_.packed = reserve<float>(c_.r.known() ? 0 : d * packed_size_);
    std::size_t projection = 0;
    for (const auto& p : projections_) projection = std::max(projection, p->scratch_bytes());
    at_.projection = reserve_bytes(projection);
  }

  float* input(const Run& run, std::int64_t d) const { return run.at(at_.input) + d * chunk_ * c_.batch * n_; }
  const float* panels(const Run& run, std::int64_t d) const {
    return packed_.empty() ? run.at(at_.packed) + d * packed_size_
                           : static_cast<const float*>(packed_[static_cast<std::size_t>(d)].get());
  }

  void prepare(const Run& run) const override {
    for (std::int64_t d = 0; d < c_.directions; ++d) {
      begin_bias(run, d);
      if (packed_.empty()) pack(run.operand<float>(2) + d * n_ * c_.hidden, run.at(at_.packed) + d * packed_size_);
    }
  }
  void begin_bias(const Run& run, std::int64_t d) const {
    float* to = run.at(at_.bias) + d * n_;
    std::fill_n(to, n_, 0.0f);
    if (run.operand<float>(3) == nullptr) return;
    const float* w = run.operand<float>(3) + d * 2 * n_;
    const float* r = w + n_;
    const std::int64_t both = c_.layer == RecurrentLayer::Gru && c_.linear_before_reset ? 2 * c_.hidden : n_;
    for (std::int64_t i = 0; i < n_; ++i) to[i] = i < both ? w[i] + r[i] : w[i];
  }

  void project(const Run& run, std::int64_t d) const override {
    const float* x = run.operand<float>(0) + first_ahead(run, d) * c_.features * (c_.batch_first ? 1 : c_.batch);
    if (c_.batch_first && c_.batch > 1) {
      float* gathered = run.at(at_.x);
      for (std::int64_t i = 0; i < chunk_; ++i)
        for (std::int64_t b = 0; b < c_.batch; ++b)
          std::copy_n(x + (b * c_.steps + i) * c_.features, c_.features, gathered + (i * c_.batch + b) * c_.features);
      x = gathered;
    }
    const float* w = run.operand<float>(1) + d * n_ * c_.features;
    const float* bias = run.at(at_.bias) + d * n_;
    void* const operands[] = {const_cast<float*>(x), const_cast<float*>(w), const_cast<float*>(bias), input(run, d)};
    projections_[static_cast<std::size_t>(d)]->run(operands, run.scratch + at_.projection);
  }

  // to[rows][n_] = from[rows][hidden] times columns [begin, end) of a product. `then`: a column that is multiplied
  // next, -1 for none.
  void multiply(const Run& run, std::int64_t d, const Product& product, std::int64_t rows, const float* from, float* to,
                std::int64_t begin, std::int64_t end, bool forwards, std::int64_t then = -1) const {
    const Panels all{panels(run, d) + product.at, c_.hidden * width_, width_};
    const std::int64_t first = begin / width_, last = (end + width_ - 1) / width_;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t p = forwards ? i : first + last - 1 - i;
      Panels one = all;
      one.data += p * all.panel_stride;
      if (fetches_ && i + 1 < last)
        one.next = one.data + (forwards ? 1 : -1) * all.panel_stride;
      else if (fetches_ && then >= 0)
        one.next = all.data + then / width_ * all.panel_stride;
      gemm_table().multiply(rows, std::min(width_, end - p * width_), c_.hidden, from, c_.hidden, 1, one,
                            to + product.first + p * width_, n_, nullptr, 1.0f);
    }
  }

  void step(const Run& run, std::int64_t k, const Part& part) const override {
    const auto [d, b0, b1, u0, u1, piece] = part;
    const std::int64_t first = d * c_.batch + b0, rows = b1 - b0;
    const float* h = states(run, k) + first * c_.hidden;
    float* product = run.at(at_.product) + first * n_;
    const bool forwards = k % 2 == 0;
    if (u0 == 0 && u1 == c_.hidden) {
      multiply(run, d, products_[0], rows, h, product, 0, products_[0].columns, forwards);
    } else {
      const std::int64_t gates = products_[0].columns / c_.hidden;
      for (std::int64_t g = 0; g < gates; ++g) {
        const std::int64_t after = g + 1 < gates ? (g + 1) * c_.hidden + u0 : u1 < c_.hidden ? u1 : -1;
        multiply(run, d, products_[0], rows, h, product, g * c_.hidden + u0, g * c_.hidden + u1, true, after);
      }
    }
    const RecurrentTable& table = recurrent_table();
    if (c_.layer == RecurrentLayer::Lstm) {
      each_row(run, k, part, table.lstm);
    } else if (c_.layer == RecurrentLayer::Rnn) {
      each_row(run, k, part, table.rnn);
    } else if (products_.size() == 1) {
      each_row(run, k, part, table.gru);
    } else {
      each_row(run, k, part, table.gru_gates);
      multiply(run, d, products_[1], rows, run.at(at_.reset_h) + first * c_.hidden, product, 0, c_.hidden, forwards);
      each_row(run, k, part, table.gru_state);
    }
  }

  void each_row(const Run& run, std::int64_t k, const Part& part, decltype(RecurrentTable::rnn) gates) const {
    const std::int64_t d = part.d, t = time_ahead(run, k, d);
    for (std::int64_t b = part.b0; b < part.b1; ++b) {
      if (!is_there(run, k, d, b)) continue;
      const std::int64_t own = d * c_.batch + b;
      RecurrentRow one = row(run, k, d, b, part.u0);
      one.input = input(run, d) + (t * c_.batch + b) * n_ + part.u0;
      one.product = run.at(at_.product) + own * n_ + part.u0;
      if (run.operand<float>(3) != nullptr && c_.linear_before_reset)
        one.state_bias = run.operand<float>(3) + d * 2 * n_ + n_ + 2 * c_.hidden + part.u0;
      one.reset_h = run.at(at_.reset_h) + own * c_.hidden + part.u0;
      gates(one, rule(d), part.u1 - part.u0);
    }
  }

  std::int64_t width_;
  bool fetches_;                                      // the panels of R that come next
  std::vector<std::unique_ptr<Kernel>> projections_;  // of each direction
  std::vector<Product> products_;
  std::int64_t packed_size_ = 0;
  std::vector<std::shared_ptr<const void>> packed_;  // of each direction
  Places at_{};
};

std::string refuses(const RecurrentConfig& c) {
  if (std::string why = recurrent_sizes_refusal(c); !why.empty()) return why;
  const std::int64_t rows = c.batch * std::max((kRecurrentRows + c.batch - 1) / c.batch, std::int64_t{1});
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
