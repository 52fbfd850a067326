// Convolution of 8-bit integers by one pixel with few filters: neighbouring pixels lie side by side and are multiplied
// as one row, by a matrix that has the filters for each of them on its diagonal and zeros elsewhere. A vector of sums
// holds so many columns in any case, and what becomes of the sums, which costs most here, is done once for all of them.
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

std::int64_t all_pixels(const ConvInt8Config& c) { return element_count(c.x) / std::max<std::int64_t>(1, c.x[1]); }
// How many pixels make a row.
std::int64_t beside(const ConvInt8Config& c) {
  std::int64_t count = std::min(kPanelLanes / c.w[0], kBesideRow / c.x[1]);
  while (count > 1 && all_pixels(c) % count != 0) --count;
  return count;
}

class PixelsBeside final : public Kernel {
 public:
  PixelsBeside(const ConvInt8Config& c, PackedConstants& packed) : output_(c.output), count_(beside(c)) {
    const std::int64_t filters = filters_ = c.w[0], channels = c.x[1];
    const Centering centering{c.w_type, c.w_zero.data, c.w_zeros, channels};
    const auto* const w = static_cast<const std::uint8_t*>(c.weights.data);
    for (std::int64_t i = 0; i < count_ * filters; ++i) {
      const std::int64_t filter = i % filters;
      const auto zero = static_cast<std::uint8_t>(centering.zero_of(filter * channels));
      if (c.w_zeros > 0) zeros_.push_back(zero);
      const std::size_t row = weights_.size();
      weights_.resize(row + static_cast<std::size_t>(count_ * channels), zero);
      std::copy_n(w + filter * channels, channels,
                  weights_.begin() + static_cast<std::ptrdiff_t>(row) + i / filters * channels);
    }
    ConvInt8Config rows = c;
    const std::int64_t columns = count_ * filters, depth = count_ * channels, lines = all_pixels(c) / count_;
    rows.x = {1, depth, 1, lines};
    rows.w = {columns, depth, 1, 1};
    rows.out = {1, columns, 1, lines};
    rows.strides = rows.dilations = {1, 1};
    rows.pads_begin = rows.pads_end = {0, 0};
    rows.weights = {weights_.data(), false, weights_.size()};
    rows.w_zeros = static_cast<std::int64_t>(zeros_.size());
    rows.w_zero = {zeros_.empty() ? nullptr : zeros_.data(), false, zeros_.size()};
    if (output_.scales > 1) rows.output.scales = columns;
    if (output_.shifts > 1) rows.output.shifts = columns;
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
  if (c.group != 1 || !all(Shape(c.w.begin() + 2, c.w.end()), 1) || !all(c.strides, 1) || !all(c.pads_begin, 0) ||
      !all(c.pads_end, 0))
    return "is for windows of one pixel";
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the weights are not constant";
  if (c.output.other != DataType::Undefined) return "adds no other tensor";
  if (2 * c.w[0] > kPanelLanes || c.x[1] > kBesideChannels) return "more filters or channels than a few";
  if (beside(c) < 2) return "pixels that are not a multiple of a few";
  return "";
}

std::unique_ptr<Kernel> make_beside_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<PixelsBeside>(config, packed);
}

}  // namespace norn::kernels
