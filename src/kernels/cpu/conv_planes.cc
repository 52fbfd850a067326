// Depthwise convolution by small windows where channels come first: each channel is a plane, or a line, of which some
// rows at a time are copied between the zeros around it. There each tap of a row of outputs is a run of memory.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

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

// Of more elements of a window sums are faster with channels last: unless an image is so large that reorders take as
// long as the sums, or its channels leave vectors mostly empty.
constexpr std::int64_t kMostTaps = 9, kMostLargeTaps = 49, kMostThinTaps = 81, kMostPartedTaps = 25;
constexpr std::int64_t kFewChannels = 8, kLongRow = 32, kMostLine = 1 << 14;
constexpr std::int64_t kShortest = 12;  // outputs of a row, below which vectors are mostly empty
constexpr std::int64_t kBandBytes = std::int64_t{24} << 10, kPieces = 32;
constexpr std::int64_t kMostCopied = std::int64_t{1} << 17;
constexpr std::int64_t kMostFilters = 4;    // of a channel
constexpr std::int64_t kMostTogether = 16;  // bands, of which the first is read when the last has been copied

// Whether planes are lines as well.
bool is_scaled_line(const Shape& x, const Shape& w, const Shape& out, const Shape& strides) {
  const auto pixels = bounded_product(std::span(x).subspan(2), kMostLine);
  return pixels && *pixels >= kShortest && takes_each_pixel(x, w, out, strides);
}

// Planes in the form of images, whose rows stride by 1 or 2 and lie `x_row` apart in memory.
struct Planes {
  explicit Planes(const ConvConfig& c) : x(c.x), w(c.w), out(c.out), strides(c.strides), dilations(c.dilations) {
    pads = c.pads_begin;
    x_plane = element_count(x) / std::max<std::int64_t>(x[0] * x[1], 1);
    if (is_scaled_line(x, w, out, strides)) {
      x = {x[0], x[1], 1, x_plane}, out = {out[0], out[1], 1, x_plane}, w = {w[0], w[1], 1, 1};
      strides = dilations = {1, 1};
      pads = {0, 0};
    } else if (x.size() == 3) {
      for (Shape* const dims : {&x, &w, &out}) dims->insert(dims->begin() + 2, 1);
      for (Shape* const one : {&strides, &dilations}) one->insert(one->begin(), 1);
      pads.insert(pads.begin(), 0);
    }
    x_row = x[3];
    if (w[2] != 1 || pads[0] != 0 || (out[2] - 1) * strides[0] >= x[2]) return;
    // Of the rows between those that windows meet nothing is read.
    x[2] = out[2];
    x_row *= strides[0];
    strides[0] = 1;
  }
  Shape x, w, out, strides, dilations, pads;
  std::int64_t x_row, x_plane;
};

// Sizes of a copy in floats; bands in rows of outputs. With strides of 2, every other element of a row lies beside the
// others.
struct Bands {
  explicit Bands(const Planes& c) {
    constexpr std::int64_t kFewest = 4;
    part = round_up(c.out[3] + (c.w[3] - 1) * c.dilations[1] / c.strides[1], 16);
    row = c.strides[1] * part;
    const std::int64_t more = (c.w[2] - 1) * c.dilations[0] + 1 - c.strides[0];  // rows of x than of outputs
    if (std::max(row, more) > kMostCopied) return;
    band = std::min(std::max((kBandBytes / 4 / row - more) / c.strides[0], kFewest), c.out[2]);
    count = (c.out[2] + band - 1) / band;
    copied = (band * c.strides[0] + std::max<std::int64_t>(more, 0)) * row;
  }
  std::int64_t part, row, band = 1, count = 1, copied = kMostCopied + 1;
};

