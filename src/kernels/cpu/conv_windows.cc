// Convolution where pixels lie: the addresses of the pixels that some outputs read, tap by tap, against panels of
// filters (windows.h). Nothing is compiled for a size, and the form of the weights follows from the weights alone.
//
// The elements of a tap are a pixel's channels, or zeros outside of the image. A tap that lies outside for all pixels
// that are multiplied together is left out, as is a third of the depth at either end of a short video. Of few channels,
// as of an image in three colours, x is copied with its padding around it, and a tap is a row of the window, whose
// elements follow one another. Factors that are rounded to bfloat16 are copied, too.
#include <algorithm>
#include <bitset>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/pixel_steps.h"
#include "kernels/cpu/windows.h"
#ifdef NORN_ONEDNN
#include "kernels/cpu/onednn.h"
#endif

namespace norn::kernels {
inline namespace conv_windows_cc {
namespace {

constexpr std::int64_t kTileRows = 96, kStep = 24;  // of pixels; a multiple of the rows that registers hold
constexpr std::int64_t kFewChannels = 16;           // which are copied with their padding
constexpr std::int64_t kMostTaps = 256;
constexpr std::int64_t kFewest = 8;  // taps, or else four times as many filters, that read a rounded element
constexpr std::int64_t kPartBytes = std::int64_t{128} << 10;  // of a panel, which stay in the second cache
constexpr std::int64_t kLeastRun = 16;                        // elements of a row of the window, with few channels
constexpr std::int64_t kLeastDot = 24;  // elements of a window for each filter, to be worth summing lanes
constexpr std::int64_t kLeastLanes = 8, kManyLanes = 16;
// Of a group: fewer take longer than oneDNN's convolution with vectors of fewer than 16 floats.
constexpr std::int64_t kManyChannels = 64;
constexpr float kNone = std::numeric_limits<float>::infinity();  // no bound, or that below 0

enum class Factors { F32, Dots, BFloat16 };

const WindowTable* table_of(Factors factors) {
  if (factors == Factors::Dots) return &dot_window_table();
  return factors == Factors::F32 ? &window_table() : rounded_window_table();
}

bool has_few_channels(const ConvConfig& c) { return c.group == 1 && c.w[1] < kFewChannels; }
bool is_copied(const ConvConfig& c) { return has_few_channels(c) && c.dilations.back() == 1; }

WindowForm form_of(const ConvConfig& c, Factors factors) {
  const Spatial3 window = spatial3(c.w, 2, 1);
  WindowForm f;
  f.groups = c.group;
  f.filters = c.w[0] / c.group;
  f.channels = c.w[1];
  f.area = window[0] * window[1] * window[2];
  f.wide = is_copied(c) ? window[2] : 1;
  f.lanes = factors == Factors::Dots ? 1 : table_of(factors)->lanes;
  if (factors == Factors::Dots) f.dot = table_of(factors)->lanes;
  f.width = table_of(factors)->width;
  f.rounded = factors == Factors::BFloat16;
  return f;
}

class WindowConv final : public Kernel, SpatialSizes {
  // What the rows of a tile read: the taps by which one of them reads a pixel of the image, and whether one reads
  // padding.
  struct Reads {
    std::bitset<kMostTaps> inside;
    bool padding = false;
  };

 public:
  WindowConv(const ConvConfig& c, Factors factors, PackedConstants& packed)
      : SpatialSizes(c),
        c_(c),
        form_(form_of(c_, factors)),
        table_(*table_of(factors)),
        steps_(c.out, c.post, c.extra),
        in_registers_(steps_.in_registers()),
        copied_(is_copied(c)),
        filters_(c.out[1]),
        pixels_(c.x[0] * out_[0] * out_[1] * out_[2]) {
    const Spatial3 pads_end = spatial3(c.pads_end, 0, 0);
    for (std::size_t d = 0; d < 3; ++d) padded_[d] = in_[d] + pads_[d] + pads_end[d];
    const std::int64_t tiles = (pixels_ + kTileRows - 1) / kTileRows;
    rows_ = std::min(pixels_, round_up((pixels_ + tiles - 1) / tiles, kStep));
    panels_ = c.group * form_.panels();
    units_ = (pixels_ + rows_ - 1) / rows_ * panels_;
    const double products = static_cast<double>(pixels_ * filters_) * static_cast<double>(form_.taps() * form_.depth());
    const double ns = products / (form_.rounded ? 200 : form_.dot > 0 ? 50 : 100);
    tasks_ = std::min(units_, contraction_pieces(ns, most_pieces(ns, 32)));
    // Parts of a panel that stay in the second cache: some taps, or some elements of one.
    const auto in_parts = [](std::int64_t n, std::int64_t bytes) {
      const std::int64_t parts = std::clamp<std::int64_t>((bytes + kPartBytes - 1) / kPartBytes, 1, n);
      return (n + parts - 1) / parts;
    };
    part_taps_ = in_parts(form_.taps(), form_.taps() * form_.tap_bytes(0));
    part_depth_ = form_.depth();
    const std::int64_t together = std::max<std::int64_t>(form_.dot, 2);
    if (part_taps_ == 1) part_depth_ = round_up(in_parts(form_.depth(), form_.tap_bytes(0)), together);
    task_bytes_ = align64(static_cast<std::size_t>(rows_ * form_.taps()) * sizeof(void*));
    copy_at_ = task_bytes_ * static_cast<std::size_t>(tasks_);
    const auto bytes = [&](std::int64_t elements) {
      return align64(static_cast<std::size_t>(elements * form_.element_bytes()));
    };
    scratch_ = copy_at_;
    if (copied_)
      scratch_ += bytes(c.x[0] * padded_[0] * padded_[1] * padded_[2] * form_.pixel());
    else if (form_.rounded)
      scratch_ += bytes(element_count(c.x));
    if (!copied_) {
      zeros_ = aligned_buffer(bytes(c.x[1]));
      std::memset(zeros_.get(), 0, bytes(c.x[1]));
    }
    weights_ = pack_windows(c.weights, form_, packed);
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const void* x = operands[0];
    if (copied_)
      x = copy_padded(static_cast<const float*>(x), base + copy_at_);
    else if (form_.rounded)
      x = round(static_cast<const float*>(x), base + copy_at_);
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* const addresses = reinterpret_cast<const void**>(base + static_cast<std::size_t>(task) * task_bytes_);
      for (auto [unit, end] = base::part_of(units_, tasks_, task); unit < end;) {
        const auto [tile_at, panel] = base::divide(unit, panels_);
        const std::int64_t count = std::min(end - unit, panels_ - panel);
        tile(operands, x, tile_at * rows_, panel, panel + count, addresses);
        unit += count;
      }
    });
  }

 private:
  // Pixels from `first` on, of the filters of some panels.
  void tile(void* const* operands, const void* x, std::int64_t first, std::int64_t panel, std::int64_t end,
            const void** addresses) const {
    const std::int64_t rows = std::min(rows_, pixels_ - first);
    const Reads reads = address(static_cast<const char*>(x), first, first + rows, addresses);
    const std::int64_t from = column_of(panel), columns = column_of(end) - from, at = first * filters_ + from;
    void* const* const extras = operands + 3;
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    for (; panel < end; ++panel) multiply(operands, first, rows, panel, addresses, reads);
    if (in_registers_) return;
    if (columns == filters_) return steps_.apply(out, extras, at, rows * filters_, 0, filters_);
    for (std::int64_t r = 0; r < rows; ++r) steps_.apply(out, extras, at + r * filters_, columns, from, columns);
  }

  // The first filter of a panel.
  std::int64_t column_of(std::int64_t panel) const {
    const auto [group, in_group] = base::divide(panel, form_.panels());
    return group * form_.filters + in_group * form_.width;
  }

  void multiply(void* const* operands, std::int64_t first, std::int64_t rows, std::int64_t panel,
                const void* const* addresses, const Reads& reads) const {
    const auto [group, in_group] = base::divide(panel, form_.panels());
    const std::int64_t column = group * form_.filters + in_group * form_.width;
    const std::int64_t at = first * filters_ + column, taps = form_.taps();
    const auto [added, bounds] = in_registers_.value_or(PixelSteps::InRegisters{-1, {-kNone, kNone}});
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]) + at;
    const char* const w = static_cast<const char*>(weights_.get()) + form_.at(group, in_group);
    WindowProduct p;
    p.x_tap = rows;
    p.padding = reads.padding ? zeros_.get() : nullptr;
    p.bias = c_.has_bias ? static_cast<const float*>(operands[2]) + column : nullptr;
    p.added = added < 0 ? nullptr : static_cast<const float*>(operands[3 + added]) + at;
    p.c = out;
    p.c_row = filters_;
    p.columns = std::min(form_.width, form_.filters - in_group * form_.width);
    const std::int64_t element = form_.panel_columns(in_group) * form_.element_bytes();
    const auto is_used = [&](std::int64_t tap) { return reads.inside[static_cast<std::size_t>(tap)]; };
    std::int64_t last = taps;  // behind the last one that is used
    while (last > 1 && !is_used(last - 1)) --last;
    for (std::int64_t tap = 0; tap < last; tap += p.taps) {
      p.taps = 1;
      if (!is_used(tap) && tap + 1 < last) continue;
      while (p.taps < std::min(part_taps_, last - tap) && is_used(tap + p.taps)) ++p.taps;
      for (std::int64_t k = 0; k < form_.depth(); k += part_depth_) {
        p.x = addresses + tap * rows;
        p.offset = group * form_.channels + k;
        p.depth = std::min(part_depth_, form_.depth() - k);
        const std::int64_t before = (tap * form_.weight_depth() + k) * element;
        p.w = w + before;
        const bool ends = tap + p.taps == last && k + p.depth == form_.depth();
        p.low = ends ? bounds.first : -kNone;
        p.high = ends ? bounds.second : kNone;
        table_.multiply(p, rows);
        p.bias = nullptr;  // the sums are there
        p.added = out;
      }
    }
  }

  // Writes where pixels [first, last) of the output read, tap by tap; what they read.
  Reads address(const char* x, std::int64_t first, std::int64_t last, const void** to) const {
    Reads reads;
    if (copied_) reads.inside.set();
    const Spatial3& size = copied_ ? padded_ : in_;
    const std::int64_t pixel = (copied_ ? form_.pixel() : c_.x[1]) * form_.element_bytes(), rows = last - first;
    const std::int64_t step = strides_[2] * pixel;
    const Spatial3 pads = copied_ ? Spatial3{0, 0, 0} : pads_;
    for (std::int64_t p = first; p < last;) {
      const auto [image, o] = pixel_at(p, out_);
      const std::int64_t n = std::min(last - p, out_[2] - o[2]);
      const void** row = to + (p - first);
      std::size_t tap = 0;
      p += n;
      for (std::int64_t t0 = 0; t0 < window_[0]; ++t0)
        for (std::int64_t t1 = 0; t1 < window_[1]; ++t1) {
          const std::int64_t i0 = o[0] * strides_[0] + t0 * dilations_[0] - pads[0],
                             i1 = o[1] * strides_[1] + t1 * dilations_[1] - pads[1];
          const bool inside = i0 >= 0 && i0 < size[0] && i1 >= 0 && i1 < size[1];
          const char* const from = x + ((image * size[0] + i0) * size[1] + i1) * size[2] * pixel;
          for (std::int64_t t2 = 0; t2 < window_[2]; t2 += form_.wide, row += rows, ++tap) {
            const std::int64_t i2 = o[2] * strides_[2] + t2 * dilations_[2] - pads[2];
            // Those of the n that lie inside of the line.
            const std::int64_t begin = inside ? reaching(0, i2, n) : n, end = inside ? reaching(size[2], i2, n) : n;
            std::fill_n(row, begin, zeros_.get());
            const char* at = from + (i2 + begin * strides_[2]) * pixel;
            for (std::int64_t i = begin; i < end; ++i, at += step) row[i] = at;
            std::fill(row + end, row + n, zeros_.get());
            if (begin < end) reads.inside[tap] = true;
            reads.padding |= begin > 0 || end < n;
          }
        }
    }
    return reads;
  }
  // The first of n places, from `at` on a stride apart, that reaches `bound`; n if none does.
  std::int64_t reaching(std::int64_t bound, std::int64_t at, std::int64_t n) const {
    if (at >= bound) return 0;
    if (at + (n - 1) * strides_[2] < bound) return n;
    return base::quotient_up(bound - at, strides_[2]);
  }

  const void* round(const float* x, char* to) const {
    auto* const rounded = reinterpret_cast<std::uint16_t*>(to);
    parallel_ranges(element_count(c_.x), 0.05, 64, [&](std::int64_t begin, std::int64_t end) {
      table_.round(1, end - begin, x + begin, 0, rounded + begin, 0);
    });
    return to;
  }

  // Lines of the image with zeros around, and behind each pixel where pairs ask for one.
  const void* copy_padded(const float* x, char* to) const {
    const std::int64_t line = padded_[2] * form_.pixel(), inside = in_[2] * form_.channels;
    const double line_ns = static_cast<double>(line) * (form_.rounded ? 0.5 : 0.1);
    parallel_ranges(c_.x[0] * padded_[0] * padded_[1], line_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t image = r / padded_[1] / padded_[0], i0 = r / padded_[1] % padded_[0] - pads_[0],
                           i1 = r % padded_[1] - pads_[1];
        const bool there = i0 >= 0 && i0 < in_[0] && i1 >= 0 && i1 < in_[1];
        copy_line(there ? x + ((image * in_[0] + i0) * in_[1] + i1) * inside : nullptr,
                  to + r * line * form_.element_bytes());
      }
    });
    return to;
  }
  void copy_line(const float* x, char* to) const {
    const std::int64_t pixel = form_.pixel(), before = pads_[2] * pixel, inside = in_[2] * form_.channels;
    std::memset(to, 0, static_cast<std::size_t>(padded_[2] * pixel * form_.element_bytes()));
    if (x == nullptr) return;
    auto* const halves = reinterpret_cast<std::uint16_t*>(to) + before;
    if (!form_.rounded)
      std::memcpy(reinterpret_cast<float*>(to) + before, x, static_cast<std::size_t>(inside) * sizeof(float));
    else if (pixel == form_.channels)
      table_.round(1, inside, x, 0, halves, 0);
    else
      table_.round(in_[2], form_.channels, x, form_.channels, halves, pixel);
  }

  const ConvConfig c_;
  const WindowForm form_;
  const WindowTable& table_;
  const PixelSteps steps_;
  const std::optional<PixelSteps::InRegisters> in_registers_;
  Spatial3 padded_{};
  bool copied_;
  std::int64_t filters_, pixels_, rows_ = 1, panels_ = 1, units_ = 1, tasks_ = 1, part_taps_ = 1, part_depth_ = 1;
  std::size_t scratch_ = 0, task_bytes_ = 0, copy_at_ = 0;
  std::shared_ptr<void> zeros_;
  std::shared_ptr<const void> weights_;
};

