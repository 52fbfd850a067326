#include "kernels/cpu/norm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/division.h"
#include "kernels/cpu/double_norm.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/half_norm.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/short_norm.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {
inline namespace norm_cc {
namespace {

// Whether rows are normalised many at a time.
bool is_short(const LayerNormConfig& c) { return c.n <= kShortNormRow && c.outer >= kFewNorms; }

// Rows [begin, end), a block at a time: each(first row, rows).
template <class Each>
void each_block(std::int64_t begin, std::int64_t end, std::int64_t block, const Each& each) {
  for (std::int64_t r = begin; r < end; r += block) each(r, std::min(block, end - r));
}

class LayerNorm final : public Kernel {
 public:
  explicit LayerNorm(const LayerNormConfig& c) : c_(c), table_(row_table()) {}
  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    const float* scale = c_.has_scale ? static_cast<const float*>(operands[1]) : nullptr;
    const float* bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;
    float* out = static_cast<float*>(operands[3]);
    const ShortNormForm<float> form = {c_.epsilon, c_.root_mean_square, false, scale, bias};
    parallel_ranges(c_.outer, (is_short(c_) ? 2 : 20) + 0.3 * static_cast<double>(c_.n), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      each_block(begin, end, is_short(c_) ? kNormBlock : 1, [&](std::int64_t first, std::int64_t rows) {
                        // The statistics first: the output may lie where x does.
                        for (std::int64_t r = first; (c_.gives_mean || c_.gives_inverse) && r < first + rows; ++r)
                          statistics(operands, x + r * c_.n, r);
                        if (is_short(c_))
                          short_(x + first * c_.n, out + first * c_.n, c_.n, rows, form);
                        else
                          table_.layer_norm(x + first * c_.n, scale, bias, out + first * c_.n, c_.n, c_.epsilon,
                                            c_.root_mean_square);
                      });
                    });
  }

 private:
  void statistics(void* const* operands, const float* x, std::int64_t r) const {
    constexpr std::int64_t kPart = 512;
    constexpr int kSum = static_cast<int>(ReduceKind::Sum), kSquares = static_cast<int>(ReduceKind::SumSquare);
    const auto n = static_cast<double>(c_.n);
    const auto sum_of = [&](int kind, float shift) {
      double sum = 0;
      float part[kPart];
      for (std::int64_t at = 0; at < c_.n; at += kPart) {
        const std::int64_t m = std::min(kPart, c_.n - at);
        for (std::int64_t i = 0; i < m && shift != 0; ++i) part[i] = x[at + i] - shift;
        sum += static_cast<double>(reduce_table().row(kind, shift != 0 ? part : x + at, m));
      }
      return sum;
    };
    const double mean = c_.root_mean_square ? 0 : sum_of(kSum, 0) / n;
    if (c_.gives_mean) static_cast<float*>(operands[4])[r] = static_cast<float>(mean);
    if (!c_.gives_inverse) return;
    const double variance = sum_of(kSquares, static_cast<float>(mean)) / n;
    static_cast<float*>(operands[5])[r] = static_cast<float>(1 / std::sqrt(variance + static_cast<double>(c_.epsilon)));
  }

  LayerNormConfig c_;
  const RowTable& table_;
  ShortNorm<float> short_;
};

class LayerNormDouble final : public Kernel {
 public:
  explicit LayerNormDouble(const LayerNormConfig& c)
      : c_(c), row_(double_norm_loop(c.root_mean_square, c.rounds_to_float)) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const double*>(operands[0]);
    const auto* scale = c_.has_scale ? static_cast<const double*>(operands[1]) : nullptr;
    const auto* bias = c_.has_bias ? static_cast<const double*>(operands[2]) : nullptr;
    auto* out = static_cast<double*>(operands[3]);
    const auto epsilon = static_cast<double>(c_.epsilon);
    const ShortNormForm<double> form = {epsilon, c_.root_mean_square, c_.rounds_to_float, scale, bias};
    parallel_ranges(c_.outer, 20 + 1.0 * static_cast<double>(c_.n), 1, [&](std::int64_t begin, std::int64_t end) {
      if (is_short(c_))
        return each_block(begin, end, kNormBlock, [&](std::int64_t first, std::int64_t rows) {
          short_(x + first * c_.n, out + first * c_.n, c_.n, rows, form);
        });
      for (std::int64_t r = begin; r < end; ++r) row_(x + r * c_.n, scale, bias, out + r * c_.n, c_.n, epsilon);
    });
  }

 private:
  LayerNormConfig c_;
  DoubleNormLoop row_;
  ShortNorm<double> short_;
};

