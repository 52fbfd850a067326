// Depthwise convolutions of 8-bit integers: every channel by itself, rows of an image or a volume shared by tasks. Sums
// are quantized in registers where scales are known; else a row of them is finished in the cache. Weights are packed
// without their zero points, by each run if it brings them, for dot products of bytes only where they fit into int8
// then; those of x are taken out of the sums, and what pads is x's zero point, so that it counts as 0. Where a channel
// has several filters, the rows of x that windows meet are copied with each channel as often.
#include "kernels/cpu/depthwise_int8.h"

#include <algorithm>
#include <cstring>

#include "base/division.h"
#include "base/fork.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"

namespace norn::kernels {
inline namespace depthwise_int8_cc {
namespace {

using Op = Int8Operand;

constexpr std::int64_t kMostFilters = 8;  // of a channel

// Whether a run brings them, or their zero points.
bool are_fed(const ConvInt8Config& c) { return !c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known()); }

class DepthwiseInt8 final : public Kernel, SpatialSizes {
 public:
  DepthwiseInt8(const ConvInt8Config& config, PackedConstants& packed)
      : SpatialSizes(config),
        c_(config),
        table_(table_of(c_)),
        channels_(c_.w[0]),
        filters_(c_.w[0] / c_.x[1]),
        window_rows_(window_[0] * window_[1]),
        rows_(c_.x[0] * out_[0] * out_[1]),
        blocks_((channels_ + table_.block() - 1) / table_.block()),
        groups_(table_.by_column ? window_[2] * ((window_rows_ + table_.taps - 1) / table_.taps)
                                 : (window_rows_ * window_[2] + table_.taps - 1) / table_.taps),
        centered_(centering_of(c_)),
        finisher_(c_.output, channels_, centered_.each),
        quantizes_(c_.output.tame && c_.output.other == DataType::Undefined &&
                   (c_.output.type == DataType::Uint8 || c_.output.type == DataType::Int8)) {
    const double row_ns = static_cast<double>(blocks_ * table_.block() * out_[2]) *
                          (0.02 + 0.03 * static_cast<double>(groups_ * table_.taps) / 12);
    tasks_ = std::min(rows_, int8_pieces(row_ns * static_cast<double>(rows_), 32));
    arranged_ = static_cast<std::size_t>(blocks_ * table_.block());
    finish_at_ = align64(static_cast<std::size_t>(std::max(channels_, table_.block())));
    const bool is_fed = are_fed(c_);
    const auto elements = static_cast<std::size_t>(element_count(c_.w));
    fed_at_ = finish_at_ + (quantizes_ && !is_fed ? 0 : align64(finisher_.scratch_bytes()));
    fed_sums_at_ = fed_at_ + (is_fed ? align64((elements + 1) * sizeof(std::int16_t)) : 0);
    fed_arranged_at_ = fed_sums_at_ + (is_fed ? align64(static_cast<std::size_t>(channels_) * 4) : 0);
    repeated_at_ = fed_arranged_at_ + (is_fed ? align64(arranged_elements() * table_.weight_bytes) : 0);
    own_at_ = repeated_at_ + (filters_ > 1 ? align64(static_cast<std::size_t>(element_count(c_.x) * filters_)) : 0);
    own_bytes_ = std::max(align64(table_.work_bytes(window_rows_, (window_[2] - 1) * dilations_[2] + 1)),
                          align64(static_cast<std::size_t>(channels_) * 4));
    sums_at_ = own_bytes_;
    if (!quantizes_) own_bytes_ += align64(static_cast<std::size_t>(out_[2] * channels_) * sizeof(std::int32_t));
    if (filters_ > 1) list_rows();
    if (is_fed) {
      list_places();
      return;
    }
    const std::string key = to_string(c_.w) + centered_.key();
    const auto centered = [&] {
      std::vector<std::int16_t> w(elements + 1);
      center(c_.weights.data, c_.w_zero.data, w.data());
      return w;
    };
    weights_ =
        packed.get(c_.weights, 0,
                   "int8 depthwise " + std::to_string(table_.block()) + ' ' + std::to_string(table_.taps) + key, [&] {
                     list_places();
                     auto buffer = aligned_buffer(arranged_elements() * table_.weight_bytes);
                     arrange_weights(centered().data(), buffer.get());
                     places_.clear();
                     return buffer;
                   });
    sums_ = packed.get(c_.weights, 0, "int8 depthwise sums " + key, [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(channels_) * sizeof(std::int32_t));
      sum_filters(centered().data(), static_cast<std::int32_t*>(buffer.get()));
      return buffer;
    });
    plain_ = packed.get(c_.weights, 0, "int8 depthwise plain " + key, [&] {
      auto buffer = aligned_buffer(elements * sizeof(std::int16_t));
      std::memcpy(buffer.get(), centered().data(), elements * sizeof(std::int16_t));
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
    const Weights weights = weights_ ? Weights{weights_.get(), static_cast<const std::int16_t*>(plain_.get()),
                                               static_cast<const std::int32_t*>(sums_.get())}
                                     : pack(operands, base);
    if (!quantizes_ || !weights_)
      state->kept.run = finisher_.prepare(operands, counted_zero, weights.sums, base + finish_at_);
    if (quantizes_ && (!weights_ || finisher_.keep(state->kept, operands, counted_zero, weights.sums))) {
      arrange(state->kept.run.base, state->bases.data());
      arrange(state->kept.run.scale, state->scales.data());
    }
    const SumFinisher::Run& run = state->kept.run;
    auto* outside = reinterpret_cast<std::uint8_t*>(base);
    std::memset(outside, x_zero, static_cast<std::size_t>(std::max(channels_, table_.block())));
    const auto* image_bytes = static_cast<const std::uint8_t*>(operands[Op::X]);
    if (filters_ > 1) {
      auto* const repeated = reinterpret_cast<std::uint8_t*>(base + repeated_at_);
      repeat_channels(image_bytes, repeated);
      image_bytes = repeated;
    }

    base::parallel_for(tasks_, [&](std::int64_t t) {
      const std::uint8_t* x[kDepthwiseTaps];
      DepthwiseInt8Row row;
      row.x = x;
      row.outside = outside;
      row.flip = flips ? 0x80 : 0;
      row.width = in_[2];
      row.channels = channels_;
      row.window_rows = window_rows_;
      row.window_columns = window_[2];
      row.stride = strides_[2];
      row.dilation = dilations_[2];
      row.pad = pads_[2];
      row.weights = weights.arranged;
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
      for (auto [i, last_i] = base::part_of(rows_, tasks_, t); i < last_i; ++i) {
        const auto [volume, y] = base::divide(i, out_[1]);
        const auto [image, z] = base::divide(volume, out_[0]);
        const std::uint8_t** to = x;
        for (std::int64_t k0 = 0; k0 < window_[0]; ++k0)
          for (std::int64_t k1 = 0; k1 < window_[1]; ++k1) {
            const std::int64_t line = line_of(z, y, k0, k1);
            *to++ = line < 0 ? nullptr : image_bytes + (image * in_[0] * in_[1] + line) * in_[2] * channels_;
          }
        row.y = quantizes_ ? static_cast<std::uint8_t*>(operands[Op::Y]) + i * out_[2] * channels_ : nullptr;
        if (run.wide)
          wide_row(row, run, weights.plain, i * out_[2] * channels_);
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
  // Without their zero points.
  struct Weights {
    const void* arranged;
    const std::int16_t* plain;
    const std::int32_t* sums;
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
    if (bytes == nullptr) return depthwise_int8_table();
    const Centering centering = centering_of(c);
    const bool fits = are_fed(c) ? centering.fits_any() : centering.fits(c.weights, element_count(c.w));
    return fits ? *bytes : depthwise_int8_table();
  }
  // The row of an image, counted through its planes, that a row of the window meets; negative for none.
  std::int64_t line_of(std::int64_t z, std::int64_t y, std::int64_t k0, std::int64_t k1) const {
    const std::int64_t i0 = z * strides_[0] - pads_[0] + k0 * dilations_[0],
                       i1 = y * strides_[1] - pads_[1] + k1 * dilations_[1];
    return i0 < 0 || i0 >= in_[0] || i1 < 0 || i1 >= in_[1] ? -1 : i0 * in_[1] + i1;
  }

  // What windows read of an image.
  void list_rows() {
    std::vector<bool> is_read(static_cast<std::size_t>(in_[0] * in_[1]));
    for (std::int64_t z = 0; z < out_[0]; ++z)
      for (std::int64_t y = 0; y < out_[1]; ++y)
        for (std::int64_t k = 0; k < window_rows_; ++k) {
          const std::int64_t line = line_of(z, y, k / window_[1], k % window_[1]);
          if (line >= 0) is_read[static_cast<std::size_t>(line)] = true;
        }
    for (std::size_t i = 0; i < is_read.size(); ++i)
      if (is_read[i]) lines_.push_back(static_cast<std::int64_t>(i));
  }
  void repeat_channels(const std::uint8_t* x, std::uint8_t* to) const {
    const std::int64_t n = in_[2] * c_.x[1], filters = filters_, per_image = static_cast<std::int64_t>(lines_.size());
    parallel_ranges(c_.x[0] * per_image, static_cast<double>(n * filters) * 0.1, 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const auto [image, line] = base::divide(i, per_image);
                        const std::int64_t at = (image * in_[0] * in_[1] + lines_[static_cast<std::size_t>(line)]) * n;
                        spread_rows(x + at, 1, to + at * filters, 1, filters, n);
                      }
                    });
  }

  // One more than there are weights, which is 0.
  void center(const void* weights, const void* zeros, std::int16_t* to) const {
    Centering centered = centered_;
    centered.zero = zeros;
    const std::int64_t each = centered_.each;
    for (std::int64_t c = 0, at = 0; c < channels_; ++c) {
      const std::int32_t zero = centered.zero_of(at);
      for (const std::int64_t end = at + each; at < end; ++at)
        to[at] = static_cast<std::int16_t>(zero_point(weights, c_.w_type, at) - zero);
    }
    to[channels_ * each] = 0;
  }
  void sum_filters(const std::int16_t* w, std::int32_t* sums) const {
    for (std::int64_t c = 0; c < channels_; ++c) {
      sums[c] = 0;
      for (std::int64_t t = 0; t < centered_.each; ++t) sums[c] += *w++;
    }
  }
  Weights pack(void* const* operands, char* base) const {
    auto* const plain = reinterpret_cast<std::int16_t*>(base + fed_at_);
    auto* const sums = reinterpret_cast<std::int32_t*>(base + fed_sums_at_);
    center(operands[Op::W], operands[Op::WZero], plain);
    sum_filters(plain, sums);
    arrange_weights(plain, base + fed_arranged_at_);
    return {base + fed_arranged_at_, plain, sums};
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
    const std::int64_t rows = window_rows_, columns = window_[2];
    if (!table_.by_column) {
      const std::int64_t tap = group * table_.taps + i;
      return tap < rows * columns ? tap : -1;
    }
    const std::int64_t of_column = (rows + table_.taps - 1) / table_.taps;
    const std::int64_t row = group % of_column * table_.taps + i;
    return row < rows ? row * columns + group / of_column : -1;
  }
  std::size_t arranged_elements() const { return arranged_ * static_cast<std::size_t>(groups_ * table_.taps); }
  // Which of the weights goes to each place; the one behind the last where there is none.
  void list_places() {
    const std::int64_t none = channels_ * centered_.each;
    places_.reserve(arranged_elements());
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t g = 0; g < groups_; ++g)
        for (std::int64_t s = 0; s < table_.sums; ++s)
          for (std::int64_t l = 0; l < table_.lanes; ++l) {
            const std::int64_t c = channel_of(b, s, l);
            for (std::int64_t i = 0; i < table_.taps; ++i) {
              const std::int64_t tap = tap_of(g, i);
              places_.push_back(c < channels_ && tap >= 0 ? c * centered_.each + tap : none);
            }
          }
  }
  void arrange_weights(const std::int16_t* w, void* to) const {
    if (table_.weight_bytes == 1)
      for (std::size_t i = 0; i < places_.size(); ++i)
        static_cast<std::int8_t*>(to)[i] = static_cast<std::int8_t>(w[places_[i]]);
    else
      for (std::size_t i = 0; i < places_.size(); ++i) static_cast<std::int16_t*>(to)[i] = w[places_[i]];
  }

  // Where a bias leaves no room for the sums in 32 bits.
  void wide_row(const DepthwiseInt8Row& row, const SumFinisher::Run& run, const std::int16_t* w,
                std::int64_t y_at) const {
    auto* sums = static_cast<std::int32_t*>(row.work);
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
  std::int64_t channels_, filters_;  // channels of the output; filters of each of x
  std::int64_t window_rows_, rows_, blocks_, groups_, tasks_ = 1;
  Centering centered_;
  SumFinisher finisher_;
  bool quantizes_;
  std::size_t arranged_ = 0, finish_at_ = 0, own_at_ = 0, own_bytes_ = 0, sums_at_ = 0;
  std::size_t fed_at_ = 0, fed_sums_at_ = 0, fed_arranged_at_ = 0, repeated_at_ = 0;
  std::vector<std::int64_t> lines_, places_;
  std::shared_ptr<const void> weights_, plain_, sums_;  // if constant
  base::ObjectPool<State> pool_;
};

}  // namespace
}  // namespace depthwise_int8_cc

std::string depthwise_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = plain_conv_int8_refusal(c); !why.empty()) return why;
  if (c.group != c.x[1]) return "is for filters of one channel each";
  if (c.w[0] == 1 && float_conv_int8_refuses(c).empty()) return "one channel would leave vectors mostly empty";
  if (c.w[0] > c.x[1] * kMostFilters) return "many filters for each channel";
  const Spatial3 window = spatial3(c.w, 2, 1), dilations = spatial3(c.dilations, 0, 1);
  if (!bounded_product(std::span(c.w).subspan(2), kDepthwiseTaps) || dilations[2] > kDepthwiseColumns ||
      (window[2] - 1) * dilations[2] >= kDepthwiseColumns)
    return "a large window";
  const Shape repeated = {element_count(c.x), kMostFilters};
  if (std::string why = extent_refusal({&repeated}); !why.empty()) return why;
  if (element_count(c.out) == 0) return "an empty output";
  return "";
}

std::unique_ptr<Kernel> make_depthwise_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<DepthwiseInt8>(config, packed);
}

}  // namespace norn::kernels