std::string windows_refusal(const ConvConfig& c, Factors factors) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x.size() > 5) return "more than three spatial dimensions";
  if (c.x_layout != Layout::ChannelsLast || c.out_layout != Layout::ChannelsLast) return "channels are not last";
  if (!c.weights.known()) return "the weights are not constant";
  const WindowTable* table = table_of(factors);
  if (table == nullptr) return "the CPU has no dot products of bfloat16";
  const std::int64_t filters = c.w[0] / c.group;
  if (factors == Factors::Dots) {
    if (c.group > 1 || filters > kMostDotFilters) return "more than a few filters";
    if (bounded_product(std::span(c.w).subspan(1), kLeastDot * filters - 1)) return "few elements in a window";
  }
  if (factors != Factors::Dots && table->lanes < kLeastLanes) return "is for vectors of 8 floats and more";
  if (factors == Factors::F32 && table->lanes < kManyLanes && c.w[1] < kManyChannels)
    return "leaves fewer than 64 channels to those below";
  if (c.group > 1 && c.w[1] < kFewChannels) return "groups of few channels";
  if (factors == Factors::BFloat16) {
    if (!is_copied(c) && c.w[1] % 2 != 0) return "an odd number of channels";
    if (bounded_product(std::span(c.w).subspan(2), kFewest) && c.w[0] / c.group < 4 * kFewest)
      return "too few products for each rounded element";
  } else if (is_copied(c) && c.w[1] * c.w.back() < kLeastRun) {
    return "few elements that follow one another";
  }
  // What oneDNN compiles for each size takes milliseconds, for each length of a line tens of them; its products for
  // windows of one pixel are there for every size.
  const bool compiles = factors == Factors::F32 && !bounded_product(std::span(c.w).subspan(2), 1);
  const std::int64_t fewest = c.x.size() > 3 ? table->lanes : table->lanes / 2;
  if (factors != Factors::Dots && (compiles ? filters < fewest : round_up(filters, table->lanes) * 8 > filters * 9))
    return "filters that do not fill vectors";
  if (has_few_channels(c) && !is_copied(c) && (c.x.size() > 3 || factors != Factors::F32))
    return "few channels, which lie apart";
  if (!bounded_product(std::span(c.w).subspan(2), kMostTaps)) return "a large window";
  const Spatial3 in = spatial3(c.x, 2, 1), begin = spatial3(c.pads_begin, 0, 0), end = spatial3(c.pads_end, 0, 0);
  const Shape copy = {c.x[0], in[0] + begin[0] + end[0], in[1] + begin[1] + end[1], in[2] + begin[2] + end[2],
                      round_up(c.x[1], 16)},
              all = {round_up(c.w[0], 64) * kMostTaps, round_up(c.w[1], 2)};
  if (std::string why = extent_refusal({&copy, &all}); !why.empty()) return why;
  return pixel_steps_refusal(c.out, c.post, c.extra, c.in_place_extra);
}

}  // namespace
}  // namespace conv_windows_cc

std::string window_conv_refuses(const ConvConfig& c) { return windows_refusal(c, Factors::F32); }
std::unique_ptr<Kernel> make_window_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<WindowConv>(c, Factors::F32, packed);
}

std::string dot_conv_refuses(const ConvConfig& c) { return windows_refusal(c, Factors::Dots); }
std::unique_ptr<Kernel> make_dot_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<WindowConv>(c, Factors::Dots, packed);
}

std::string window_conv_bf16_refuses(const ConvConfig& c) {
#ifdef NORN_ONEDNN
  if (multiplies_tiles()) return "oneDNN multiplies tiles of bfloat16";
#endif
  if (std::string why = windows_refusal(c, Factors::BFloat16); !why.empty()) return why;
  return winograd_beats_bf16(c) ? "a quarter of the products, of floats, takes less time" : "";
}
std::unique_ptr<Kernel> make_window_conv_bf16(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<WindowConv>(c, Factors::BFloat16, packed);
}

}  // namespace norn::kernels
