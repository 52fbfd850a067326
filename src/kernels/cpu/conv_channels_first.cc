// Convolution with channels first at both ends: filters times vectors of pixels. Where rows of the output fill vectors,
// elements of x are read from a copy with padding, else from panels of patches that are gathered some dozens of pixels
// at a time. Nothing is reordered, and weights that are not constant are rearranged at the cost of a copy, or read
// where they lie.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/channels_first.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/patch_sources.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/posts.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {
inline namespace conv_channels_first_cc {
namespace {

constexpr std::int64_t kMostPairs = 8;                         // of vectors of pixels that share a pass over weights
constexpr std::int64_t kNearWeights = std::int64_t{96} << 10;  // floats that stay in the second cache
constexpr std::int64_t kRowsAtOnce = 8;                        // of panels, from planes that lie far from each other
// Filters whose elements lie so far from each other, or a multiple of it, are in each other's way in the first cache.
constexpr std::int64_t kAliased = 1024;
constexpr std::int64_t kManyPixels = 1024;  // are worth rearranging weights that are not constant
constexpr std::int64_t kManyFilters = 48, kManyTaps = 64;
constexpr std::int64_t kMostLanes = 16;
constexpr double kProductsPerNs = 60;

constexpr float kZeros[12] = {};

// Whether windows take single pixels of x, some of which are left out: the others are copied to lines first.
bool samples(const ImageWindow& w) {
  if (w.taps != 1 || w.strides == Spatial3{1, 1, 1}) return false;
  for (std::size_t d = 0; d < 3; ++d)
    if (w.pads[d] != 0 || (w.out[d] - 1) * w.strides[d] >= w.in[d]) return false;
  return true;
}
ImageWindow as_line(ImageWindow w) {
  w.plane = w.pixels;
  w.in = w.out = {1, 1, w.pixels};
  w.strides = {1, 1, 1};
  return w;
}

class ChannelsFirstConv final : public Kernel {
 public:
  ChannelsFirstConv(const ConvConfig& c, PackedConstants& packed)
      : c_(c),
        given_(image_window(c.x, c.w, c.out, c.strides, c.dilations, c.pads_begin)),
        samples_(samples(given_)),
        w_(samples_ ? as_line(given_) : given_),
        panels_(w_),
        channels_(c.w[1]),
        filters_(c.out[1] / c.group),
        depth_(channels_ * w_.taps) {
    if (PaddedPlanes::pays(w_)) planes_.emplace(w_);
    if (const auto bounds = as_bounds(c.post))
      bounds_ = *bounds;
    else
      posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
    cut();
    list_offsets();
    if (!c.weights.known()) return;
    const std::string recipe =
        "channels first " + to_string(c.w) + std::to_string(c.group) + " " + std::to_string(tile_rows_);
    weights_ = packed.get(c.weights, 0, recipe, [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(weight_floats()) * sizeof(float));
      std::vector<float> aligned(static_cast<std::size_t>(weight_floats()));
      std::memcpy(aligned.data(), c.weights.data, aligned.size() * sizeof(float));
      pack_weights(aligned.data(), static_cast<float*>(buffer.get()));
      return buffer;
    });
  }

  std::size_t scratch_bytes() const override {
    return weight_bytes() + sample_bytes() + plane_bytes() + static_cast<std::size_t>(pieces_) * piece_bytes();
  }
  bool reads(std::size_t i) const override { return i != 1 || !weights_; }

  void run(void* const* operands, void* scratch) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    const auto* weights = static_cast<const float*>(weights_.get());
    auto* room = static_cast<std::byte*>(scratch);
    if (as_given_) {
      weights = static_cast<const float*>(operands[1]);
    } else if (weights == nullptr) {
      pack_weights(static_cast<const float*>(operands[1]), reinterpret_cast<float*>(room));
      weights = reinterpret_cast<const float*>(room);
    }
    room += weight_bytes();
    if (samples_) {
      sample(x, reinterpret_cast<float*>(room));
      x = reinterpret_cast<const float*>(room);
      room += sample_bytes();
    }
    if (planes_) {
      auto* const copied = reinterpret_cast<float*>(room);
      planes_->copy(x, c_.x[0] * c_.x[1], copied);
      x = copied;
      room += plane_bytes();
    }
    const std::int64_t x_plane = planes_ ? planes_->plane() : w_.plane;
    const auto* const bias = c_.has_bias ? static_cast<const float*>(operands[2]) : nullptr;
    const std::size_t extras = c_.extra.size();
    auto* const out = static_cast<float*>(operands[3 + extras]);
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      std::byte* const own = room + static_cast<std::size_t>(piece) * piece_bytes();
      for (auto [unit, end] = base::part_of(units_, pieces_, piece); unit < end; ++unit) {
        const auto [rest, part] = base::divide(unit, parts_);
        const auto [planes, block] = base::divide(rest, blocks_);
        const auto [image, group] = base::divide(planes, c_.group);
        const auto [first, last] = base::part_of(tiles_, parts_, part);
        const auto [pair, behind] = base::part_of(pairs_, blocks_, block);
        const std::int64_t channel = group * filters_;  // of the output
        compute({pair, behind, first * tile_rows_, std::min(last * tile_rows_, filters_)},
                x + (image * c_.group + group) * channels_ * x_plane, weights + channel * depth_,
                bias == nullptr ? nullptr : bias + channel, out + (image * c_.out[1] + channel) * w_.pixels, own);
      }
    });
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras);
  }

 private:
  // Pairs of vectors of pixels, and filters, that are computed together.
  struct Unit {
    std::int64_t pair, pair_end, filter, filter_end;
  };
  struct Pair {
    PixelVector vectors[2];
    std::int64_t count;
    bool in_place = false;  // read where x lies
  };
  using Pairs = std::array<Pair, kMostPairs>;

  std::int64_t weight_floats() const { return c_.out[1] * depth_; }
  // Of what is rearranged at each run.
  std::size_t weight_bytes() const {
    return weights_ || as_given_ ? 0 : align64(static_cast<std::size_t>(weight_floats()) * sizeof(float));
  }
  std::size_t sample_bytes() const {
    return samples_ ? align64(static_cast<std::size_t>(c_.x[0] * c_.x[1] * w_.pixels) * sizeof(float)) : 0;
  }
  std::size_t plane_bytes() const { return planes_ ? align64(planes_->bytes(c_.x[0] * c_.x[1])) : 0; }
  std::int64_t panel_floats() const { return block_channels_ * w_.taps * panels_.width(); }
  // Of a piece of work: lists of runs and panels.
  std::size_t piece_bytes() const {
    if (planes_) return 0;
    return static_cast<std::size_t>(pairs_at_once_) *
           (panels_.list_bytes() + static_cast<std::size_t>(panel_floats()) * sizeof(float));
  }

  void cut() {
    tiles_ = base::quotient_up(filters_, table_.most_rows);
    tile_rows_ = base::quotient_up(filters_, tiles_);
    tiles_ = base::quotient_up(filters_, tile_rows_);
    block_channels_ = std::clamp<std::int64_t>(kChannelsFirstDepth / w_.taps, 1, channels_);
    block_channels_ = base::quotient_up(channels_, base::quotient_up(channels_, block_channels_));
    channels_at_once_ = std::max<std::int64_t>(kRowsAtOnce / w_.taps, 1);
    pairs_ = planes_ ? base::quotient_up(planes_->vectors(), 2) : base::quotient_up(w_.pixels, panels_.width());
    const bool many = filters_ * depth_ > kNearWeights || filters_ < kManyFilters;
    pairs_at_once_ = std::min(!planes_ && w_.taps > kManyTaps ? 1 : many ? kMostPairs : 2, pairs_);
    in_place_ = (samples_ || takes_each_pixel(c_.x, c_.w, c_.out, c_.strides)) && tiles_ <= kMostTilesInPlace;
    as_given_ = !c_.weights.known() && c_.x[0] * w_.pixels < kManyPixels && depth_ % kAliased != 0;
    blocks_ = base::quotient_up(pairs_, pairs_at_once_);
    const double ns = static_cast<double>(c_.x[0] * c_.out[1]) * static_cast<double>(w_.pixels) *
                      static_cast<double>(depth_) / kProductsPerNs;
    const std::int64_t planes = c_.x[0] * c_.group, wanted = contraction_pieces(ns, 32);
    // Filters are shared where there are few pixels: each share gathers patches of its own.
    parts_ = std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(planes * blocks_, 1), 1,
                                      std::max<std::int64_t>(tiles_ / 4, 1));
    units_ = planes * blocks_ * parts_;
    pieces_ = std::min(units_, wanted);
  }

  // Where the elements that a filter's weights of some channels meet lie behind the first one.
  void list_offsets() {
    const std::vector<std::int64_t> taps = planes_ ? planes_->tap_offsets() : std::vector<std::int64_t>();
    for (std::int64_t c = 0; c < block_channels_ && in_place_; ++c) in_place_offsets_.push_back(c * w_.plane);
    for (std::int64_t c = 0; c < block_channels_; ++c)
      for (std::int64_t t = 0; t < w_.taps; ++t)
        offsets_.push_back(planes_ ? c * planes_->plane() + taps[static_cast<std::size_t>(t)]
                                   : (c * w_.taps + t) * panels_.width());
  }

  // Tiles of filters, of each [depth][filter].
  void pack_weights(const float* w, float* to) const {
    const std::int64_t whole = filters_ / tile_rows_, rest = filters_ - whole * tile_rows_;
    if (rest == 0) return transpose_matrices(w, to, c_.group * whole, tile_rows_, depth_, 4);
    for (std::int64_t g = 0; g < c_.group; ++g, w += filters_ * depth_, to += filters_ * depth_) {
      const std::int64_t last = whole * tile_rows_ * depth_;
      transpose_matrices(w, to, whole, tile_rows_, depth_, 4);
      transpose_matrices(w + last, to + last, 1, rest, depth_, 4);
    }
  }

  void sample(const float* x, float* to) const {
    const ImageWindow& g = given_;
    const double ns = static_cast<double>(w_.pixels) * 0.3;
    parallel_ranges(c_.x[0] * c_.x[1], ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const float* const plane = x + p * g.plane;
        float* row = to + p * w_.pixels;
        for (std::int64_t o0 = 0; o0 < g.out[0]; ++o0)
          for (std::int64_t o1 = 0; o1 < g.out[1]; ++o1, row += g.out[2])
            table_.take(plane + (o0 * g.strides[0] * g.in[1] + o1 * g.strides[1]) * g.in[2], g.strides[2], g.out[2],
                        row);
      }
    });
  }

  void compute(const Unit& unit, const float* x, const float* weights, const float* bias, float* out,
               std::byte* room) const {
    const std::int64_t count = unit.pair_end - unit.pair;
    auto* const panels =
        reinterpret_cast<float*>(room + static_cast<std::size_t>(planes_ ? 0 : pairs_at_once_) * panels_.list_bytes());
    Pairs pairs;
    for (std::int64_t p = 0; p < count; ++p)
      pairs[static_cast<std::size_t>(p)] = pair_of(unit.pair + p, x, panels + p * panel_floats(), out);
    for (std::int64_t p = 0; p < count; ++p) {
      if (planes_ || is_in_place(unit.pair + p)) continue;
      const std::int64_t pixel = (unit.pair + p) * panels_.width();
      panels_.list(pixel, std::min(panels_.width(), w_.pixels - pixel), list_of(room, p));
    }
    for (std::int64_t c = 0; c < channels_; c += block_channels_) {
      const std::int64_t channels = std::min(block_channels_, channels_ - c);
      if (!planes_) gather(x + c * w_.plane, channels, unit, room, panels);
      for (std::int64_t p = 0; p < count; ++p) {
        Pair pair = pairs[static_cast<std::size_t>(p)];
        const std::int64_t before = planes_ ? c * planes_->plane() : pair.in_place ? c * w_.plane : 0;
        for (PixelVector& v : pair.vectors) v.from += before;
        multiply(unit, c, channels, weights, bias, pair);
      }
    }
  }
  std::byte* list_of(std::byte* room, std::int64_t panel) const {
    return room + static_cast<std::size_t>(panel) * panels_.list_bytes();
  }

  // `out`: the first filter's plane.
  Pair pair_in_planes(std::int64_t pair, const float* x, float* out) const {
    Pair result{{}, std::min<std::int64_t>(2, planes_->vectors() - 2 * pair)};
    for (std::int64_t v = 0; v < result.count; ++v) {
      const PaddedPlanes::Place place = planes_->place(2 * pair + v);
      result.vectors[v] = {x + place.from, out + place.out, place.n};
    }
    if (result.count == 1) result.vectors[1] = result.vectors[0];
    return result;
  }
  Pair pair_in_panel(std::int64_t pair, const float* panel, float* out) const {
    const std::int64_t pixel = pair * panels_.width(), rest = w_.pixels - pixel, lanes = table_.lanes;
    float* const to = out + pixel;
    return {{{panel, to, std::min(rest, lanes)},
             {panel + lanes, to + lanes, std::clamp<std::int64_t>(rest - lanes, 0, lanes)}},
            rest > lanes ? 2 : 1};
  }

  // Whole vectors can be read there.
  bool is_in_place(std::int64_t pair) const { return in_place_ && (pair + 1) * panels_.width() <= w_.pixels; }
  Pair pair_in_place(std::int64_t pair, const float* x, float* out) const {
    const std::int64_t pixel = pair * panels_.width(), lanes = table_.lanes;
    return {{{x + pixel, out + pixel, lanes}, {x + pixel + lanes, out + pixel + lanes, lanes}}, 2, true};
  }
  Pair pair_of(std::int64_t pair, const float* x, const float* panel, float* out) const {
    if (planes_) return pair_in_planes(pair, x, out);
    return is_in_place(pair) ? pair_in_place(pair, x, out) : pair_in_panel(pair, panel, out);
  }

  // Some channels, for all panels of a unit: planes are read where they are near.
  void gather(const float* x, std::int64_t channels, const Unit& unit, std::byte* lists, float* to) const {
    for (std::int64_t c = 0; c < channels; c += channels_at_once_)
      for (std::int64_t p = 0; p < unit.pair_end - unit.pair; ++p)
        if (!is_in_place(unit.pair + p))
          panels_.pack(list_of(lists, p), x + c * w_.plane, std::min(channels_at_once_, channels - c),
                       to + p * panel_floats() + c * w_.taps * panels_.width());
  }

  void multiply(const Unit& unit, std::int64_t channel, std::int64_t channels, const float* weights, const float* bias,
                const Pair& pair) const {
    const Bounds bounds = channel + channels == channels_ ? bounds_ : Bounds();
    for (std::int64_t f = unit.filter; f < unit.filter_end; f += tile_rows_) {
      const std::int64_t filters = std::min(tile_rows_, unit.filter_end - f);
      PixelVector vectors[2] = {pair.vectors[0], pair.vectors[1]};
      for (PixelVector& v : vectors) v.out += f * w_.pixels;
      table_.multiply(filters, channels * w_.taps, weights + f * depth_ + channel * w_.taps * (as_given_ ? 1 : filters),
                      as_given_ ? depth_ : 0, (pair.in_place ? in_place_offsets_ : offsets_).data(), vectors,
                      pair.count, w_.pixels, bias == nullptr ? kZeros : bias + f, channel != 0, bounds);
    }
  }

  const ConvConfig c_;
  const ChannelsFirstTable& table_ = channels_first_table();
  const ImageWindow given_;
  const bool samples_;
  const ImageWindow w_;
  const GatheredPanels panels_;
  std::optional<PaddedPlanes> planes_;       // in place of panels
  std::int64_t channels_, filters_, depth_;  // of a group
  std::int64_t tiles_ = 1, tile_rows_ = 1, block_channels_ = 1, channels_at_once_ = 1;
  std::int64_t pairs_ = 1, pairs_at_once_ = 1, blocks_ = 1, parts_ = 1, units_ = 1, pieces_ = 1;
  std::vector<std::int64_t> offsets_, in_place_offsets_;
  bool in_place_ = false;  // pixels are read where they lie
  bool as_given_ = false;  // weights are read where they lie
  Bounds bounds_;
  std::unique_ptr<Kernel> posts_;
  std::shared_ptr<const void> weights_;
};

}  // namespace
}  // namespace conv_channels_first_cc

std::string channels_first_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x.size() > 5) return "more than three spatial dimensions";
  if (c.x_layout != Layout::Dense || c.out_layout != Layout::Dense) return "channels are last";
  if (channels_first_table().lanes > kMostLanes) return "vectors longer than it has room for";
  if (element_count(c.w) / (c.w[0] * c.w[1]) > kMostChannelsFirstTaps) return "windows of more than 1024 elements";
  constexpr std::int64_t kFarthest = std::int64_t{1} << 24;
  if (c.strides.back() > kFarthest) return "windows too far from each other";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  return as_bounds(c.post) ? "" : post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_channels_first_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<ChannelsFirstConv>(c, packed);
}

}  // namespace norn::kernels
