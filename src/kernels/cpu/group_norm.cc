// Three times over the image: the means, the squares of what remains, and the result. Sums of a channel over some
// pixels are f32, those of all pixels and of a group double. A scale and a shift of each channel that follow, as ONNX's
// GroupNormalization has them, are one with the group's.
#include "kernels/cpu/group_norm.h"

#include <cmath>
#include <optional>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pixel_steps.h"

namespace norn::kernels {
inline namespace group_norm_cc {
namespace {

constexpr std::int64_t kTileFloats = 2048;  // which steps go over in the first cache

class GroupNorm final : public Kernel {
 public:
  explicit GroupNorm(const GroupNormConfig& c)
      : c_(c),
        images_(c.x[0]),
        channels_(c.x[1]),
        pixels_(element_count(c.x) / (images_ * channels_)),
        sums_(channel_sums()),
        loops_(channel_loops<float>(true)) {
    const PixelSteps all(c.x, c.post, c.extra, c.layout);
    const auto take = [&](ElementOp op) {
      if (c_.post.empty() || c_.post[0].op != op || !all.is_row(c_.post[0].operand)) return -1;
      const int operand = c_.post[0].operand;
      c_.post.erase(c_.post.begin());
      return operand;
    };
    scale_ = take(ElementOp::Mul);
    shift_ = take(ElementOp::Add);
    steps_.emplace(c_.x, c_.post, c_.extra, c_.layout);
    const double pixel_ns = 0.1 * static_cast<double>(channels_);
    pieces_ = piece_count(pixels_, pixel_ns * static_cast<double>(images_));
    row_ = round_up(channels_, 16);
    floats_at_ = align64(static_cast<std::size_t>(images_ * pieces_ * channels_) * sizeof(double));
  }

  std::size_t scratch_bytes() const override {
    return floats_at_ + static_cast<std::size_t>(3 * images_ * row_) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto* const x = static_cast<const float*>(operands[0]);
    const auto* const scale = static_cast<const float*>(operands[1]);
    const auto* const bias = static_cast<const float*>(operands[2]);
    void* const* const extras = operands + 3;
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    auto* const sums = static_cast<double*>(scratch);
    auto* const means = reinterpret_cast<float*>(static_cast<char*>(scratch) + floats_at_);
    float* const factors = means + images_ * row_;
    float* const shifts = factors + images_ * row_;
    const auto* const scales = scale_ >= 0 ? static_cast<const float*>(extras[scale_]) : nullptr;
    const auto* const added = shift_ >= 0 ? static_cast<const float*>(extras[shift_]) : nullptr;
    std::fill_n(means, images_ * row_, 0.0f);
    add_up(sums_.differences, x, means, sums);
    for_each_group(sums, [&](std::int64_t image, std::int64_t, std::int64_t first, std::int64_t end, double sum) {
      std::fill(means + image * row_ + first, means + image * row_ + end,
                static_cast<float>(sum / static_cast<double>(pixels_ * (end - first))));
    });
    add_up(sums_.squares, x, means, sums);
    for_each_group(sums, [&](std::int64_t image, std::int64_t group, std::int64_t first, std::int64_t end, double sum) {
      const double variance = sum / static_cast<double>(pixels_ * (end - first));
      const double factor = static_cast<double>(scale[group]) / std::sqrt(variance + static_cast<double>(c_.epsilon));
      for (std::int64_t c = first; c < end; ++c) {
        const double by = scales != nullptr ? static_cast<double>(scales[c]) : 1;
        const double more = added != nullptr ? static_cast<double>(added[c]) : 0;
        factors[image * row_ + c] = static_cast<float>(factor * by);
        shifts[image * row_ + c] = static_cast<float>(static_cast<double>(bias[group]) * by + more);
      }
    });
    const std::int64_t tile = std::max<std::int64_t>(1, kTileFloats / channels_);
    for_each_piece([&](std::int64_t image, std::int64_t, std::int64_t begin, std::int64_t end) {
      const std::int64_t row = image * row_;
      for (std::int64_t p = begin; p < end; p += tile) {
        const std::int64_t rows = std::min(tile, end - p), at = (image * pixels_ + p) * channels_;
        for (std::int64_t r = 0; r < rows; ++r)
          loops_.each(x + at + r * channels_, means + row, factors + row, shifts + row, out + at + r * channels_,
                      channels_);
        steps_->apply(out, extras, at, rows * channels_, 0, channels_);
      }
    });
  }

 private:
  // Calls f(image, piece of all images, first pixel, last pixel) for all pieces, beside each other.
  template <class F>
  void for_each_piece(F&& f) const {
    base::parallel_for(images_ * pieces_, [&](std::int64_t i) {
      const auto [image, piece] = base::divide(i, pieces_);
      const auto [begin, end] = base::part_of(pixels_, pieces_, piece);
      f(image, i, begin, end);
    });
  }
  // Calls f(image, group, first channel, last channel, sum).
  template <class F>
  void for_each_group(const double* sums, F&& f) const {
    const std::int64_t width = channels_ / c_.groups;
    for (std::int64_t image = 0; image < images_; ++image)
      for (std::int64_t group = 0; group < c_.groups; ++group) {
        double sum = 0;
        for (std::int64_t piece = 0; piece < pieces_; ++piece)
          for (std::int64_t c = 0; c < width; ++c)
            sum += sums[(image * pieces_ + piece) * channels_ + group * width + c];
        f(image, group, group * width, (group + 1) * width, sum);
      }
  }
  void add_up(SumChannels add, const float* x, const float* from, double* sums) const {
    for_each_piece([&](std::int64_t image, std::int64_t piece, std::int64_t begin, std::int64_t end) {
      std::fill_n(sums + piece * channels_, channels_, 0.0);
      add(x + (image * pixels_ + begin) * channels_, end - begin, channels_, from + image * row_,
          sums + piece * channels_);
    });
  }

  GroupNormConfig c_;
  std::int64_t images_, channels_, pixels_;
  int scale_ = -1, shift_ = -1;  // extras by channel that are taken into the result; -1: none
  ChannelSums sums_;
  ChannelLoops<float> loops_;
  std::optional<PixelSteps> steps_;  // the others
  std::int64_t pieces_ = 1, row_ = 1;
  std::size_t floats_at_ = 0;
};

std::string group_norm_refuses(const GroupNormConfig& c) {
  if (c.x.size() < 3) return "not an image";
  if (std::find(c.x.begin(), c.x.end(), 0) != c.x.end()) return "an empty tensor";
  if (std::string why = extent_refusal({&c.x}); !why.empty()) return why;
  if (std::string why = extent_refusal(c.extra); !why.empty()) return why;
  if (c.layout != Layout::ChannelsLast) return "channels are not last";
  if (c.groups < 1 || c.x[1] % c.groups != 0) return "groups that do not divide the channels";
  return pixel_steps_refusal(c.x, c.post, c.extra, -1);
}
std::unique_ptr<Kernel> make_group_norm(const GroupNormConfig& c, PackedConstants&) {
  return std::make_unique<GroupNorm>(c);
}

constexpr Candidate<GroupNormConfig> kGroupNorm[] = {{"pixels", group_norm_refuses, make_group_norm}};

}  // namespace
}  // namespace group_norm_cc

std::span<const Candidate<GroupNormConfig>> group_norm_candidates() { return kGroupNorm; }

}  // namespace norn::kernels
