// The image is brought to channels last, so that what an output pixel reads at a place are runs of channels. What some
// pixels read, a row of [group][tap][channel] each, is multiplied by the filters.
#include "kernels/cpu/deform_conv.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {
inline namespace deform_conv_cc {
namespace {

constexpr std::int64_t kPixels = 64;  // of the output, done together

class DeformConv final : public Kernel {
 public:
  DeformConv(const DeformConvConfig& c, PackedConstants& packed)
      : c_(c),
        channels_(c.x[1]),
        height_(c.x[2]),
        width_(c.x[3]),
        filters_(c.w[0]),
        depth_(c.w[1]),
        taps_(c.w[2] * c.w[3]),
        out_plane_(c.out[2] * c.out[3]),
        panel_floats_(packed_floats(depth_ * taps_, filters_ / c.group)) {
    blocks_ = (out_plane_ + kPixels - 1) / kPixels;
    const double pixel_ns = static_cast<double>(taps_ * channels_) * (1 + 0.03 * static_cast<double>(filters_));
    tasks_ = piece_count(blocks_, pixel_ns * static_cast<double>(std::min(kPixels, out_plane_)));
    if (c.weights.known()) {
      const std::string recipe =
          "deform conv " + to_string(c.w) + " " + std::to_string(c.group) + " " + std::to_string(gemm_table().width);
      weights_ = packed.get(c.weights, 0, recipe, [&] {
        auto buffer = aligned_buffer(static_cast<std::size_t>(c_.group * panel_floats_) * sizeof(float));
        pack(static_cast<const float*>(c_.weights.data), static_cast<float*>(buffer.get()));
        return buffer;
      });
    }
    task_floats_ = up(kPixels * taps_ * channels_) + up(channels_) + up(kPixels * filters_);
    weights_at_ = up(channels_ * height_ * width_);
    tasks_at_ = weights_at_ + (weights_ ? 0 : up(c.group * panel_floats_));
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(tasks_at_ + tasks_ * task_floats_) * sizeof(float);
  }
  bool reads(std::size_t i) const override { return i != 1 || !weights_; }

  void run(void* const* operands, void* scratch) const override {
    auto* const image = static_cast<float*>(scratch);
    const float* weights = static_cast<const float*>(weights_.get());
    if (!weights_) {
      pack(static_cast<const float*>(operands[1]), image + weights_at_);
      weights = image + weights_at_;
    }
    const std::int64_t plane = height_ * width_;
    const TransposeLoops turn = transpose_loops(sizeof(float));
    for (std::int64_t n = 0; n < c_.x[0]; ++n) {
      const float* x = static_cast<const float*>(operands[0]) + n * channels_ * plane;
      parallel_ranges(plane, 0.5 * static_cast<double>(channels_), 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t at = begin; at < end; at += 64)
          for (std::int64_t c = 0; c < channels_; c += 64)
            turn.block(x + c * plane + at, plane, image + at * channels_ + c, channels_,
                       std::min<std::int64_t>(64, channels_ - c), std::min<std::int64_t>(64, end - at));
      });
      base::parallel_for(tasks_, [&](std::int64_t task) {
        float* own = image + tasks_at_ + task * task_floats_;
        for (auto [b, last_b] = base::part_of(blocks_, tasks_, task); b < last_b; ++b)
          block(operands, n, image, weights, b * kPixels, std::min(kPixels, out_plane_ - b * kPixels), own, turn);
      });
    }
  }

 private:
  static std::int64_t up(std::int64_t floats) { return (floats + 15) / 16 * 16; }

  // Of each group, rows [tap][channel] of its filters.
  void pack(const float* w, float* to) const {
    const std::int64_t filters = filters_ / c_.group, k = depth_ * taps_, panel = gemm_table().width;
    for (std::int64_t g = 0; g < c_.group; ++g)
      for (std::int64_t f = 0; f < (filters + panel - 1) / panel * panel; ++f)
        for (std::int64_t c = 0; c < depth_; ++c)
          for (std::int64_t t = 0; t < taps_; ++t)
            to[g * panel_floats_ + f / panel * panel * k + (t * depth_ + c) * panel + f % panel] =
                f < filters ? float_at(w + ((g * filters + f) * depth_ + c) * taps_ + t) : 0.0f;
  }

  // What is read at a place, for channels [first, first + count).
  void read(const float* image, double y, double x, float factor, std::int64_t first, std::int64_t count,
            float* to) const {
    if (!(y > -1 && x > -1 && y < static_cast<double>(height_) && x < static_cast<double>(width_))) {
      std::fill_n(to, count, 0.0f * factor);
      return;
    }
    const auto top = static_cast<std::int64_t>(std::floor(y)), left = static_cast<std::int64_t>(std::floor(x));
    const auto down = static_cast<float>(y - static_cast<double>(top)),
               across = static_cast<float>(x - static_cast<double>(left));
    // What lies outside of the image, or weighs nothing, is not read, whatever it is.
    const std::int64_t rows[] = {top >= 0 ? top : -1, down > 0 && top + 1 < height_ ? top + 1 : -1};
    const std::int64_t columns[] = {left >= 0 ? left : -1, across > 0 && left + 1 < width_ ? left + 1 : -1};
    const float row_weights[] = {1 - down, down}, column_weights[] = {1 - across, across};
    const float* from[4];
    float weights[4];
    int places = 0;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        if (rows[i] < 0 || columns[j] < 0) continue;
        from[places] = image + (rows[i] * width_ + columns[j]) * channels_ + first;
        weights[places++] = row_weights[i] * column_weights[j];
      }
    if (places == 4) {
      const float *a = from[0], *b = from[1], *c = from[2], *d = from[3];
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = (weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i] + weights[3] * d[i]) * factor;
      return;
    }
    std::fill_n(to, count, 0.0f);
    for (int p = 0; p < places; ++p)
      for (std::int64_t i = 0; i < count; ++i) to[i] += weights[p] * from[p][i];
    for (std::int64_t i = 0; i < count; ++i) to[i] *= factor;
  }

  // Output pixels [first, first + pixels) of image n.
  void block(void* const* operands, std::int64_t n, const float* image, const float* weights, std::int64_t first,
             std::int64_t pixels, float* own, const TransposeLoops& turn) const {
    const std::int64_t moved = channels_ / c_.offset_group, row = taps_ * channels_;
    float *const rows = own, *const line = rows + up(kPixels * row), *const products = line + up(channels_);
    const auto* bias = static_cast<const float*>(operands[3]);
    for (std::int64_t p = 0; p < pixels; ++p) {
      const std::int64_t at = first + p, top = at / c_.out[3] * c_.strides[0] - c_.pads_begin[0],
                         left = at % c_.out[3] * c_.strides[1] - c_.pads_begin[1];
      for (std::int64_t t = 0; t < taps_; ++t) {
        float* const to = c_.group == 1 ? rows + p * row + t * channels_ : line;
        const std::int64_t y = top + t / c_.w[3] * c_.dilations[0], x = left + t % c_.w[3] * c_.dilations[1];
        for (std::int64_t g = 0; g < c_.offset_group; ++g) {
          const std::int64_t move = (n * c_.offset_group + g) * taps_ + t;
          const float* offset = static_cast<const float*>(operands[2]) + 2 * move * out_plane_ + at;
          const float factor = c_.has_mask ? static_cast<const float*>(operands[4])[move * out_plane_ + at] : 1.0f;
          read(image, static_cast<double>(y) + static_cast<double>(offset[0]),
               static_cast<double>(x) + static_cast<double>(offset[out_plane_]), factor, g * moved, moved,
               to + g * moved);
        }
        for (std::int64_t g = 0; c_.group > 1 && g < c_.group; ++g)
          std::copy_n(line + g * depth_, depth_, rows + p * row + (g * taps_ + t) * depth_);
      }
    }
    const std::int64_t filters = filters_ / c_.group, panel = gemm_table().width, k = depth_ * taps_;
    for (std::int64_t g = 0; g < c_.group; ++g)
      gemm_table().multiply(pixels, filters, k, rows + g * k, row, 1, {weights + g * panel_floats_, panel * k, panel},
                            products + g * filters, filters_, c_.has_bias ? bias + g * filters : nullptr, 1.0f);
    float* const out = static_cast<float*>(operands[5]) + n * filters_ * out_plane_ + first;
    for (std::int64_t f = 0; f < filters_; f += 64)
      turn.block(products + f, filters_, out + f * out_plane_, out_plane_, pixels,
                 std::min<std::int64_t>(64, filters_ - f));
  }

  DeformConvConfig c_;
  std::int64_t channels_, height_, width_, filters_, depth_, taps_, out_plane_, panel_floats_;
  std::int64_t blocks_ = 1, tasks_ = 1, task_floats_ = 0, weights_at_ = 0, tasks_at_ = 0;
  std::shared_ptr<const void> weights_;
};

