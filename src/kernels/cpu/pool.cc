// Pooling. With channels last a window is folded a vector of channels at a time; dense planes go window by window.
#include "kernels/cpu/pool.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/reduce_core.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {
inline namespace pool_cc {
namespace {

class Pool final : public Kernel {
 public:
  explicit Pool(const PoolConfig& c)
      : c_(c),
        in_(spatial3(c.x, 2, 1)),
        out_(spatial3(c.out, 2, 1)),
        window_(spatial3(c.window, 0, 1)),
        strides_(spatial3(c.strides, 0, 1)),
        dilations_(spatial3(c.dilations, 0, 1)),
        begin_(spatial3(c.pads_begin, 0, 0)),
        end_(spatial3(c.pads_end, 0, 0)) {
    taps_ = window_[0] * window_[1] * window_[2];
    in_pixels_ = in_[0] * in_[1] * in_[2];
    out_pixels_ = out_[0] * out_[1] * out_[2];
  }

  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[1]);
    const double taps = static_cast<double>(taps_);
    if (c_.x_layout == Layout::ChannelsLast) {
      const std::int64_t channels = c_.x[1];
      const double pixel_ns = taps * (2 + 0.06 * static_cast<double>(channels));
      parallel_ranges(c_.x[0] * out_pixels_, pixel_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        each_pixel(begin, end, [&](std::int64_t p, const PixelAt& o) {
          pixel(x + o.image * in_pixels_ * channels, o.at, channels, out + p * channels);
        });
      });
      return;
    }
    parallel_ranges(c_.x[0] * c_.x[1] * out_pixels_, taps * 1.0 + 3, 1, [&](std::int64_t begin, std::int64_t end) {
      each_pixel(begin, end,
                 [&](std::int64_t p, const PixelAt& o) { pixel(x + o.image * in_pixels_, o.at, 1, out + p); });
    });
  }

 private:
  // n / step, rounded up; divisions are what a small window's time goes into.
  static std::int64_t steps(std::int64_t n, std::int64_t step) { return step == 1 ? n : (n + step - 1) / step; }

  // Calls f(pixel, where it is) for pixels [begin, end) of the output.
  template <class F>
  void each_pixel(std::int64_t begin, std::int64_t end, const F& f) const {
    PixelAt o = pixel_at(begin, out_);
    for (std::int64_t p = begin; p < end; ++p) {
      f(p, o);
      if (!advance(o.at, out_)) ++o.image;
    }
  }

  // One output pixel, for `channels` channels that lie together.
  void pixel(const float* x, const Spatial3& o, std::int64_t channels, float* out) const {
    std::int64_t first[3], first_tap[3], taps[3], counted = 1;  // taps that lie in x
    for (int d = 0; d < 3; ++d) {
      const std::int64_t start = o[d] * strides_[d] - begin_[d], step = dilations_[d];
      first_tap[d] = start < 0 ? steps(-start, step) : 0;
      first[d] = start + first_tap[d] * step;
      const std::int64_t inside = first[d] >= in_[d] ? 0 : steps(in_[d] - first[d], step);
      taps[d] = std::max<std::int64_t>(0, std::min(window_[d] - first_tap[d], inside));
      counted *= !c_.count_include_pad
                     ? taps[d]
                     : std::max<std::int64_t>(0, std::min(window_[d], steps(in_[d] + end_[d] - start, step)));
    }
    const bool max = c_.kind == PoolKind::Max;
    if (channels == 1) {
      float v = max ? -std::numeric_limits<float>::infinity() : 0.0f;
      for (std::int64_t i = 0; i < taps[0]; ++i) {
        for (std::int64_t j = 0; j < taps[1]; ++j) {
          const float* row =
              x + ((first[0] + i * dilations_[0]) * in_[1] + first[1] + j * dilations_[1]) * in_[2] + first[2];
          for (std::int64_t k = 0; k < taps[2]; ++k) {
            const float t = row[k * dilations_[2]];
            if (max)
              v = v > t || v != v ? v : t;
            else
              v += t;
          }
        }
      }
      *out = max ? v : v / static_cast<float>(counted);  // the mean of nothing is NaN
      return;
    }
    const Grid grid{
        {taps[0], taps[1], taps[2]},
        {dilations_[0] * in_[1] * in_[2] * channels, dilations_[1] * in_[2] * channels, dilations_[2] * channels}};
    const float* corner = x + ((first[0] * in_[1] + first[1]) * in_[2] + first[2]) * channels;
    row_table().pool(corner, grid.size, grid.stride, channels, max, 1.0f / static_cast<float>(counted), out);
  }
  struct Grid {
    std::int64_t size[3], stride[3];
  };

  PoolConfig c_;
  Spatial3 in_, out_, window_, strides_, dilations_, begin_, end_;
  std::int64_t taps_, in_pixels_, out_pixels_;
};

}  // namespace
}  // namespace pool_cc

