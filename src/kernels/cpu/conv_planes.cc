// Depthwise convolution by small windows where channels come first: each channel is a plane, or a line, of which some
// rows at a time are copied between the zeros around it. There each tap of a row of outputs is a run of memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/conv_planes.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/posts.h"

namespace norn::kernels {
inline namespace conv_planes_cc {
namespace {

// Of more elements of a window, or with strides, sums are faster with channels last: unless an image is so large that
// reorders take as long as the sums, or its channels leave vectors mostly empty.
constexpr std::int64_t kMostTaps = 9, kMostLargeTaps = 49, kMostThinTaps = 81;
constexpr std::int64_t kFewChannels = 8, kLongRow = 32;
constexpr std::int64_t kShortest = 12;  // outputs of a row, below which vectors are mostly empty
constexpr std::int64_t kBandBytes = std::int64_t{24} << 10, kPieces = 32;
constexpr std::int64_t kMostCopied = std::int64_t{1} << 17;
constexpr std::int64_t kMostFilters = 4;  // of a channel

// Lines as images of one row.
ConvConfig as_image(ConvConfig c) {
  if (c.x.size() != 3) return c;
  for (Shape* const dims : {&c.x, &c.w, &c.out}) dims->insert(dims->begin() + 2, 1);
  c.strides.insert(c.strides.begin(), 1);
  c.dilations.insert(c.dilations.begin(), 1);
  c.pads_begin.insert(c.pads_begin.begin(), 0);
  c.pads_end.insert(c.pads_end.begin(), 0);
  return c;
}

// Sizes in floats; bands in rows of outputs.
struct Bands {
  explicit Bands(const ConvConfig& c) {
    constexpr std::int64_t kFewest = 4;
    row = round_up(c.out[3] + (c.w[3] - 1) * c.dilations[1], 16);
    const std::int64_t more = (c.w[2] - 1) * c.dilations[0];  // rows of x than of outputs
    if (std::max(row, more) > kMostCopied) return;
    band = std::min(std::max(kBandBytes / 4 / row - more, kFewest), c.out[2]);
    count = (c.out[2] + band - 1) / band;
    copied = (band + more) * row;
  }
  std::int64_t row, band = 1, count = 1, copied = kMostCopied + 1;
};

class PlaneConv final : public Kernel {
 public:
  PlaneConv(const ConvConfig& c, PackedConstants& packed) : c_(as_image(c)), bands_(c_) {
    if (const auto bounds = as_bounds(c.post))
      bounds_ = *bounds;
    else
      posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
    const double outputs = static_cast<double>(bands_.band * c_.out[3]);
    pieces_ = piece_count(c_.out[0] * c_.out[1] * bands_.count,
                          outputs * (0.02 * static_cast<double>(c_.w[2] * c_.w[3]) + 0.1), kPieces);
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(pieces_ * bands_.copied) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto *x = static_cast<const float*>(operands[0]), *w = static_cast<const float*>(operands[1]);
    const auto* bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;
    const std::size_t extras = c_.extra.size();
    auto* const out = static_cast<float*>(operands[3 + extras]);
    const std::int64_t units = c_.out[0] * c_.out[1] * bands_.count, filters = c_.out[1] / c_.x[1];
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      float* const copied = static_cast<float*>(scratch) + piece * bands_.copied;
      std::fill_n(copied, bands_.copied, 0.0f);
      for (auto [u, last_u] = base::part_of(units, pieces_, piece); u < last_u; ++u) {
        const std::int64_t plane = u / bands_.count, first = u % bands_.count * bands_.band,
                           channel = plane % c_.out[1];
        band(x + plane / filters * c_.x[2] * c_.x[3], w + channel * c_.w[2] * c_.w[3], bias ? bias[channel] : 0.0f,
             first, out + (plane * c_.out[2] + first) * c_.out[3], copied);
      }
    });
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras);
  }

 private:
  // Rows of outputs from `first` on.
  void band(const float* x, const float* w, float bias, std::int64_t first, float* out, float* copied) const {
    const std::int64_t n = std::min(bands_.band, c_.out[2] - first), top = first - c_.pads_begin[0];
    const std::int64_t left = c_.pads_begin[1], right = std::min(left + c_.x[3], bands_.row);
    for (std::int64_t r = 0; r < n + (c_.w[2] - 1) * c_.dilations[0]; ++r) {
      float* const to = copied + r * bands_.row;  // what is beside the plane is 0 already
      if (top + r < 0 || top + r >= c_.x[2])
        std::fill_n(to, bands_.row, 0.0f);
      else if (left < right)
        std::memcpy(to + left, x + (top + r) * c_.x[3], static_cast<std::size_t>(right - left) * sizeof(float));
    }
    const PlaneWindow window{c_.w[2], c_.w[3], c_.dilations[1], w, bias, bounds_.low, bounds_.high};
    const float* lines[kMostThinTaps + 1];
    for (std::int64_t o = 0; o < n; ++o, out += c_.out[3]) {
      const bool two = c_.dilations[0] == 1 && o + 1 < n;
      for (std::int64_t r = 0; r < c_.w[2] + (two ? 1 : 0); ++r)
        lines[r] = copied + (o + r * c_.dilations[0]) * bands_.row;
      if (!two) {
        table_.row(window, lines, c_.out[3], out);
        continue;
      }
      table_.rows(window, lines, c_.out[3], out, out + c_.out[3]);
      ++o, out += c_.out[3];
    }
  }

  ConvConfig c_;
  Bands bands_;
  const PlaneConvTable& table_ = plane_conv_table();
  Bounds bounds_;
  std::unique_ptr<Kernel> posts_;
  std::int64_t pieces_;
};

// Elements that the second cache does not hold beside a copy of them.
std::int64_t large_image() { return std::int64_t{1} << (has_large_second_cache() ? 19 : 18); }

// Whether it is worth while.
bool is_plane_conv(const Shape& x, const Shape& w, const Shape& out, const Shape& strides) {
  if (x.size() != 3 && x.size() != 4) return false;
  if (w[1] != 1 || w[0] > x[1] * kMostFilters || out.back() < kShortest) return false;
  if (std::ranges::any_of(strides, [](std::int64_t stride) { return stride != 1; })) return false;
  const auto taps = bounded_product(std::span(w).subspan(2), kMostThinTaps);
  if (!taps || *taps <= kMostTaps || out.back() < kLongRow) return taps && *taps <= kMostTaps;
  if (x[1] <= kFewChannels) return true;
  return *taps <= kMostLargeTaps && element_count(x) / x[0] >= large_image();
}

}  // namespace
}  // namespace conv_planes_cc

std::optional<std::int64_t> cost_of_plane_conv(const ConvSizes& sizes) {
  if (!is_plane_conv(sizes.x, sizes.w, sizes.out, sizes.strides)) return {};
  const bool is_slower = sizes.x[1] > kFewChannels && element_count(sizes.w) / sizes.w[0] > kMostTaps;
  return is_slower ? element_count(sizes.x) / 2 * 3 : 0;
}

std::string plane_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x_layout != Layout::Dense || c.out_layout != Layout::Dense) return "channels are last";
  if (!is_plane_conv(c.x, c.w, c.out, c.strides))
    return "not depthwise with up to 4 filters of a channel, of stride 1, by windows of at most 9 elements, to rows of "
           "12 and more, or larger ones of large images";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  if (Bands(as_image(c)).copied > kMostCopied) return "rows so long that a few do not fit a cache";
  return as_bounds(c.post) ? "" : post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_plane_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<PlaneConv>(c, packed);
}

}  // namespace norn::kernels
