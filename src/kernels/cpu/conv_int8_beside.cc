// Convolution of 8-bit integers with few filters: neighbouring pixels of the output are made as one, whose filters are
// those for each of them, in a window that all of theirs lie in, with zeros elsewhere. A vector of sums holds so many
// columns in any case, and what becomes of the sums is done once for all of them. Windows of one pixel read pixels that
// lie side by side as one row.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "kernels/cpu/align.h"
#include "kernels/cpu/panels_int8.h"

namespace norn::kernels {
inline namespace conv_int8_beside_cc {
namespace {

using Op = Int8Operand;

constexpr std::int64_t kBesideRow = 1024;      // bytes of a row of pixels, for a panel that the first cache holds
constexpr std::int64_t kBesideChannels = 128;  // beyond them the products take most of the time

bool all(const Shape& values, std::int64_t value) {
  return std::all_of(values.begin(), values.end(), [value](std::int64_t v) { return v == value; });
}

// The largest that is at most `most`; `most` itself if that is below 1.
std::int64_t divisor_up_to(std::int64_t n, std::int64_t most) {
  while (most > 1 && n % most != 0) --most;
  return most;
}

std::int64_t all_pixels(const ConvInt8Config& c) { return element_count(c.x) / std::max<std::int64_t>(1, c.x[1]); }
// How many pixels make a row.
std::int64_t beside(const ConvInt8Config& c) {
  return divisor_up_to(all_pixels(c), std::min(kPanelLanes / c.w[0], kBesideRow / c.x[1]));
}

// Of windows of several columns: how many neighbouring pixels are made together, and how many columns they read.
std::int64_t beside_columns(const ConvInt8Config& c) { return divisor_up_to(c.out.back(), kPanelLanes / c.w[0]); }
std::int64_t wide_columns(const ConvInt8Config& c, std::int64_t count) {
  return c.w.back() + (count - 1) * c.strides.back();
}
bool is_one_pixel(const ConvInt8Config& c) {
  return all(Shape(c.w.begin() + 2, c.w.end()), 1) && all(c.strides, 1) && all(c.pads_begin, 0) && all(c.pads_end, 0);
}

// Convolution whose filters are `count` times those of `c`, without their values and zero points.
ConvInt8Config repeated_filters(const ConvInt8Config& c, std::int64_t count) {
  ConvInt8Config repeated = c;
  for (std::int64_t* const numbers : {&repeated.w_zeros, &repeated.output.scales, &repeated.output.shifts})
    if (*numbers > 1) *numbers *= count;
  return repeated;
}
ConvInt8Config one_pixel_config(const ConvInt8Config& c, std::int64_t count) {
  ConvInt8Config rows = repeated_filters(c, count);
  const std::int64_t columns = count * c.w[0], depth = count * c.x[1], lines = all_pixels(c) / count;
  rows.x = {1, depth, 1, lines};
  rows.w = {columns, depth, 1, 1};
  rows.out = {1, columns, 1, lines};
  rows.strides = rows.dilations = {1, 1};
  rows.pads_begin = rows.pads_end = {0, 0};
  return rows;
}
ConvInt8Config window_config(const ConvInt8Config& c, std::int64_t count) {
  ConvInt8Config wide = repeated_filters(c, count);
  wide.w[0] *= count;
  wide.w.back() = wide_columns(c, count);
  wide.out[1] *= count;
  wide.out.back() /= count;
  wide.strides.back() *= count;
  const std::int64_t read = (c.out.back() - 1) * c.strides.back() + c.w.back();
  wide.pads_end.back() = std::max<std::int64_t>(0, read - c.x.back() - c.pads_begin.back());
  return wide;
}

class PixelsBeside final : public Kernel {
 public:
  PixelsBeside(const ConvInt8Config& c, PackedConstants& packed)
      : output_(c.output), count_(is_one_pixel(c) ? beside(c) : beside_columns(c)) {
    const std::int64_t filters = filters_ = c.w[0];
    ConvInt8Config rows = is_one_pixel(c) ? one_pixel_config(c, count_) : window_config(c, count_);
    // Of a filter, runs of elements that stay together, and where each begins for the first of the pixels.
    const std::int64_t each = element_count(c.w) / filters, wide = element_count(rows.w) / rows.w[0];
    const std::int64_t run = is_one_pixel(c) ? each : c.w.back(), wide_run = is_one_pixel(c) ? wide : rows.w.back();
    const std::int64_t shift = is_one_pixel(c) ? each : c.strides.back();
    const Centering centering{c.w_type, c.w_zero.data, c.w_zeros, each};
    const auto* const w = static_cast<const std::uint8_t*>(c.weights.data);
    weights_.resize(static_cast<std::size_t>(count_ * filters * wide));
    for (std::int64_t i = 0; i < count_ * filters; ++i) {
      const std::int64_t filter = i % filters;
      const auto zero = static_cast<std::uint8_t>(centering.zero_of(filter * each));
      if (c.w_zeros > 0) zeros_.push_back(zero);
      std::uint8_t* const to = weights_.data() + i * wide;
      std::fill_n(to, wide, zero);
      for (std::int64_t r = 0; r < each / run; ++r)
        std::copy_n(w + filter * each + r * run, run, to + r * wide_run + i / filters * shift);
    }
    rows.weights = {weights_.data(), false, weights_.size()};
    rows.w_zeros = static_cast<std::int64_t>(zeros_.size());
    rows.w_zero = {zeros_.empty() ? nullptr : zeros_.data(), false, zeros_.size()};
    const std::int64_t columns = rows.w[0];
    inner_ = make_panel_conv_int8_of_copies(rows, packed);
    own_at_ = 3 * align64(static_cast<std::size_t>(columns) * sizeof(float));
  }

  std::size_t scratch_bytes() const override { return own_at_ + inner_->scratch_bytes(); }

  std::size_t bytes() const noexcept override { return inner_->bytes() + weights_.size() + zeros_.size(); }

  void run(void* const* operands, void* scratch) const override {
    std::array<void*, Op::kCount> all;
    std::copy_n(operands, all.size(), all.begin());
    auto* at = static_cast<char*>(scratch);
    const auto repeat = [&](Op::Index i) {
      const auto bytes = static_cast<std::size_t>(filters_) * sizeof(float);
      char* const to = at;
      at += align64(bytes * static_cast<std::size_t>(count_));
      if (operands[i] == nullptr) return;
      for (std::int64_t k = 0; k < count_; ++k)
        std::memcpy(to + static_cast<std::size_t>(k) * bytes, operands[i], bytes);
      all[i] = to;
    };
    repeat(Op::Bias);
    if (output_.scales > 1) repeat(Op::WScale);
    if (output_.shifts > 1) repeat(Op::Shift);
    inner_->run(all.data(), static_cast<char*>(scratch) + own_at_);
  }

 private:
  SumOutput output_;
  std::int64_t filters_ = 1, count_;
  std::vector<std::uint8_t> weights_, zeros_;
  std::unique_ptr<Kernel> inner_;
  std::size_t own_at_ = 0;
};

}  // namespace
}  // namespace conv_int8_beside_cc

std::string beside_conv_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = plain_conv_int8_refusal(c); !why.empty()) return why;
  if (c.group != 1) return "is for one group of channels";
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the weights are not constant";
  if (c.output.other != DataType::Undefined) return "adds no other tensor";
  if (2 * c.w[0] > kPanelLanes) return "more filters than a few";
  if (is_one_pixel(c)) {
    if (c.x[1] > kBesideChannels) return "more channels than a few";
    return beside(c) < 2 ? "pixels that are not a multiple of a few" : "";
  }
  if (c.w.back() == 1 || c.dilations.back() != 1) return "is for windows of several columns that are not apart";
  const std::int64_t count = beside_columns(c);
  if (10 * count * c.w.back() < 13 * wide_columns(c, count)) return "windows that have few columns in common";
  return panel_conv_int8_refuses(window_config(c, count));
}

std::unique_ptr<Kernel> make_beside_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<PixelsBeside>(config, packed);
}

}  // namespace norn::kernels