std::string pool_refuses(const PoolConfig& c) {
  const std::size_t rank = c.x.size();
  if (rank < 3 || rank > 5) return "not one to three spatial dimensions";
  if (c.x_layout != c.out_layout) return "x and output of different layouts";
  const std::size_t spatial = rank - 2;
  if (c.out.size() != rank || c.window.size() != spatial || c.strides.size() != spatial ||
      c.dilations.size() != spatial || c.pads_begin.size() != spatial || c.pads_end.size() != spatial)
    return "ranks do not fit together";
  for (const Shape* dims : {&c.x, &c.out, &c.window, &c.strides, &c.dilations})
    for (std::int64_t d : *dims)
      if (d < 1) return "a size below 1";
  for (std::int64_t p : c.pads_begin)
    if (p < 0) return "negative padding";
  if (!bounded(c.pads_begin) || !bounded(c.pads_end)) return "padding beyond any memory";
  for (std::size_t d = 0; d < spatial; ++d)
    if (!bounded_product({c.window[d], c.dilations[d]}) || !bounded_product({c.out[d + 2], c.strides[d]}))
      return "windows that reach beyond any memory";
  return extent_refusal({&c.x, &c.out, &c.window});
}

inline namespace pool_cc {
namespace {

std::unique_ptr<Kernel> make_pool(const PoolConfig& c, PackedConstants&) { return std::make_unique<Pool>(c); }

class GlobalPool final : public Kernel {
 public:
  explicit GlobalPool(const GlobalPoolConfig& c)
      : core_(c.kind == PoolKind::Max ? ReduceKind::Max : ReduceKind::Mean, memory_dims(c), reduced_dims(c)) {}
  void run(void* const* operands, void*) const override {
    core_.run(static_cast<const float*>(operands[0]), static_cast<float*>(operands[1]));
  }

 private:
  static Shape memory_dims(const GlobalPoolConfig& c) {
    Shape dims;
    for (std::size_t d : memory_order(c.x.size(), c.x_layout)) dims.push_back(c.x[d]);
    return dims;
  }
  static std::vector<bool> reduced_dims(const GlobalPoolConfig& c) {
    std::vector<bool> result;
    for (std::size_t d : memory_order(c.x.size(), c.x_layout)) result.push_back(d >= 2);
    return result;
  }
  ReduceCore core_;
};

// [N, C, 1...] lies the same way in every layout, so the output's does not matter.
std::string global_pool_refuses(const GlobalPoolConfig& c) {
  if (c.x.size() < 3) return "no spatial dimensions";
  for (std::int64_t d : c.x)
    if (d < 1) return "an empty tensor";
  return extent_refusal({&c.x});
}
std::unique_ptr<Kernel> make_global_pool(const GlobalPoolConfig& c, PackedConstants&) {
  return std::make_unique<GlobalPool>(c);
}

constexpr Candidate<PoolConfig> kPool[] = {{"simd", pool_refuses, make_pool}};
constexpr Candidate<GlobalPoolConfig> kGlobalPool[] = {{"simd", global_pool_refuses, make_global_pool}};

}  // namespace
}  // namespace pool_cc

std::span<const Candidate<PoolConfig>> pool_candidates() { return kPool; }
std::span<const Candidate<GlobalPoolConfig>> global_pool_candidates() { return kGlobalPool; }

}  // namespace norn::kernels
