// Convolution with windows of 3 x 3 by Winograd's F(4x4, 3x3): a quarter of the products, for transforms of what goes
// in and what comes out (winograd.h).
//
// Windows over volumes, n x 3 x 3, are sums over n planes. The planes that an output reads are further channels: with
// the points of all of them there is one product.
//
// Tiles are taken a block at a time, so that their points stay in the second cache. A block has tiles of several planes
// at the same places, so that the points of a plane serve all outputs that read it. Work is cut into ranges of blocks
// or, where there are few tiles and many channels, into ranges of output channels, whose weights are most of the memory
// that is read.
//
// Error: the transforms add and subtract multiples of neighbours, so that a result is off by a few times what the
// direct sum is: with inputs of 1 and 1152 products, at most 2e-5 where their absolute values add up to 90 (by
// experiment). It follows what is largest in the tile and among a filter's taps, even where an output does not read it:
// outputs that would lose digits by that, beside pixels much larger than theirs, or where padding takes the place of
// the largest taps, are computed directly, and so are filters that read few elements. An infinity, or what overflows,
// would make NaN of its tile: blocks with a result that is not finite are computed again, directly.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/pixel_steps.h"
#include "kernels/cpu/posts.h"
#include "kernels/cpu/transpose.h"
#include "kernels/cpu/winograd.h"

