// Convolution of 8-bit integers in groups of few channels by f32: differences from the zero points are whole numbers,
// and so are their sums, which are exact as long as none can pass 2^24. For windows that nothing multiplies bytes for,
// such as those of few channels of a group, and for one channel, which lies in any layout.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/cpu/align.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
inline namespace conv_int8_floats_cc {
namespace {

using Op = Int8Operand;

constexpr double kExact = 1 << 24;                 // whole numbers up to it are floats
constexpr std::int64_t kTileSums = 4096;           // that are finished together
constexpr std::string_view kInexact = "winograd";  // multiplies what is no whole number

// Of one channel and filter.
bool has_planes(const ConvInt8Config& c) { return c.x[1] == 1 && c.w[0] == 1; }

std::vector<float> whole_weights(const ConvInt8Config& c) {
  const std::int64_t elements = element_count(c.w);
  const Centering centering{c.w_type, c.w_zero.data, c.w_zeros, elements / c.w[0]};
  std::vector<float> weights(static_cast<std::size_t>(elements));
  for (std::int64_t i = 0; i < elements; ++i)
    weights[static_cast<std::size_t>(i)] =
        static_cast<float>(zero_point(c.weights.data, c.w_type, i) - centering.zero_of(i));
  return weights;
}

ConvConfig float_config(const ConvInt8Config& c, const std::vector<float>& weights) {
  ConvConfig config = sizes_of(c);
  config.x_layout = config.out_layout = has_planes(c) ? Layout::Dense : Layout::ChannelsLast;
  config.weights = {weights.data(), false, weights.size() * sizeof(float)};
  return config;
}
const Candidate<ConvConfig>* candidate_for(const ConvConfig& config) {
  const bool is_dense = config.x_layout == Layout::Dense;
  for (const Candidate<ConvConfig>& candidate : is_dense ? channels_first_conv_candidates() : conv_candidates())
    if (candidate.name != kInexact && candidate.refuses(config).empty()) return &candidate;
  return nullptr;
}

class FloatConvInt8 final : public Kernel {
 public:
  FloatConvInt8(const ConvInt8Config& c, PackedConstants& packed)
      : c_(c), weights_(whole_weights(c)), finisher_(c.output, c.out[1], element_count(c.w) / c.w[0]) {
    const ConvConfig config = float_config(c_, weights_);
    inner_ = candidate_for(config)->make(config, packed);
    const auto bytes = [](std::int64_t floats) { return align64(static_cast<std::size_t>(floats) * sizeof(float)); };
    pixels_ = element_count(c.out) / c.out[1];
    tile_ = std::max<std::int64_t>(1, kTileSums / c.out[1]);
    x_at_ = align64(finisher_.scratch_bytes());
    out_at_ = x_at_ + bytes(element_count(c.x));
    inner_at_ = out_at_ + bytes(element_count(c.out));
  }

  std::size_t scratch_bytes() const override { return inner_at_ + inner_->scratch_bytes(); }
  std::size_t bytes() const noexcept override { return inner_->bytes() + weights_.size() * sizeof(float); }

  void run(void* const* operands, void* scratch) const override {
    auto* const base = static_cast<char*>(scratch);
    auto* const x = reinterpret_cast<float*>(base + x_at_);
    auto* const out = reinterpret_cast<float*>(base + out_at_);
    const std::int32_t zero = zero_point(operands[Op::XZero], c_.x_type);
    const QuantizeTable& table = quantize_table();
    parallel_ranges(element_count(c_.x), 0.1, 64, [&](std::int64_t begin, std::int64_t end) {
      if (c_.x_type == DataType::Uint8)
        table.from_uint8(static_cast<const std::uint8_t*>(operands[Op::X]) + begin, 1, zero, x + begin, end - begin);
      else
        table.from_int8(static_cast<const std::int8_t*>(operands[Op::X]) + begin, 1, zero, x + begin, end - begin);
    });
    void* const floats[] = {x, const_cast<float*>(weights_.data()), nullptr, out};
    inner_->run(floats, base + inner_at_);
    // The sums are of differences from x's zero point already.
    const SumFinisher::Run run = finisher_.prepare(operands, 0, nullptr, base);
    const std::int64_t channels = c_.out[1];
    parallel_ranges(pixels_, 0.3 * static_cast<double>(channels), tile_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; p += tile_) {
        const std::int64_t n = std::min(tile_, end - p), at = p * channels;
        // Whole numbers take the place of the floats that they come from.
        auto* const sums = reinterpret_cast<std::int32_t*>(out + at);
        int8_table().to_whole(out + at, sums, n * channels);
        finisher_.rows(run, sums, channels, n, 0, channels, at, channels);
      }
    });
  }

 private:
  ConvInt8Config c_;
  std::vector<float> weights_;
  SumFinisher finisher_;
  std::unique_ptr<Kernel> inner_;
  std::int64_t pixels_ = 0, tile_ = 1;
  std::size_t x_at_ = 0, out_at_ = 0, inner_at_ = 0;
};

}  // namespace
}  // namespace conv_int8_floats_cc

std::string float_conv_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = plain_conv_int8_refusal(c); !why.empty()) return why;
  if (c.group == 1 && !has_planes(c)) return "is for groups of channels, and for one";
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the weights are not constant";
  const std::vector<float> weights = whole_weights(c);
  const auto each = static_cast<std::size_t>(element_count(c.w) / c.w[0]);
  for (std::size_t first = 0; first < weights.size(); first += each) {
    double sum = 0;
    for (std::size_t i = 0; i < each; ++i) sum += std::fabs(static_cast<double>(weights[first + i]));
    if (sum * 255 > kExact) return "sums may pass 2^24";
  }
  return candidate_for(float_config(c, weights)) != nullptr ? "" : "no convolution of f32 takes it";
}

std::unique_ptr<Kernel> make_float_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<FloatConvInt8>(config, packed);
}

}  // namespace norn::kernels