std::string refuses(const DeformConvConfig& c) {
  if (c.x.size() != 4) return "goes over images only";
  for (const Shape* dims : {&c.x, &c.w, &c.out})
    for (std::int64_t d : *dims)
      if (d < 1) return "an empty tensor";
  if (!bounded(c.strides) || !bounded(c.dilations) || !bounded(c.pads_begin)) return "strides beyond any memory";
  const std::int64_t taps = c.w[2] * c.w[3];
  const Shape rows = {kPixels * 32, taps, c.x[1] + 16, 4}, products = {kPixels * 32, c.w[0] + 16, 4},
              offsets = {c.x[0], c.offset_group, taps, 2, c.out[2], c.out[3]},
              packed = {c.w[1] + 1, taps, c.w[0] + 64 * c.group, 4};
  return extent_refusal({&c.x, &c.w, &c.out, &rows, &products, &offsets, &packed});
}
std::unique_ptr<Kernel> make(const DeformConvConfig& c, PackedConstants& packed) {
  return std::make_unique<DeformConv>(c, packed);
}

constexpr Candidate<DeformConvConfig> kDeformConvCandidates[] = {{"places", refuses, make}};

}  // namespace
}  // namespace deform_conv_cc

std::span<const Candidate<DeformConvConfig>> deform_conv_candidates() { return kDeformConvCandidates; }

}  // namespace norn::kernels