namespace norn::kernels {
inline namespace conv_winograd_cc {
namespace {

constexpr std::int64_t kPoints = kWinogradPoints, kTile = kWinogradTile, kPatch = kWinogradPatch;
constexpr std::int64_t kUsualTiles = 24;  // of a block at least, so that weights are read for many
constexpr std::int64_t kMostTiles = 256;
constexpr std::int64_t kMostPieces = 8;
constexpr double kMostRepeated = 0.6;  // of the outputs of a block that may be computed again

// Sizes along the axes, with planes of a volume apart: an image has one of them, which the window is as deep as.
struct Sizes {
  explicit Sizes(const ConvConfig& c) : images(c.x[0]), plane_channels(c.w[1]) {
    const Spatial3 in = spatial3(c.x, 2, 1), out = spatial3(c.out, 2, 1), pads = spatial3(c.pads_begin, 0, 0);
    depth = spatial3(c.w, 2, 1)[0];
    planes_in = in[0], rows_in = in[1], columns_in = in[2];
    planes = out[0], rows = out[1], columns = out[2];
    plane_pad = pads[0], row_pad = pads[1], column_pad = pads[2];
    images *= planes;
    channels = plane_channels * depth;
  }
  std::int64_t depth, planes_in, planes, plane_pad;  // depth: of the window
  std::int64_t rows_in, columns_in, rows, columns, row_pad, column_pad;
  std::int64_t images;                    // planes of outputs
  std::int64_t plane_channels, channels;  // of a group: of a plane, and of all planes that an output reads

  // The share of a window's planes that lie inside of the volume; direct sums leave out the others.
  double depth_inside() const {
    std::int64_t inside = 0;
    for (std::int64_t d = 0; d < depth; ++d)
      inside += std::max<std::int64_t>(
          0, std::min(planes, planes_in + plane_pad - d) - std::max<std::int64_t>(0, plane_pad - d));
    return static_cast<double>(inside) / (static_cast<double>(planes) * static_cast<double>(depth));
  }
  // The nine taps of a filter for one of `channels`.
  const float* taps(const float* w, std::int64_t filter, std::int64_t channel) const {
    return w + ((filter * plane_channels + channel % plane_channels) * depth + channel / plane_channels) * 9;
  }
};

// Planes of outputs that a block computes together: enough for the planes that it reads beyond them to cost little.
std::int64_t block_planes(const Sizes& s) {
  constexpr std::int64_t kMost = 16;
  const std::int64_t blocks = (s.planes + kMost - 1) / kMost;
  return (s.planes + blocks - 1) / blocks;
}

struct Tiles {
  explicit Tiles(const Sizes& s)
      : rows((s.rows + kTile - 1) / kTile),
        columns((s.columns + kTile - 1) / kTile),
        places(s.images / s.planes * rows * columns),
        all(places * s.planes) {}
  std::int64_t rows, columns;
  std::int64_t places;  // of all volumes, each with a tile in every plane
  std::int64_t all;
};

// Along one axis, which of the three taps an output reads, as bits, the others being in the padding: for output `at`,
// and for all outputs, the bits of the sets that occur.
unsigned taps_read(std::int64_t at, std::int64_t pad, std::int64_t size) {
  unsigned taps = 0;
  for (std::int64_t t = 0; t < 3; ++t)
    if (at - pad + t >= 0 && at - pad + t < size) taps |= 1u << t;
  return taps;
}
unsigned tap_sets(std::int64_t outputs, std::int64_t pad, std::int64_t size) {
  unsigned sets = 0;
  for (std::int64_t at = 0; at < outputs; ++at) sets |= 1u << taps_read(at, pad, size);
  return sets;
}

// What filters weigh each channel with; for which sets of taps, bit 8 rows + columns, what one of the filters reads is
// much less than its largest tap; and whether one of them reads few elements only.
struct FilterSizes {
  std::vector<float> shares;
  std::uint64_t uneven = 0;
  bool narrow = false;
};
FilterSizes filter_sizes_of(const float* w, const Sizes& s, std::int64_t first, std::int64_t filters) {
  FilterSizes sizes{std::vector<float>(static_cast<std::size_t>(s.channels))};
  const auto channels = static_cast<double>(s.plane_channels);
  // Squares of any float are within a double.
  std::vector<double> by_channel(static_cast<std::size_t>(s.plane_channels));
  // An output beside padding may read any of the planes alone, so that each counts by itself.
  for (std::int64_t i = 0; i < filters * s.depth; ++i) {
    const std::int64_t f = first + i / s.depth, plane = i % s.depth * s.plane_channels;
    double taps[9] = {}, all = 0, absolute = 0;
    std::int64_t channel = plane;
    for (double& size : by_channel) {
      size = 0;
      const float* from = s.taps(w, f, channel++);
      for (double& tap : taps) {
        const double v = float_at(from++), square = v * v;
        tap += square;
        size += square;
        absolute += std::fabs(v);
      }
      all += size;
    }
    for (std::size_t c = 0; all > 0 && c < by_channel.size(); ++c)
      sizes.shares[static_cast<std::size_t>(plane) + c] += static_cast<float>(std::sqrt(by_channel[c] / all));
    const double largest = *std::max_element(taps, taps + 9);
    sizes.narrow |= std::sqrt(largest * channels) > kWinogradNarrow * absolute ||
                    (all > 0 && all - largest <= kWinogradOneTap * all);
    const auto is_even = [&](double read) {
      return largest <= static_cast<double>(kWinogradOutlier) * channels * read;
    };
    // Whatever an output reads.
    if (std::isfinite(all) && is_even(*std::min_element(taps, taps + 9))) continue;
    for (unsigned rows = 1; rows < 8; ++rows)
      for (unsigned columns = 1; columns < 8; ++columns) {
        double read = 0;
        for (unsigned t = 0; t < 9; ++t)
          if ((rows >> t / 3 & columns >> t % 3 & 1) != 0) read += taps[t];
        if (!is_even(read)) sizes.uneven |= std::uint64_t{1} << (8 * rows + columns);
      }
  }
  return sizes;
}

// Whether filters read few elements, by a sample: all of them take too long before a kernel is chosen.
bool reads_few(const ConvConfig& c) {
  constexpr std::int64_t kLooked = 16;
  const std::int64_t filters = c.out[1], step = std::max<std::int64_t>(1, filters / kLooked);
  const auto* w = static_cast<const float*>(c.weights.data);
  const Sizes sizes(c);
  for (std::int64_t f = 0; f < filters; f += step)
    if (filter_sizes_of(w, sizes, f, 1).narrow) return true;
  return false;
}

// Products, and what the transforms take as products in as much time.
double work_of(const Sizes& s, const Tiles& tiles, std::int64_t filters) {
  constexpr double kInput = 450, kOutput = 400;  // for a channel of a tile
  const auto vectors = [](std::int64_t n) { return static_cast<double>(round_up(n, 16)); };
  const auto together = static_cast<double>(block_planes(s));
  const double inputs = (together + static_cast<double>(s.depth) - 1) / together;
  return static_cast<double>(tiles.all) * (kPoints * static_cast<double>(s.channels) * static_cast<double>(filters) +
                                           inputs * kInput * vectors(s.plane_channels) + kOutput * vectors(filters));
}

// Of a block: bytes of its points, and tiles at least. Points share the second cache with the weights and with what is
// read and written. Where that cache has 1 MiB, what it does not hold comes slowly, and not all of them fit, a block
// has few tiles if the weights stay there, and many if that leaves one block or two to read them. (Of volumes the usual
// ones were best.)
struct BlockSize {
  std::int64_t bytes, tiles;
};
BlockSize block_size(bool is_volume, std::int64_t weights, std::int64_t place_bytes, std::int64_t places,
                     std::int64_t inputs_and_outputs) {
  constexpr std::int64_t kKept = 640 << 10, kAll = 720 << 10, kMuch = 4 << 20, kManyTiles = 64;
  const BlockSize usual = {448 << 10, kUsualTiles};
  if (is_volume || !has_slow_third_cache() || has_large_second_cache()) return usual;
  if (weights + std::min(place_bytes * places, usual.bytes) + inputs_and_outputs <= kAll) return usual;
  if (weights > kKept) return places <= kManyTiles ? BlockSize{800 << 10, 49} : usual;
  return inputs_and_outputs > kMuch ? BlockSize{224 << 10, 12} : BlockSize{96 << 10, 6};
}

// One of the groups.
class WinogradConv final : public Kernel {
 public:
  WinogradConv(const ConvConfig& config, PackedConstants& packed, std::int64_t group)
      : c_(config),
        s_(config),
        tiles_(s_),
        channels_(s_.channels),
        filters_(c_.out[1] / c_.group),
        x_pixel_(c_.x[1]),
        out_pixel_(c_.out[1]),
        first_channel_(group * s_.plane_channels),
        first_filter_(group * filters_),
        table_(winograd_table()),
        steps_(c_.out, c_.post, c_.extra) {
    if (!steps_.can_read()) posts_ = post_chain(c_.out, c_.out_layout, c_.post, c_.extra, packed);

    const std::int64_t lanes = table_.lanes;
    padded_channels_ = round_up(s_.plane_channels, lanes);
    const std::int64_t vectors = round_up(filters_, lanes) / lanes, panel = table_.width / lanes;
    // Few tiles: threads share the filters.
    const std::int64_t worth = contraction_pieces(work_of(s_, tiles_, filters_) / 100, kMostPieces);
    if (tiles_.all < 2 * kUsualTiles) filter_pieces_ = std::max<std::int64_t>(1, std::min(worth, vectors / panel));
    piece_filters_ = round_up((vectors + filter_pieces_ - 1) / filter_pieces_, panel) * lanes;
    filter_pieces_ = (filters_ + piece_filters_ - 1) / piece_filters_;
    piece_filters_ = std::min(piece_filters_, vectors * lanes);
    block_planes_ = block_planes(s_);
    const std::int64_t slots = block_planes_ + s_.depth - 1;
    const std::int64_t place_bytes = kPoints * 4 * (padded_channels_ * slots + piece_filters_ * block_planes_);
    const BlockSize block =
        block_size(s_.depth > 1, kPoints * 4 * channels_ * piece_filters_, place_bytes, tiles_.places,
                   (element_count(c_.x) + element_count(c_.out)) * static_cast<std::int64_t>(sizeof(float)));
    const std::int64_t fewest = std::min(base::quotient_up(block.tiles, block_planes_), tiles_.places);
    block_places_ = std::clamp(block.bytes / place_bytes, fewest, tiles_.places);
    block_places_ = std::min(block_places_, std::max<std::int64_t>(1, kMostTiles / block_planes_));
    const auto split_evenly = [](std::int64_t all, std::int64_t& part, bool for_two = false) {
      std::int64_t parts = (all + part - 1) / part;
      if (for_two && parts > 1) parts = std::min(round_up(parts, 2), all);
      part = (all + parts - 1) / parts;
      return (all + part - 1) / part;
    };
    if (worth > 1 && filter_pieces_ == 1 && block_places_ == tiles_.places && block_planes_ == s_.planes)
      block_places_ = (tiles_.places + 1) / 2;
    place_blocks_ = split_evenly(tiles_.places, block_places_, worth > 1 && filter_pieces_ == 1);
    blocks_ = place_blocks_ * split_evenly(s_.planes, block_planes_);
    block_pieces_ = filter_pieces_ > 1 ? 1 : std::min(worth, blocks_);

    // An odd number of cache lines between points, so that they do not fall into the same sets of a cache.
    in_step_ = round_up(block_places_ * slots * padded_channels_, 16) / 16 * 16 | 16;
    out_step_ = round_up(block_places_ * block_planes_ * piece_filters_, 16) / 16 * 16 | 16;
    patch_at_ = (in_step_ + out_step_) * kPoints;
    piece_floats_ = round_up(patch_at_ + kPatch * kPatch * s_.plane_channels, 16);

    const auto place = [&](std::int64_t floats) {
      const std::size_t at = scratch_;
      scratch_ += static_cast<std::size_t>(round_up(floats, 16)) * sizeof(float);
      return at;
    };
    if (c_.x_layout == Layout::Dense) x_at_ = place(element_count(c_.x));
    if (c_.out_layout == Layout::Dense) out_at_ = place(element_count(c_.out));
    pieces_at_ = place(piece_floats_ * block_pieces_ * filter_pieces_);
    padded_filters_ = round_up(filters_, lanes);
    std::string recipe = "winograd 4x4 3x3 sized narrow planes " + to_string(c_.w) + " " + std::to_string(table_.width);
    if (c_.group > 1) recipe += " group " + std::to_string(group) + " of " + std::to_string(c_.group);
    weights_ = packed.get(c_.weights, 0, recipe, [&] { return pack(); });
    std::uint64_t uneven = 0;
    std::memcpy(&uneven, shares() + channels_, sizeof uneven);
    const float* const narrow = shares() + channels_ + 2;
    for (std::int64_t f = 0; f < padded_filters_; f += table_.width)
      if (narrow[f / table_.width] != 0) narrow_.push_back(f);
    const unsigned row_sets = tap_sets(s_.rows, s_.row_pad, s_.rows_in),
                   column_sets = tap_sets(s_.columns, s_.column_pad, s_.columns_in);
    for (unsigned i = 0; i < 64; ++i) uneven_ |= (uneven >> i & row_sets >> i / 8 & column_sets >> i % 8 & 1) != 0;
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const float* x = static_cast<const float*>(operands[0]);
    if (c_.x_layout == Layout::Dense) {
      float* moved = reinterpret_cast<float*>(base + x_at_);
      transpose_matrices(x, moved, c_.x[0], x_pixel_, s_.planes_in * s_.rows_in * s_.columns_in, sizeof(float));
      x = moved;
    }
    float* const result = static_cast<float*>(operands[3 + c_.extra.size()]);
    float* const out = c_.out_layout == Layout::Dense ? reinterpret_cast<float*>(base + out_at_) : result;
    const Call call{x, out, static_cast<const float*>(operands[2]), operands + 3};
    base::parallel_for(block_pieces_ * filter_pieces_, [&](std::int64_t piece) {
      float* const work = reinterpret_cast<float*>(base + pieces_at_) + piece * piece_floats_;
      const std::int64_t b = piece % block_pieces_, f = piece / block_pieces_ * piece_filters_;
      for (auto [i, last_i] = base::part_of(blocks_, block_pieces_, b); i < last_i; ++i) {
        if (const base::Stop* stop = base::current_stop()) stop->check();
        block(call, block_at(i), f, std::min(piece_filters_, filters_ - f), work);
      }
    });
    if (out != result)
      transpose_matrices(out, result, c_.x[0], s_.planes * s_.rows * s_.columns, filters_, sizeof(float));
    if (posts_) run_post_chain(*posts_, result, operands + 3, c_.extra.size());
  }

 private:
  struct Call {
    const float* x;
    float* out;
    const float* bias;  // null without one
    void* const* extras;
  };
  struct Place {
    std::int64_t image, row, column;  // of a tile's first output; the image is one of Sizes::images
  };
  // Tiles at places [place, place + places) of output planes [plane, plane + planes), plane by plane.
  struct Block {
    std::int64_t place, places, plane, planes;
  };
  Block block_at(std::int64_t i) const {
    const std::int64_t place = i % place_blocks_ * block_places_, plane = i / place_blocks_ * block_planes_;
    return {place, std::min(block_places_, tiles_.places - place), plane, std::min(block_planes_, s_.planes - plane)};
  }
  // Of the tile at a place of all volumes, in a plane of outputs.
  Place place_of(std::int64_t place, std::int64_t plane) const {
    const auto line = base::divide(place, tiles_.columns), image = base::divide(line.quotient, tiles_.rows);
    return {image.quotient * s_.planes + plane, image.rest * kTile, line.rest * kTile};
  }

  // Points as [point][panel of filters][channel][filter of the panel], then FilterSizes of all filters: a share for
  // each channel, 64 bits, and for each panel whether it is narrow.
  const float* shares() const {
    return static_cast<const float*>(weights_.get()) + kPoints * padded_filters_ * channels_;
  }
  // As they are given, from the group's first on.
  const float* given_weights() const { return s_.taps(static_cast<const float*>(c_.weights.data), first_filter_, 0); }
  std::shared_ptr<const void> pack() const {
    // Row p of G is [1, p, p^2] over the product of p's distances to the other points.
    double transform[6][3] = {};
    const double points[] = {0, kWinogradA, -kWinogradA, kWinogradB, -kWinogradB};
    for (int i = 0; i < 5; ++i) {
      double distances = 1;
      for (int j = 0; j < 5; ++j)
        if (j != i) distances *= points[i] - points[j];
      for (int j = 0; j < 3; ++j) transform[i][j] = std::pow(points[i], j) / distances;
    }
    transform[5][2] = 1;
    const std::int64_t point = padded_filters_ * channels_;
    const float* const w = given_weights();
    // A panel's filters at a time, so that whole lines are written: with the point, each lies far from the last.
    const std::int64_t panels = (padded_filters_ + table_.width - 1) / table_.width;
    auto buffer = aligned_buffer(static_cast<std::size_t>(kPoints * point + channels_ + 2 + panels) * sizeof(float));
    float* const to = static_cast<float*>(buffer.get());
    std::vector<FilterSizes> sizes(static_cast<std::size_t>(panels));
    parallel_ranges(
        panels, static_cast<double>(channels_ * table_.width) * 30, 1, [&](std::int64_t p0, std::int64_t p1) {
          double half[6][3][kWinogradWidest];
          for (std::int64_t p = p0; p < p1; ++p) {
            const std::int64_t panel = p * table_.width, width = std::min(table_.width, padded_filters_ - panel);
            for (std::int64_t c = 0; c < channels_; ++c) {
              for (std::int64_t f = 0; f < width; ++f) {
                float g[9] = {};
                if (panel + f < filters_) std::memcpy(g, s_.taps(w, panel + f, c), sizeof g);
                for (int i = 0; i < 6; ++i)
                  for (int j = 0; j < 3; ++j)
                    half[i][j][f] = transform[i][0] * g[j] + transform[i][1] * g[3 + j] + transform[i][2] * g[6 + j];
              }
              float* at = to + panel * channels_ + c * width;
              for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j, at += point)
                  for (std::int64_t f = 0; f < width; ++f)
                    at[f] = static_cast<float>(half[i][0][f] * transform[j][0] + half[i][1][f] * transform[j][1] +
                                               half[i][2][f] * transform[j][2]);
            }
            sizes[static_cast<std::size_t>(p)] = filter_sizes_of(w, s_, panel, std::min(width, filters_ - panel));
          }
        });
    float* const shares = to + kPoints * point;
    std::fill_n(shares, channels_, 0.0f);
    std::uint64_t uneven = 0;
    for (const FilterSizes& s : sizes) {
      for (std::int64_t c = 0; c < channels_; ++c) shares[c] += s.shares[static_cast<std::size_t>(c)];
      uneven |= s.uneven;
    }
    std::memcpy(shares + channels_, &uneven, sizeof uneven);
    for (std::size_t p = 0; p < sizes.size(); ++p)
      shares[channels_ + 2 + static_cast<std::int64_t>(p)] = sizes[p].narrow;
    return buffer;
  }

  // Filters [f, f + filters) of a block.
  void block(const Call& call, const Block& b, std::int64_t f, std::int64_t filters, float* work) const {
    float* const in = work;
    float* const made = work + in_step_ * kPoints;
    const std::int64_t tiles = b.places * b.planes;
    std::uint16_t again[kMostTiles] = {};  // by tile, the outputs to be computed directly
    transform_patches(call.x, b, in, work, again);
    std::int64_t repeated = 0;
    for (std::int64_t t = 0; t < tiles; ++t) {
      if (uneven_) again[t] |= beside_padding(tile_of(b, t));
      repeated += std::popcount(again[t]);
    }
    // Of scattered elements there are few sums that keep their digits: whole rows are computed directly then.
    const bool is_direct = static_cast<double>(repeated) > kMostRepeated * static_cast<double>(tiles * kTile * kTile);
    const std::int64_t point = padded_filters_ * channels_;
    const float* weights = static_cast<const float*>(weights_.get()) + f * channels_;
    const WinogradTerms terms{
        .terms = s_.plane_channels, .parts = s_.depth, .part = b.places * padded_channels_, .row = padded_channels_};
    for (std::int64_t p = 0; p < kPoints && !is_direct; ++p)
      table_.multiply(tiles, filters, terms, in + p * in_step_, weights + p * point, made + p * out_step_,
                      piece_filters_);
    bool finite = !is_direct;
    const float* bias = call.bias != nullptr ? call.bias + first_filter_ + f : nullptr;
    for (std::int64_t t = 0; t < tiles && !is_direct; ++t) {
      const Place at = tile_of(b, t);
      finite &= table_.output(made + t * piece_filters_, out_step_, bias, filters, std::min(kTile, s_.rows - at.row),
                              std::min(kTile, s_.columns - at.column), pixel(call.out, at.image, at.row, at.column) + f,
                              s_.columns * out_pixel_, out_pixel_);
    }
    for (std::int64_t t = 0; t < tiles && finite; ++t)
      if (again[t] != 0) directly(call, tile_of(b, t), again[t], f, filters, made);
    for_each_run(b, [&](std::int64_t image, std::int64_t row, std::int64_t column, std::int64_t pixels) {
      if (!finite) direct(call, image, row, column, pixels, f, filters, made);
      for (std::int64_t panel : narrow_)
        if (finite && panel >= f && panel < f + filters)
          direct(call, image, row, column, pixels, panel, std::min(table_.width, f + filters - panel), made);
      if (posts_) return;
      const std::int64_t first = first_filter_ + f;
      const std::int64_t at = ((image * s_.rows + row) * s_.columns + column) * out_pixel_ + first;
      if (filters == out_pixel_) return steps_.apply(call.out, call.extras, at, pixels * filters, first, filters);
      for (std::int64_t p = 0; p < pixels; ++p)
        steps_.apply(call.out, call.extras, at + p * out_pixel_, filters, first, filters);
    });
  }
  Place tile_of(const Block& b, std::int64_t tile) const {
    const auto [plane, place] = base::divide(tile, b.places);
    return place_of(b.place + place, b.plane + plane);
  }

  float* pixel(float* out, std::int64_t image, std::int64_t row, std::int64_t column) const {
    return out + ((image * s_.rows + row) * s_.columns + column) * out_pixel_ + first_filter_;
  }

  // The plane `depth` of what outputs of an image read; null in the padding.
  const float* plane(const float* x, std::int64_t image, std::int64_t depth) const {
    const auto [volume, in_volume] = base::divide(image, s_.planes);
    const std::int64_t at = in_volume - s_.plane_pad + depth;
    if (at < 0 || at >= s_.planes_in) return nullptr;
    return x + (volume * s_.planes_in + at) * s_.rows_in * s_.columns_in * x_pixel_ + first_channel_;
  }

  // The points of all planes that a block's outputs read, [plane][place][channel]. An output has to be computed
  // directly if it would lose digits by one of the planes that it reads.
  void transform_patches(const float* x, const Block& b, float* points, float* work, std::uint16_t* again) const {
    for (std::int64_t from = 0; from < b.planes + s_.depth - 1; ++from)
      for (std::int64_t i = 0; i < b.places; ++i, points += padded_channels_) {
        const Place at = place_of(b.place + i, b.plane);
        std::uint16_t bits[kWinogradDeepest];  // by the plane of the window
        transform_patch(plane(x, at.image, from), at, points, work, bits);
        for (std::int64_t depth = 0; depth < s_.depth; ++depth)
          if (from >= depth && from - depth < b.planes) again[(from - depth) * b.places + i] |= bits[depth];
      }
  }

  void transform_patch(const float* image, const Place& at, float* points, float* work, std::uint16_t* again) const {
    const std::int64_t row = at.row - s_.row_pad, column = at.column - s_.column_pad, channels = s_.plane_channels;
    if (image == nullptr) {
      for (std::int64_t p = 0; p < kPoints; ++p) std::fill_n(points + p * in_step_, padded_channels_, 0.0f);
      std::fill_n(again, s_.depth, std::uint16_t{0});
      return;
    }
    if (row >= 0 && column >= 0 && row + kPatch <= s_.rows_in && column + kPatch <= s_.columns_in)
      return table_.input(image + (row * s_.columns_in + column) * x_pixel_, s_.columns_in * x_pixel_, x_pixel_,
                          channels, shares(), s_.depth, points, in_step_, again);
    float* const patch = work + patch_at_;
    // Of the patch's columns, those within the image.
    const std::int64_t first = std::max<std::int64_t>(0, -column), last = std::min(kPatch, s_.columns_in - column);
    for (std::int64_t i = 0; i < kPatch; ++i) {
      float* const to = patch + i * kPatch * channels;
      const std::int64_t r = row + i;
      if (r < 0 || r >= s_.rows_in || first >= last) {
        std::fill_n(to, kPatch * channels, 0.0f);
        continue;
      }
      std::fill_n(to, first * channels, 0.0f);
      const std::int64_t run = x_pixel_ == channels ? last - first : 1;  // pixels that follow one another
      for (std::int64_t j = first; j < last; j += run)
        std::memcpy(to + j * channels, image + (r * s_.columns_in + column + j) * x_pixel_,
                    static_cast<std::size_t>(run * channels) * sizeof(float));
      std::fill_n(to + last * channels, (kPatch - last) * channels, 0.0f);
    }
    table_.input(patch, kPatch * channels, channels, channels, shares(), s_.depth, points, in_step_, again);
  }

  // Calls f(image, row, column, pixels) for the runs of output pixels that a block covers.
  template <class F>
  void for_each_run(const Block& b, F&& f) const {
    for (std::int64_t plane = b.plane; plane < b.plane + b.planes; ++plane)
      for (std::int64_t place = b.place, last = b.place + b.places; place < last;) {
        const Place at = place_of(place, plane);
        const std::int64_t tiles = std::min(last - place, tiles_.columns - at.column / kTile);
        const std::int64_t end = std::min(s_.columns, at.column + tiles * kTile);
        for (std::int64_t r = at.row; r < std::min(s_.rows, at.row + kTile); ++r)
          f(at.image, r, at.column, end - at.column);
        place += tiles;
      }
  }

  // The outputs of a tile that do not read all taps, by bits.
  std::uint16_t beside_padding(const Place& at) const {
    unsigned bits = 0;
    for (unsigned i = 0; i < 16; ++i)
      if (taps_read(at.row + i / 4, s_.row_pad, s_.rows_in) != 7 ||
          taps_read(at.column + i % 4, s_.column_pad, s_.columns_in) != 7)
        bits |= 1u << i;
    return static_cast<std::uint16_t>(bits);
  }

  // The outputs of a tile whose bits are set.
  void directly(const Call& call, const Place& at, unsigned bits, std::int64_t f, std::int64_t filters,
                float* work) const {
    const std::int64_t columns = std::min(kTile, s_.columns - at.column);
    for (std::int64_t i = 0; i < std::min(kTile, s_.rows - at.row); ++i)
      for (std::int64_t j = 0; j < columns;) {
        std::int64_t end = j;
        while (end < columns && (bits >> (i * kTile + end) & 1) != 0) ++end;
        if (end > j) direct(call, at.image, at.row + i, at.column + j, end - j, f, filters, work);
        j = end + 1;
      }
  }

  // The sums themselves, for a run of pixels of one row, tap by tap; `work` has room for their padded filters.
  void direct(const Call& call, std::int64_t image, std::int64_t row, std::int64_t column, std::int64_t pixels,
              std::int64_t f, std::int64_t filters, float* work) const {
    std::call_once(ordered_, [&] { order_taps(); });
    const std::int64_t step = round_up(filters, table_.lanes);
    float* const to = pixel(call.out, image, row, column) + f;
    for (std::int64_t p = 0; p < pixels; ++p)
      for (std::int64_t m = 0; m < filters; ++m)
        to[p * out_pixel_ + m] = call.bias != nullptr ? call.bias[first_filter_ + f + m] : 0.0f;
    const std::int64_t channels = s_.plane_channels;
    for (std::int64_t t = 0; t < 9 * s_.depth; ++t) {
      const float* const image_x = plane(call.x, image, t / 9);
      const std::int64_t r = row - s_.row_pad + t % 9 / 3, q = column - s_.column_pad + t % 3;
      const std::int64_t p0 = std::max<std::int64_t>(0, -q), p1 = std::min(pixels, s_.columns_in - q);
      if (image_x == nullptr || r < 0 || r >= s_.rows_in || p0 >= p1) continue;
      table_.multiply(p1 - p0, filters, {.terms = channels, .parts = 1, .part = 0, .row = x_pixel_},
                      image_x + (r * s_.columns_in + q + p0) * x_pixel_,
                      taps_.data() + (t * padded_filters_ + f) * channels, work, step);
      for (std::int64_t p = p0; p < p1; ++p)
        for (std::int64_t m = 0; m < filters; ++m) to[p * out_pixel_ + m] += work[(p - p0) * step + m];
    }
  }

  // [depth and tap][panel of filters][channel of a plane][filter of the panel]
  void order_taps() const {
    const float* const w = given_weights();
    const std::int64_t channels = s_.plane_channels;
    taps_.resize(static_cast<std::size_t>(9 * s_.depth * padded_filters_ * channels));
    for (std::int64_t panel = 0; panel < padded_filters_; panel += table_.width) {
      const std::int64_t width = std::min(table_.width, padded_filters_ - panel);
      for (std::int64_t t = 0; t < 9 * s_.depth; ++t) {
        float* to = taps_.data() + (t * padded_filters_ + panel) * channels;
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t m = panel; m < panel + width; ++m)
            *to++ = m < filters_ ? float_at(s_.taps(w, m, t / 9 * channels + c) + t % 9) : 0.0f;
      }
    }
  }

  ConvConfig c_;
  Sizes s_;
  Tiles tiles_;
  std::int64_t channels_, filters_;
  std::int64_t x_pixel_, out_pixel_;  // floats of a pixel, of all groups
  std::int64_t first_channel_, first_filter_;
  const WinogradTable& table_;
  PixelSteps steps_;
  std::unique_ptr<Kernel> posts_;  // steps that runs of pixels cannot read
  std::int64_t padded_channels_, padded_filters_, piece_filters_, filter_pieces_ = 1;  // channels of a plane
  std::int64_t block_places_, block_planes_, place_blocks_, blocks_, block_pieces_;
  std::int64_t in_step_, out_step_, patch_at_, piece_floats_;  // in floats
  std::size_t scratch_ = 0, x_at_ = 0, out_at_ = 0, pieces_at_ = 0;
  std::shared_ptr<const void> weights_;
  bool uneven_ = false;
  std::vector<std::int64_t> narrow_;  // first filters of panels whose filters read few elements
  mutable std::once_flag ordered_;
  mutable std::vector<float> taps_;
};

class WinogradGroups final : public Kernel {
 public:
  WinogradGroups(const ConvConfig& c, PackedConstants& packed) {
    for (std::int64_t g = 0; g < c.group; ++g) groups_.push_back(std::make_unique<WinogradConv>(c, packed, g));
  }
  std::size_t scratch_bytes() const override { return groups_[0]->scratch_bytes(); }
  bool reads(std::size_t i) const override { return i != 1; }
  std::size_t bytes() const noexcept override { return groups_.size() * groups_[0]->bytes(); }
  void run(void* const* operands, void* scratch) const override {
    for (const auto& group : groups_) group->run(operands, scratch);
  }

