// LSTM by products of 8-bit integers. What is multiplied is quantized row by row: the inputs of some steps ahead, and
// step by step the states, by each task for itself.
#include <algorithm>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/gate_panels.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/recurrent_steps.h"

namespace norn::kernels {
inline namespace recurrent_int8_cc {
namespace {

using Op = QuantizedRecurrentOperand;

constexpr std::int64_t kDeepest = 1 << 15;  // sums of so many products fit into 32 bits

double product_ns() { return panel_table() != nullptr ? 0.004 : 0.008; }
double weight_ns() { return panel_table() != nullptr ? 0.012 : 0.024; }

class QuantizedRecurrent final : public RecurrentSteps {
 public:
  QuantizedRecurrent(const QuantizedRecurrentConfig& c, PackedConstants& packed)
      : RecurrentSteps(c.layer, Op::Y, kGateUnits, {weight_ns(), product_ns(), 1 << 20}),
        scales_{c.w_scales, c.r_scales},
        blocks_(GatePanels::blocks(c_.hidden)),
        columns_(blocks_ * kGateColumns) {
    for (std::int64_t d = 0; d < c_.directions; ++d) {
      w_.push_back(panels(c.type, c_.w, c.w_zero, c.w_zeros, d, c_.features, packed));
      r_.push_back(panels(c.type, c_.r, c.r_zero, c.r_zeros, d, c_.hidden, packed));
    }
    const std::int64_t ahead = chunk_ * c_.batch;
    const double row_ns = static_cast<double>(c_.features) * (static_cast<double>(n_) * product_ns() + 0.1);
    tasks_ = piece_count(ahead, row_ns);
    range_tasks_ = piece_count(c_.steps * c_.batch, static_cast<double>(c_.features) * 0.06);
    for (Numbers& numbers : at_.numbers) numbers = reserve_numbers();
    at_.ranges = reserve<float>(2 * range_tasks_);
    at_.x_range = reserve<DynamicRange>(1);
    at_.x = reserve<std::uint8_t>(ahead * w_[0].row_bytes());
    at_.input = reserve<std::int32_t>(c_.directions * ahead * columns_);
    at_.h = reserve<std::uint8_t>(c_.directions * pieces_ * c_.batch * r_[0].row_bytes());
    at_.h_ranges = reserve<DynamicRange>(c_.directions * pieces_ * c_.batch);
    at_.product = reserve<std::int32_t>(c_.directions * c_.batch * columns_);
  }

  std::size_t bytes() const noexcept override { return 2048; }
  bool reads(std::size_t i) const override { return i != Op::W && i != Op::R && i != Op::WZero && i != Op::RZero; }

 private:
  // By column, in blocks.
  struct Numbers {
    std::size_t bias, w_scales, r_scales, input_base;
  };
  struct Places {
    Numbers numbers[2];  // of each direction
    std::size_t ranges, x_range, x, input, h, h_ranges, product;
  };

  GatePanels panels(DataType type, const Contents& weights, const Contents& zero, std::int64_t zeros, std::int64_t d,
                    std::int64_t depth, PackedConstants& packed) const {
    const std::int64_t bytes = depth * n_;
    return GatePanels(
        {static_cast<const char*>(weights.data) + d * bytes, weights.shared, static_cast<std::size_t>(bytes)},
        {type, static_cast<const char*>(zero.data) + d * zeros, zeros, 1}, depth, c_.hidden, packed);
  }
  Numbers reserve_numbers() {
    return {reserve<float>(columns_), reserve<float>(columns_), reserve<float>(columns_),
            reserve<std::int32_t>(columns_)};
  }

  void prepare(const Run& run) const override {
    const auto* x = run.operand<float>(Op::X);
    float* const ranges = run.at(at_.ranges);
    base::parallel_for(range_tasks_, [&](std::int64_t i) {
      const std::int64_t all = c_.steps * c_.batch, first = all * i / range_tasks_ * c_.features;
      int8_table().range(x + first, all * (i + 1) / range_tasks_ * c_.features - first, ranges + 2 * i,
                         ranges + 2 * i + 1);
    });
    DynamicRange& range = *run.at<DynamicRange>(at_.x_range);
    range = dynamic_range(ranges, range_tasks_);
    for (std::int64_t d = 0; d < c_.directions; ++d) {
      const Numbers& numbers = at_.numbers[d];
      GatePanels::to_blocks(run.operand<float>(Op::WScale) + d * scales_[0], scales_[0], c_.hidden,
                            run.at(numbers.w_scales));
      GatePanels::to_blocks(run.operand<float>(Op::RScale) + d * scales_[1], scales_[1], c_.hidden,
                            run.at(numbers.r_scales));
      float* const bias = run.at(numbers.bias);
      std::fill_n(bias, columns_, 0.0f);
      if (const auto* b = run.operand<float>(Op::B)) {
        auto* const both = run.at(numbers.input_base);  // not used yet
        GatePanels::to_blocks(b + 2 * d * n_, n_, c_.hidden, bias);
        GatePanels::to_blocks(b + (2 * d + 1) * n_, n_, c_.hidden, both);
        for (std::int64_t i = 0; i < columns_; ++i) bias[i] += both[i];
      }
      const GatePanels& w = w_[static_cast<std::size_t>(d)];
      auto* const base = run.at<std::int32_t>(numbers.input_base);
      const std::int32_t *const column_sums = w.column_sums(), zero = w.zero_in_sums(range);
      for (std::int64_t i = 0; i < columns_; ++i) base[i] = -zero * column_sums[i];
    }
  }

  void project(const Run& run, std::int64_t d) const override {
    const GatePanels& w = w_[static_cast<std::size_t>(d)];
    const DynamicRange& range = *run.at<DynamicRange>(at_.x_range);
    const std::int64_t rows = chunk_ * c_.batch;
    const auto* x = run.operand<float>(Op::X) + first_ahead(run, d) * c_.batch * c_.features;
    base::parallel_for(tasks_, [&](std::int64_t i) {
      const auto [first, last] = base::part_of(rows, tasks_, i);
      auto* const quantized = run.at<std::uint8_t>(at_.x);
      for (std::int64_t r = first; r < last; ++r) w.quantize(x + r * c_.features, range, quantized + r * w.row_bytes());
      w.multiply({quantized + first * w.row_bytes(), last - first, 0, blocks_, true,
                  run.at<std::int32_t>(at_.numbers[d].input_base), input(run, d) + first * columns_, columns_});
    });
  }
  std::int32_t* input(const Run& run, std::int64_t d) const {
    return run.at<std::int32_t>(at_.input) + d * chunk_ * c_.batch * columns_;
  }

  void step(const Run& run, std::int64_t k, const Part& part) const override {
    const auto [d, b0, b1, u0, u1, piece] = part;
    const GatePanels& r = r_[static_cast<std::size_t>(d)];
    const std::int64_t own = (d * pieces_ + piece) * c_.batch + b0, row = d * c_.batch + b0, at = u0 * 4;
    auto* const h = run.at<std::uint8_t>(at_.h) + own * r.row_bytes();
    auto* const ranges = run.at<DynamicRange>(at_.h_ranges) + own;
    for (std::int64_t i = 0; i < b1 - b0; ++i) {
      const float* const state = states(run, k) + (row + i) * c_.hidden;
      float ends[2];
      int8_table().range(state, c_.hidden, ends, ends + 1);
      ranges[i] = dynamic_range(ends, 1);
      r.quantize(state, ranges[i], h + i * r.row_bytes());
    }
    auto* const product = run.at<std::int32_t>(at_.product) + row * columns_;
    r.multiply({h, b1 - b0, u0 / kGateUnits, GatePanels::blocks(u1), k % 2 == 0, nullptr, product, columns_});
    const Numbers& numbers = at_.numbers[d];
    const DynamicRange& x_range = *run.at<DynamicRange>(at_.x_range);
    GateSums sums{};
    sums.input_scale = x_range.scale;
    sums.input_scales = run.at(numbers.w_scales) + at;
    sums.bias = run.at(numbers.bias) + at;
    sums.column_sums = r.column_sums() + at;
    sums.scales = run.at(numbers.r_scales) + at;
    for (std::int64_t b = b0; b < b1; ++b) {
      if (!is_there(run, k, d, b)) continue;
      sums.input = input(run, d) + (time_ahead(run, k, d) * c_.batch + b) * columns_ + at;
      sums.product = product + (b - b0) * columns_ + at;
      sums.zero = r.zero_in_sums(ranges[b - b0]);
      sums.scale = ranges[b - b0].scale;
      recurrent_table().lstm_of_sums(RecurrentSteps::row(run, k, d, b, u0), sums, rule(d), u1 - u0);
    }
  }

  std::int64_t scales_[2];  // of W, R
  std::int64_t blocks_, columns_;
  std::int64_t tasks_ = 1, range_tasks_ = 1;
  std::vector<GatePanels> w_, r_;  // of each direction
  Places at_{};
};

std::string refuses(const QuantizedRecurrentConfig& c) {
  const RecurrentConfig& layer = c.layer;
  if (layer.layer != RecurrentLayer::Lstm || layer.batch_first) return "takes LSTM with steps in front";
  if (c.type != DataType::Uint8 && c.type != DataType::Int8) return "weights are not 8-bit integers";
  if (std::string why = recurrent_sizes_refusal(layer); !why.empty()) return why;
  if (layer.features > kDeepest || layer.hidden > kDeepest)
    return "sums of more than " + std::to_string(kDeepest) + " products";
  if (!layer.w.known() || !layer.r.known()) return "the weights are not constant";
  if (!c.w_zero.known() || !c.r_zero.known()) return "the weights' zero points are not constant";
  return "";
}
std::unique_ptr<Kernel> make(const QuantizedRecurrentConfig& c, PackedConstants& packed) {
  return std::make_unique<QuantizedRecurrent>(c, packed);
}

constexpr Candidate<QuantizedRecurrentConfig> kQuantizedRecurrentCandidates[] = {{"int8 steps", refuses, make, true}};

}  // namespace
}  // namespace recurrent_int8_cc

std::span<const Candidate<QuantizedRecurrentConfig>> quantized_recurrent_candidates() {
  return kQuantizedRecurrentCandidates;
}

}  // namespace norn::kernels