class PlaneConv final : public Kernel {
 public:
  PlaneConv(const ConvConfig& c, PackedConstants& packed)
      : c_(c), bands_(c_), filters_(c_.out[1] / c_.x[1]), has_bias_(c.has_bias), extras_(c.extra.size()) {
    if (const auto bounds = as_bounds(c.post))
      bounds_ = *bounds;
    else
      posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
    for (std::int64_t k = 0; k < c_.w[3]; ++k) {
      const auto [column, phase] = base::divide(k * c_.dilations[1], c_.strides[1]);
      at_.push_back(phase * bands_.part + column);
    }
    together_ = std::clamp<std::int64_t>(kBandBytes / 4 / bands_.copied, 1, kMostTogether);
    const double outputs = static_cast<double>(bands_.band * c_.out[3]);
    pieces_ = piece_count(c_.out[0] * c_.out[1] * bands_.count,
                          outputs * (0.02 * static_cast<double>(c_.w[2] * c_.w[3]) + 0.1), kPieces);
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(pieces_ * together_ * bands_.copied) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto *x = static_cast<const float*>(operands[0]), *w = static_cast<const float*>(operands[1]);
    const auto* bias = has_bias_ ? static_cast<const float*>(operands[2]) : nullptr;
    auto* const out = static_cast<float*>(operands[3 + extras_]);
    const std::int64_t units = c_.out[0] * c_.out[1] * bands_.count;
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      float* const copied = static_cast<float*>(scratch) + piece * together_ * bands_.copied;
      std::fill_n(copied, together_ * bands_.copied, 0.0f);
      const auto [begin, end] = base::part_of(units, pieces_, piece);
      Place place = place_of(begin);
      for (std::int64_t from = begin; from < end; from += together_) {
        const std::int64_t n = std::min(together_, end - from);
        Place at = place;
        for (std::int64_t i = 0; i < n; ++i, advance(at))
          copy_band(x + at.input * c_.x_plane, at.band * bands_.band, copied + i * bands_.copied);
        for (std::int64_t i = 0; i < n; ++i, advance(place)) {
          const std::int64_t first = place.band * bands_.band;
          compute(copied + i * bands_.copied, w + place.channel * c_.w[2] * c_.w[3], bias ? bias[place.channel] : 0.0f,
                  rows_of(first), out + (place.plane * c_.out[2] + first) * c_.out[3]);
        }
      }
    });
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras_);
  }

 private:
  // A band of a plane of the output, which is one of the filters of a plane of x.
  struct Place {
    std::int64_t plane, channel, filter, input, band;
  };
  Place place_of(std::int64_t unit) const {
    const auto [plane, band] = base::divide(unit, bands_.count);
    const auto [input, filter] = base::divide(plane, filters_);
    return {plane, plane % c_.out[1], filter, input, band};
  }
  void advance(Place& place) const {
    if (++place.band < bands_.count) return;
    place.band = 0;
    ++place.plane;
    if (++place.channel == c_.out[1]) place.channel = 0;
    if (++place.filter == filters_) place.filter = 0, ++place.input;
  }

  // Rows of outputs of the band whose first one is `first`.
  std::int64_t rows_of(std::int64_t first) const { return std::min(bands_.band, c_.out[2] - first); }

  void compute(const float* copied, const float* w, float bias, std::int64_t rows, float* out) const {
    const PlaneWindow window{c_.w[2], c_.w[3], at_.data(),  c_.strides[1] == 1 && c_.dilations[1] == 1,
                             w,       bias,    bounds_.low, bounds_.high};
    table_.band(window, {copied, c_.dilations[0] * bands_.row, c_.strides[0] * bands_.row, rows, c_.out[3], out});
  }

  // The rows of padded x that a band meets. What is beside the plane is 0 already.
  void copy_band(const float* x, std::int64_t first, float* to) const {
    const std::int64_t top = first * c_.strides[0] - c_.pads[0],
                       rows = (rows_of(first) - 1) * c_.strides[0] + (c_.w[2] - 1) * c_.dilations[0] + 1;
    const std::int64_t above = std::clamp<std::int64_t>(-top, 0, rows), behind = std::clamp(c_.x[2] - top, above, rows);
    if (bands_.count > 1) {
      std::fill_n(to, above * bands_.row, 0.0f);
      std::fill_n(to + behind * bands_.row, (rows - behind) * bands_.row, 0.0f);
    }
    const std::int64_t left = c_.pads[1], room = bands_.row;
    if (above == behind || left >= room) return;
    PlaneRows copied{x + (top + above) * c_.x_row, c_.x_row, bands_.row, behind - above, std::min(c_.x[3], room - left),
                     to + above * bands_.row};
    if (c_.strides[1] == 1) {
      copied.to += left;
      return table_.copy(copied);
    }
    const auto [column, phase] = base::divide(left, 2);
    float *const even = copied.to + column, *const odd = even + bands_.part;
    copied.to = phase == 0 ? even : odd;
    table_.copy_parted(copied, phase == 0 ? odd : even + 1);
  }

  const Planes c_;
  const Bands bands_;
  const std::int64_t filters_;  // of a channel
  const bool has_bias_;
  const std::size_t extras_;
  const PlaneConvTable& table_ = plane_conv_table();
  std::vector<std::int64_t> at_;
  Bounds bounds_;
  std::unique_ptr<Kernel> posts_;
  std::int64_t pieces_, together_;
};

// Elements that the second cache does not hold beside a copy of them.
std::int64_t large_image() { return std::int64_t{1} << (has_large_second_cache() ? 19 : 18); }

// Whether it is worth while.
bool is_plane_conv(const Shape& x, const Shape& w, const Shape& out, const Shape& strides) {
  if (w[1] != 1 || w[0] > x[1] * kMostFilters) return false;
  if (is_scaled_line(x, w, out, strides)) return true;
  if ((x.size() != 3 && x.size() != 4) || out.back() < kShortest) return false;
  const auto taps = bounded_product(std::span(w).subspan(2), kMostThinTaps);
  if (!all_are_one(strides))
    return taps && *taps <= kMostPartedTaps && std::ranges::all_of(strides, [](std::int64_t s) { return s <= 2; });
  if (!taps || *taps <= kMostTaps || out.back() < kLongRow) return taps && *taps <= kMostTaps;
  if (x[1] <= kFewChannels) return true;
  return *taps <= kMostLargeTaps && element_count(x) / std::max<std::int64_t>(x[0], 1) >= large_image();
}

}  // namespace
}  // namespace conv_planes_cc

std::optional<std::int64_t> cost_of_plane_conv(const ConvSizes& sizes) {
  if (!is_plane_conv(sizes.x, sizes.w, sizes.out, sizes.strides)) return {};
  if (!all_are_one(sizes.strides)) return beyond_channels_last(sizes, plane_conv_ns(sizes));
  const bool is_slower = sizes.x[1] > kFewChannels && element_count(sizes.w) / sizes.w[0] > kMostTaps;
  return is_slower ? element_count(sizes.x) / 2 * 3 : 0;
}

std::string plane_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x_layout != Layout::Dense || c.out_layout != Layout::Dense) return "channels are last";
  if (!is_plane_conv(c.x, c.w, c.out, c.strides))
    return "not depthwise with up to 4 filters of a channel, by windows of at most 9 elements, or 25 with strides of "
           "2, "
           "to rows of 12 and more, or larger ones of large images";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  if (Bands(Planes(c)).copied > kMostCopied) return "rows so long that a few do not fit a cache";
  return as_bounds(c.post) ? "" : post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_plane_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<PlaneConv>(c, packed);
}

}  // namespace norn::kernels