 private:
  std::vector<std::unique_ptr<WinogradConv>> groups_;
};

// By what both take, and weights that come from memory once; in products. `rounded`: beside direct products in
// bfloat16, which take half the time.
bool is_worthwhile(const ConvConfig& c, bool rounded) {
  const Sizes s(c);
  const std::int64_t of_group = c.out[1] / c.group;
  const auto channels = static_cast<double>(s.plane_channels * s.depth), filters = static_cast<double>(of_group);
  const double pixels = static_cast<double>(s.images * s.rows) * static_cast<double>(s.columns);
  const double pairs = channels * filters;
  // Products in the time of a byte: of a slow third cache, a core gets little.
  const double kept_bytes = has_slow_third_cache() ? 1 << 20 : std::numeric_limits<double>::infinity();
  const double byte_products = pairs * kPoints * 4 > kept_bytes ? 9 : 4.4;
  const double direct = pairs * (9 * pixels * s.depth_inside() + 36 * byte_products) * (rounded ? 0.5 : 1);
  const double fast = work_of(s, Tiles(s), of_group) + pairs * kPoints * 4 * byte_products;
  return fast * 1.15 < direct;
}

std::string refusal(const ConvConfig& c, bool rounded) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if ((c.x.size() != 4 && c.x.size() != 5) || c.w[c.w.size() - 2] != 3 || c.w.back() != 3)
    return "not a window of 3 x 3";
  const Shape ones(c.x.size() - 2, 1);
  if (c.strides != ones || c.dilations != ones) return "strides or dilations";
  if (!c.weights.known()) return "the weights are not constant";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  if (c.x.size() == 5 && c.w[2] > kWinogradDeepest) return "a window of more than eight planes";
  if (c.group > 1) {
    if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "groups of planes";
    if (std::string why = pixel_steps_refusal(c.out, c.post, c.extra, c.in_place_extra); !why.empty()) return why;
  }
  if (!is_worthwhile(c, rounded)) return "its transforms cost more than they save here";
  if (reads_few(c)) return "filters read so few elements of their windows that transforms would lose digits";
  return post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

}  // namespace
}  // namespace conv_winograd_cc

std::string winograd_conv_refuses(const ConvConfig& c) { return refusal(c, false); }
bool winograd_beats_bf16(const ConvConfig& c) { return refusal(c, true).empty(); }

std::unique_ptr<Kernel> make_winograd_conv(const ConvConfig& config, PackedConstants& packed) {
  if (config.group > 1) return std::make_unique<WinogradGroups>(config, packed);
  return std::make_unique<WinogradConv>(config, packed, 0);
}

}  // namespace norn::kernels