class LayerNormHalf final : public Kernel {
 public:
  explicit LayerNormHalf(const LayerNormConfig& c)
      : c_(c), row_(half_norm_loop(c.type, c.root_mean_square)), halves_(c.type), table_(row_table()) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::uint16_t*>(operands[0]);
    const auto* scale = c_.has_scale ? static_cast<const std::uint16_t*>(operands[1]) : nullptr;
    const auto* bias = c_.has_bias ? static_cast<const std::uint16_t*>(operands[2]) : nullptr;
    auto* out = static_cast<std::uint16_t*>(operands[3]);
    parallel_ranges(c_.outer, 20 + 0.3 * static_cast<double>(c_.n), 1, [&](std::int64_t begin, std::int64_t end) {
      if (c_.n <= kWidenedRow && c_.outer >= kFewNorms) return widened(x, scale, bias, out, begin, end);
      for (std::int64_t r = begin; r < end; ++r) row_(x + r * c_.n, scale, bias, out + r * c_.n, c_.n, c_.epsilon);
    });
  }

 private:
  // Longer rows are widened where they are read, which for shorter ones costs more at their ends.
  static constexpr std::int64_t kWidenedRow = 512, kWidened = kShortNormRow * kNormBlock;

  void widened(const std::uint16_t* x, const std::uint16_t* scale, const std::uint16_t* bias, std::uint16_t* out,
               std::int64_t begin, std::int64_t end) const {
    alignas(64) float wide[kWidened], wide_scale[kWidenedRow], wide_bias[kWidenedRow];
    const std::int64_t n = c_.n;
    if (scale) halves_.widen(scale, wide_scale, n);
    if (bias) halves_.widen(bias, wide_bias, n);
    const float *by = scale ? wide_scale : nullptr, *more = bias ? wide_bias : nullptr;
    const ShortNormForm<float> form = {c_.epsilon, c_.root_mean_square, false, by, more};
    each_block(begin, end, is_short(c_) ? kNormBlock : kWidened / n, [&](std::int64_t first, std::int64_t rows) {
      halves_.widen(x + first * n, wide, rows * n);
      if (is_short(c_))
        short_(wide, wide, n, rows, form);
      else
        for (std::int64_t r = 0; r < rows; ++r)
          table_.layer_norm(wide + r * n, by, more, wide + r * n, n, c_.epsilon, c_.root_mean_square);
      halves_.narrow(wide, out + first * n, rows * n);
    });
  }

  LayerNormConfig c_;
  HalfNormLoop row_;
  Halves halves_;
  const RowTable& table_;
  ShortNorm<float> short_;
};

// Seen as [outer, channels, inner].
class Lrn final : public Kernel {
 public:
  explicit Lrn(const LrnConfig& c) : c_(c), channels_(c.x[1]), outer_(c.x[0]) {
    std::int64_t pixels = 1;
    for (std::size_t d = 2; d < c.x.size(); ++d) pixels *= c.x[d];
    (c.layout == Layout::Dense ? inner_ : outer_) *= pixels;
  }
  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[1]);
    const double element_ns = 1.5 + 0.5 * static_cast<double>(c_.size);
    parallel_ranges(outer_ * channels_ * inner_, element_ns, kTile,
                    [&](std::int64_t begin, std::int64_t end) { range(x, out, begin, end); });
  }

 private:
  static constexpr std::int64_t kTile = 512;

  void range(const float* x, float* out, std::int64_t begin, std::int64_t end) const {
    const StepTableF32& steps = step_table_f32();
    const float scale = c_.alpha / static_cast<float>(c_.size), power = -c_.beta;
    // The window reaches one further up than down if its size is even.
    const std::int64_t down = (c_.size - 1) / 2, up = c_.size - 1 - down;
    alignas(64) float tile[kTile];
    for (std::int64_t at = begin; at < end; at += kTile) {
      const std::int64_t n = std::min(kTile, end - at);
      auto [channel, in_channel] = base::divide(at, inner_);
      channel = base::divide(channel, channels_).rest;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t c = channel;
        if (++in_channel == inner_) {
          in_channel = 0;
          channel = channel + 1 < channels_ ? channel + 1 : 0;
        }
        const std::int64_t first = std::max<std::int64_t>(0, c - down), last = std::min(channels_ - 1, c + up);
        const float* p = x + at + i + (first - c) * inner_;
        float sum = 0;
        for (std::int64_t k = first; k <= last; ++k, p += inner_) sum += *p * *p;
        tile[i] = c_.bias + scale * sum;
      }
      steps(ElementOp::Log)(tile, nullptr, tile, n, 0, 0);
      steps(ElementOp::Mul, Right::Value)(tile, &power, tile, n, 0, 0);
      steps(ElementOp::Exp)(tile, nullptr, tile, n, 0, 0);
      steps(ElementOp::Mul)(tile, x + at, out + at, n, 0, 0);
    }
  }

  LrnConfig c_;
  std::int64_t channels_, outer_, inner_ = 1;
};

std::string layer_norm_refuses(const LayerNormConfig& c) {
  if (c.outer < 1 || c.n < 1) return "an empty tensor";
  if (c.type != DataType::Float && c.type != DataType::Double && !is_half(c.type))
    return "computes floating types, not " + std::string(data_type_name(c.type));
  if (c.type != DataType::Float && (c.gives_mean || c.gives_inverse)) return "gives statistics of float only";
  const Shape dims = {c.outer, c.n};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_layer_norm(const LayerNormConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<LayerNormDouble>(c);
  if (is_half(c.type)) return std::make_unique<LayerNormHalf>(c);
  return std::make_unique<LayerNorm>(c);
}
std::string lrn_refuses(const LrnConfig& c) {
  if (c.x.size() < 2) return "no channels";
  if (c.size < 1) return "a window below 1";
  return extent_refusal({&c.x});
}
std::unique_ptr<Kernel> make_lrn(const LrnConfig& c, PackedConstants&) { return std::make_unique<Lrn>(c); }

constexpr Candidate<LayerNormConfig> kLayerNorm[] = {{"simd", layer_norm_refuses, make_layer_norm}};
constexpr Candidate<LrnConfig> kLrn[] = {{"simd", lrn_refuses, make_lrn}};

}  // namespace
}  // namespace norm_cc

std::span<const Candidate<LayerNormConfig>> layer_norm_candidates() { return kLayerNorm; }
std::span<const Candidate<LrnConfig>> lrn_candidates() { return kLrn; }

}  // namespace norn::kernels
