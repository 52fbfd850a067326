// Depthwise convolutions of 8-bit integers: every channel by itself, rows of an image shared by tasks. Sums are
// quantized in registers where scales are known; else a row of them is finished in the cache. Weights are packed
// without their zero points, for dot products of bytes only where they fit into int8 then; those of x are taken out of
// the sums, and what pads is x's zero point, so that it counts as 0.
#include "kernels/cpu/depthwise_int8.h"

#include <algorithm>
#include <cstring>

#include "base/division.h"
#include "base/fork.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"

namespace norn::kernels {
inline namespace depthwise_int8_cc {
namespace {

using Op = Int8Operand;

class DepthwiseInt8 final : public Kernel, SpatialSizes {
 public:
  DepthwiseInt8(const ConvInt8Config& config, PackedConstants& packed)
      : SpatialSizes(config),
        c_(config),
        table_(table_of(c_)),
        channels_(c_.x[1]),
        blocks_((channels_ + table_.block() - 1) / table_.block()),
        groups_(table_.by_column ? window_[2] * ((window_[1] + table_.taps - 1) / table_.taps)
                                 : (window_[1] * window_[2] + table_.taps - 1) / table_.taps),
        centered_(centering_of(c_)),
        finisher_(c_.output, channels_, centered_.each),
        quantizes_(c_.output.tame && c_.output.other == DataType::Undefined &&
                   (c_.output.type == DataType::Uint8 || c_.output.type == DataType::Int8)) {
    const std::int64_t rows = c_.x[0] * out_[1];
    const double row_ns = static_cast<double>(blocks_ * table_.block() * out_[2]) *
                          (0.02 + 0.03 * static_cast<double>(groups_ * table_.taps) / 12);
    tasks_ = std::min(rows, int8_pieces(row_ns * static_cast<double>(rows), 32));
    arranged_ = static_cast<std::size_t>(blocks_ * table_.block());
    finish_at_ = align64(static_cast<std::size_t>(std::max(channels_, table_.block())));
    own_at_ = finish_at_ + (quantizes_ ? 0 : align64(finisher_.scratch_bytes()));
    own_bytes_ = std::max(align64(table_.work_bytes(window_[1], (window_[2] - 1) * dilations_[2] + 1)),
                          align64(static_cast<std::size_t>(channels_) * 4));
    sums_at_ = own_bytes_;
    if (!quantizes_) own_bytes_ += align64(static_cast<std::size_t>(out_[2] * channels_) * sizeof(std::int32_t));
    const std::string key = to_string(c_.w) + centered_.key();
    weights_ = packed.get(c_.weights, 0,
                          "int8 depthwise " + std::to_string(table_.block()) + ' ' + std::to_string(table_.taps) + key,
                          [&] { return arranged_weights(); });
    sums_ = std::static_pointer_cast<const std::int32_t>(packed.get(c_.weights, 0, "int8 depthwise sums " + key, [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(channels_) * sizeof(std::int32_t));
      const std::vector<std::int16_t> w = centered_weights();
      for (std::int64_t c = 0; c < channels_; ++c) {
        std::int32_t sum = 0;
        for (std::int64_t t = 0; t < centered_.each; ++t) sum += w[static_cast<std::size_t>(c * centered_.each + t)];
        static_cast<std::int32_t*>(buffer.get())[c] = sum;
      }
      return buffer;
    }));
    plain_ = packed.get(c_.weights, 0, "int8 depthwise plain " + key, [&] {
      const std::vector<std::int16_t> w = centered_weights();
      auto buffer = aligned_buffer(w.size() * sizeof(std::int16_t));
      std::memcpy(buffer.get(), w.data(), w.size() * sizeof(std::int16_t));
      return buffer;
    });
  }

  std::size_t scratch_bytes() const override { return own_at_ + own_bytes_ * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const bool flips = c_.x_type == DataType::Int8;
    const std::int32_t x_zero = zero_point(operands[Op::XZero], c_.x_type);
    auto state = pool_.take([&] { return make_state(); });
    const std::int32_t counted_zero = x_zero + (flips ? 128 : 0);
    if (!quantizes_) {
      state->kept.run = finisher_.prepare(operands, counted_zero, sums_.get(), base + finish_at_);
    } else if (finisher_.keep(state->kept, operands, counted_zero, sums_.get())) {
      arrange(state->kept.run.base, state->bases.data());
      arrange(state->kept.run.scale, state->scales.data());
    }
    const SumFinisher::Run& run = state->kept.run;
    auto* outside = reinterpret_cast<std::uint8_t*>(base);
    std::memset(outside, x_zero, static_cast<std::size_t>(std::max(channels_, table_.block())));

    const std::int64_t rows = c_.x[0] * out_[1];
    base::parallel_for(tasks_, [&](std::int64_t t) {
      const std::uint8_t* x[kDepthwiseTaps];
      DepthwiseInt8Row row;
      row.x = x;
      row.outside = outside;
      row.flip = flips ? 0x80 : 0;
      row.width = in_[2];
      row.channels = channels_;
      row.window_rows = window_[1];
      row.window_columns = window_[2];
      row.stride = strides_[2];
      row.dilation = dilations_[2];
      row.pad = pads_[2];
      row.weights = weights_.get();
      row.base = state->bases.data();
      row.scale = state->scales.data();
      row.zero = run.finish.zero;
      row.low = run.finish.low;
      row.high = run.finish.high;
      row.pixels = out_[2];
      row.is_signed = c_.output.type == DataType::Int8;
      char* const own = base + own_at_ + own_bytes_ * static_cast<std::size_t>(t);
      row.work = own;
      row.sums = quantizes_ ? nullptr : reinterpret_cast<std::int32_t*>(own + sums_at_);
      for (auto [i, last_i] = base::part_of(rows, tasks_, t); i < last_i; ++i) {
        const std::int64_t image = i / out_[1], first = i % out_[1] * strides_[1] - pads_[1];
        for (std::int64_t k = 0; k < window_[1]; ++k) {
          const std::int64_t from = first + k * dilations_[1];
          x[k] = from < 0 || from >= in_[1]
                     ? nullptr
                     : static_cast<const std::uint8_t*>(operands[Op::X]) + (image * in_[1] + from) * in_[2] * channels_;
        }
        row.y = quantizes_ ? static_cast<std::uint8_t*>(operands[Op::Y]) + i * out_[2] * channels_ : nullptr;
        if (run.wide)
          wide_row(row, run, i * out_[2] * channels_);
        else
          table_.row(row);
        if (row.sums != nullptr && !run.wide)
          finisher_.rows(run, row.sums, channels_, out_[2], 0, channels_, i * out_[2] * channels_, channels_);
      }
    });
    pool_.give(std::move(state));
  }

 private:
  struct State {
    SumFinisher::Kept kept;
    std::vector<std::int32_t> bases;  // as weights are arranged; zeros where sums are finished later
    std::vector<float> scales;
  };
  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>();
    state->bases.resize(arranged_);
    state->scales.resize(arranged_);
    return state;
  }

  static Centering centering_of(const ConvInt8Config& c) {
    return {c.w_type, c.w_zero.data, c.w_zeros, element_count(c.w) / c.w[0]};
  }
  static const DepthwiseInt8Table& table_of(const ConvInt8Config& c) {
    const DepthwiseInt8Table* const bytes = depthwise_int8_vnni_table();
    return bytes != nullptr && centering_of(c).fits(c.weights, element_count(c.w)) ? *bytes : depthwise_int8_table();
  }

  std::vector<std::int16_t> centered_weights() const {
    std::vector<std::int16_t> w(static_cast<std::size_t>(element_count(c_.w)));
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      w[i] = static_cast<std::int16_t>(zero_point(c_.weights.data, c_.w_type, at) - centered_.zero_of(at));
    }
    return w;
  }
  std::int64_t channel_of(std::int64_t block, std::int64_t vector, std::int64_t lane) const {
    return depthwise_block_start(block, table_.block(), channels_) + 4 * table_.sums * (lane / 4) + 4 * vector +
           lane % 4;
  }
  template <class T>
  void arrange(const T* by_channel, T* to) const {
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t s = 0; s < table_.sums; ++s)
        for (std::int64_t l = 0; l < table_.lanes; ++l) {
          const std::int64_t c = channel_of(b, s, l);
          *to++ = c < channels_ ? by_channel[c] : T{};
        }
  }
  // The place among a filter's weights of one tap of a group; negative for none.
  std::int64_t tap_of(std::int64_t group, std::int64_t i) const {
    const std::int64_t rows = window_[1], columns = window_[2];
    if (!table_.by_column) {
      const std::int64_t tap = group * table_.taps + i;
      return tap < rows * columns ? tap : -1;
    }
    const std::int64_t of_column = (rows + table_.taps - 1) / table_.taps;
    const std::int64_t row = group % of_column * table_.taps + i;
    return row < rows ? row * columns + group / of_column : -1;
  }
  std::shared_ptr<const void> arranged_weights() const {
    const std::vector<std::int16_t> w = centered_weights();
    const std::size_t count = arranged_ * static_cast<std::size_t>(groups_ * table_.taps);
    auto buffer = aligned_buffer(count * table_.weight_bytes);
    std::size_t at = 0;
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t g = 0; g < groups_; ++g)
        for (std::int64_t s = 0; s < table_.sums; ++s)
          for (std::int64_t l = 0; l < table_.lanes; ++l)
            for (std::int64_t i = 0; i < table_.taps; ++i, ++at) {
              const std::int64_t c = channel_of(b, s, l), tap = tap_of(g, i);
              const std::int16_t value =
                  c < channels_ && tap >= 0 ? w[static_cast<std::size_t>(c * centered_.each + tap)] : std::int16_t{0};
              if (table_.weight_bytes == 1)
                static_cast<std::int8_t*>(buffer.get())[at] = static_cast<std::int8_t>(value);
              else
                static_cast<std::int16_t*>(buffer.get())[at] = value;
            }
    return buffer;
  }

  // Where a bias leaves no room for the sums in 32 bits.
  void wide_row(const DepthwiseInt8Row& row, const SumFinisher::Run& run, std::int64_t y_at) const {
    auto* sums = static_cast<std::int32_t*>(row.work);
    const auto* w = static_cast<const std::int16_t*>(plain_.get());
    for (std::int64_t p = 0; p < row.pixels; ++p) {
      for (std::int64_t c = 0; c < channels_; ++c) {
        std::int32_t sum = 0;
        for (std::int64_t r = 0; r < row.window_rows; ++r)
          for (std::int64_t k = 0; k < row.window_columns; ++k) {
            const std::int64_t column = p * row.stride + k * row.dilation - row.pad;
            const bool inside = row.x[r] != nullptr && column >= 0 && column < row.width;
            const std::uint8_t x = inside ? row.x[r][column * channels_ + c] : row.outside[c];
            sum += static_cast<std::uint8_t>(x ^ row.flip) * w[c * centered_.each + r * row.window_columns + k];
          }
        sums[c] = sum;
      }
      finisher_.rows(run, sums, channels_, 1, 0, channels_, y_at + p * channels_, channels_);
    }
  }

  ConvInt8Config c_;
  const DepthwiseInt8Table& table_;
  std::int64_t channels_, blocks_, groups_, tasks_ = 1;
  Centering centered_;
  SumFinisher finisher_;
  bool quantizes_;
  std::size_t arranged_ = 0, finish_at_ = 0, own_at_ = 0, own_bytes_ = 0, sums_at_ = 0;
  std::shared_ptr<const void> weights_, plain_;
  std::shared_ptr<const std::int32_t> sums_;
  base::ObjectPool<State> pool_;
};

}  // namespace
}  // namespace depthwise_int8_cc

std::string depthwise_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = plain_conv_int8_refusal(c); !why.empty()) return why;
  if (c.group != c.x[1] || c.w[0] != c.x[1] || c.x.size() > 4) return "is for images with a filter for each channel";
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the weights are not constant";
  const Spatial3 window = spatial3(c.w, 2, 1), dilations = spatial3(c.dilations, 0, 1);
  if (window[1] > kDepthwiseTaps || window[2] > kDepthwiseTaps || window[1] * window[2] > kDepthwiseTaps ||
      dilations[2] > kDepthwiseColumns || (window[2] - 1) * dilations[2] >= kDepthwiseColumns)
    return "a large window";
  if (element_count(c.out) == 0) return "an empty output";
  return "";
}

std::unique_ptr<Kernel> make_depthwise_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<DepthwiseInt8>(config, packed);
}

}  // namespace norn::kernels
