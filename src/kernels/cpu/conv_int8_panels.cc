// Convolution of 8-bit integers as products of rows of bytes with panels of filters (panels_int8.h), whose sums become
// what is asked for while they are in the first cache.
//
// The bytes of a tap are a pixel's channels, read where they lie, or a pixel of x's zero point outside of the image.
// Where channels are not a whole number of quads, as of an image in three colours, x is copied with its padding around
// it, and a tap is a row of the window, whose bytes follow one another. Filters that a run brings are packed first.
#include <cstring>
#include <optional>

#include "base/division.h"
#include "base/fork.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace conv_int8_panels_cc {
namespace {

using Op = Int8Operand;

constexpr std::int64_t kOverread = 64;  // bytes that may be read behind a row's

bool is_copied_int8(const ConvInt8Config& c) { return c.w[1] % 4 != 0; }

// Places of a block that do not lie side by side in the output.
std::int64_t outer_places(const ConvInt8Config& c) {
  std::int64_t places = 1;
  for (std::size_t d = 0; d + 1 < c.blocks.size(); ++d) places *= c.blocks[d];
  return places;
}

PanelShape shape_of(const ConvInt8Config& c, const Spatial3& window) {
  PanelShape s;
  s.groups = c.group * outer_places(c);
  s.columns = c.w[0] / s.groups;
  s.taps = window[0] * window[1] * (is_copied_int8(c) ? 1 : window[2]);
  s.depth = c.w[1] * (is_copied_int8(c) ? window[2] : 1);
  return s;
}
const PanelTable& table_of(const ConvInt8Config& c, const PanelShape& s) {
  return panel_table_for(element_count(c.out) / std::max<std::int64_t>(1, c.out[1]), s.taps, s.depth, s.columns);
}
PanelPlaces places_of(const ConvInt8Config& c, const Spatial3& out) {
  if (c.blocks.empty()) return {};
  const Spatial3 blocks = spatial3(c.blocks, 0, 1);
  return {.line = out[2], .lines = out[1], .layer_places = blocks[0], .line_places = blocks[1]};
}
// As PanelWeights wants it.
auto element_of(const ConvInt8Config& c, const Spatial3& window) {
  const std::int64_t columns = shape_of(c, window).columns, channels = c.w[1], taps = window[0] * window[1] * window[2],
                     wide = is_copied_int8(c) ? window[2] : 1;
  return [=](std::int64_t g, std::int64_t tap, std::int64_t k, std::int64_t n) {
    const std::int64_t filter = (g * columns + n) * channels;
    if (wide == 1) return (filter + k) * taps + tap;
    return (filter + k % channels) * taps + tap * wide + k / channels;
  };
}

class PanelConvInt8 final : public Kernel, SpatialSizes {
 public:
  // `keeps`: what it makes of constants, from run to run.
  PanelConvInt8(const ConvInt8Config& config, PackedConstants& packed, bool keeps)
      : SpatialSizes(config),
        c_(config),
        keeps_(keeps && config.output.tame && config.weights.known()),
        copied_(is_copied_int8(c_)),
        centering_{c_.w_type, c_.w_zero.data, c_.w_zeros, element_count(c_.w) / c_.w[0]},
        table_(table_of(c_, shape_of(c_, window_))),
        shape_(laid_out_for(table_, shape_of(c_, window_))),
        finisher_(c_.output, c_.out[1], centering_.each),
        tiles_(c_.x[0] * out_[0] * out_[1] * out_[2], shape_, table_),
        loop_(shape_, finisher_, c_.output, tiles_, c_.x_type, table_, places_of(c_, out_)) {
    if (c_.weights.known())
      w_.emplace(shape_, c_.weights, centering_, element_count(c_.w),
                 "conv " + to_string(c_.w) + std::to_string(shape_.groups), packed, element_of(c_, window_));
    const Spatial3 pads_end = spatial3(c_.pads_end, 0, 0);
    for (std::size_t d = 0; d < 3; ++d) padded_[d] = in_[d] + pads_[d] + pads_end[d];
    const double products = static_cast<double>(element_count(c_.out)) * static_cast<double>(centering_.each);
    tasks_ =
        std::min(loop_.units(), int8_pieces(products / 400 + 0.15 * static_cast<double>(element_count(c_.out)), 32));
    zero_at_ = align64(finisher_.scratch_bytes());
    copy_at_ = zero_at_ + (copied_ ? 0 : align64(static_cast<std::size_t>(c_.x[1])));
    sums_at_ = copy_at_;
    if (copied_)
      sums_at_ +=
          align64(static_cast<std::size_t>(c_.x[0] * padded_[0] * padded_[1] * padded_[2] * c_.x[1] + kOverread));
    const auto columns = static_cast<std::size_t>(shape_.columns_before(shape_.groups)) * sizeof(std::int32_t);
    marks_at_ = sums_at_ + (w_ ? 0 : columns);
    corrections_at_ =
        marks_at_ + (w_ ? 0
                        : align64(static_cast<std::size_t>(shape_.groups * shape_.vectors() * shape_.mark_words()) *
                                  sizeof(std::uint64_t)));
    panels_at_ = corrections_at_ + (w_ ? 0 : columns);
    own_at_ = panels_at_ + (w_ ? 0 : align64(static_cast<std::size_t>(shape_.bytes())));
  }

  std::size_t scratch_bytes() const override { return own_at_ + loop_.task_bytes() * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const std::int32_t x_zero = zero_point(operands[Op::XZero], c_.x_type);
    const std::int32_t counted_zero = loop_.counted_zero(x_zero);
    const PanelMatrix filters = w_ ? w_->matrix() : pack(operands, base);
    const auto* sums = w_ ? w_->sums() : reinterpret_cast<const std::int32_t*>(base + sums_at_);
    auto kept = pool_.take([] { return std::make_unique<SumFinisher::Kept>(); });
    if (keeps_)
      finisher_.keep(*kept, operands, counted_zero, sums);
    else
      kept->run = finisher_.prepare(operands, counted_zero, sums, base);
    const auto* x = static_cast<const std::uint8_t*>(operands[Op::X]);
    auto* const zero = reinterpret_cast<std::uint8_t*>(base + zero_at_);
    if (copied_) {
      auto* copy = reinterpret_cast<std::uint8_t*>(base + copy_at_);
      copy_padded(x, x_zero, copy);
      x = copy;
    } else {
      std::memset(zero, x_zero, static_cast<std::size_t>(c_.x[1]));
    }
    const std::int64_t units = loop_.units(), group_bytes = c_.group == 1 ? 0 : c_.x[1] / c_.group,
                       y_row = c_.blocks.empty() ? c_.out[1] : shape_.columns;
    base::parallel_for(tasks_, [&](std::int64_t t) {
      loop_.run(loop_.bytes_for(x_zero), filters, kept->run, units * t / tasks_, units * (t + 1) / tasks_, group_bytes,
                0, y_row, base + own_at_ + static_cast<std::size_t>(t) * loop_.task_bytes(),
                [&](std::int64_t first, std::int64_t last, const std::uint8_t** to) {
                  if (copied_)
                    addresses_of_copy(x, first, last, to);
                  else
                    addresses(x, zero, first, last, to);
                });
    });
    pool_.give(std::move(kept));
  }

 private:
  // What the run brings.
  PanelMatrix pack(void* const* operands, char* base) const {
    auto* const sums = reinterpret_cast<std::int32_t*>(base + sums_at_);
    auto* const corrections = reinterpret_cast<std::int32_t*>(base + corrections_at_);
    auto* const panels = reinterpret_cast<std::int8_t*>(base + panels_at_);
    std::fill_n(corrections, shape_.columns_before(shape_.groups), 0);
    std::memset(panels, 0, static_cast<std::size_t>(shape_.bytes()));
    const auto* const weights = static_cast<const std::uint8_t*>(operands[Op::W]);
    const bool flips = c_.w_type == DataType::Uint8;
    Centering centering = centering_;
    centering.zero = operands[Op::WZero];
    bool corrected = false;
    for (std::int64_t f = 0; f < c_.w[0]; ++f) {
      const std::int64_t at = shape_.columns_before(f / shape_.columns) + f % shape_.columns;
      corrections[at] = centering.excess_of(f * centering.each);
      corrected = corrected || corrections[at] != 0;
    }
    const auto element = element_of(c_, window_);
    const std::int64_t parts = shape_.parts, part_depth = shape_.part_depth(), taps = shape_.taps * parts;
    parallel_ranges(c_.w[0], static_cast<double>(centering_.each), 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t f = begin; f < end; ++f) {
        const std::int64_t group = f / shape_.columns, column = f % shape_.columns;
        std::uint32_t sum = static_cast<std::uint32_t>(corrections[shape_.columns_before(group) + column]) *
                            static_cast<std::uint32_t>(centering_.each);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          PanelShape::Column::Walk place = shape_.place(group, tap / parts, column).from(tap % parts * part_depth);
          for (std::int64_t k = 0; k < part_depth; ++k, place.next()) {
            const auto w = static_cast<std::int8_t>(weights[element(group, tap, k, column)] ^ (flips ? 0x80 : 0));
            panels[place.byte] = w;
            sum += static_cast<std::uint32_t>(std::int32_t{w});
          }
        }
        sums[f] = static_cast<std::int32_t>(sum);
      }
    });
    auto* const marks = reinterpret_cast<std::uint64_t*>(base + marks_at_);
    parallel_ranges(
        shape_.groups * shape_.vectors(), static_cast<double>(shape_.vector_bytes()) * 0.1, 8,
        [&](std::int64_t begin, std::int64_t end) { shape_.mark_vectors(begin, end - begin, panels, marks); });
    return {shape_, panels, corrected ? corrections : nullptr, marks};
  }

  // Calls f(first, image, rows of the output, column, columns) for stretches of pixels [first, last) of a row.
  template <class F>
  void each_stretch(std::int64_t first, std::int64_t last, const F& f) const {
    for (std::int64_t p = first; p < last;) {
      const auto [image, o] = pixel_at(p, out_);
      const std::int64_t n = std::min(last - p, out_[2] - o[2]);
      f(p - first, image, o[0], o[1], o[2], n);
      p += n;
    }
  }

  void addresses(const std::uint8_t* x, const std::uint8_t* zero, std::int64_t first, std::int64_t last,
                 const std::uint8_t** to) const {
    const std::int64_t channels = c_.x[1], step = strides_[2] * channels;
    each_stretch(
        first, last,
        [&](std::int64_t at, std::int64_t image, std::int64_t o0, std::int64_t o1, std::int64_t o2, std::int64_t n) {
          const std::uint8_t** row = to + at;
          for (std::int64_t t0 = 0; t0 < window_[0]; ++t0)
            for (std::int64_t t1 = 0; t1 < window_[1]; ++t1) {
              const std::int64_t i0 = o0 * strides_[0] + t0 * dilations_[0] - pads_[0];
              const std::int64_t i1 = o1 * strides_[1] + t1 * dilations_[1] - pads_[1];
              const bool inside = i0 >= 0 && i0 < in_[0] && i1 >= 0 && i1 < in_[1];
              const std::uint8_t* from = x + ((image * in_[0] + i0) * in_[1] + i1) * in_[2] * channels;
              for (std::int64_t t2 = 0; t2 < window_[2]; ++t2, row += last - first) {
                if (!inside) {
                  std::fill_n(row, n, zero);
                  continue;
                }
                // Outputs before `low` and from `high` on read padding.
                const std::int64_t i2 = o2 * strides_[2] + t2 * dilations_[2] - pads_[2];
                const std::int64_t low = i2 < 0 ? std::min(n, base::quotient_up(-i2, strides_[2])) : 0;
                const std::int64_t high =
                    i2 < in_[2] ? std::clamp(base::quotient_up(in_[2] - i2, strides_[2]), low, n) : low;
                const std::uint8_t* pixel = from + i2 * channels;
                std::fill_n(row, low, zero);
                for (std::int64_t i = low; i < high; ++i) row[i] = pixel + i * step;
                std::fill_n(row + high, n - high, zero);
              }
            }
        });
  }

  void addresses_of_copy(const std::uint8_t* x, std::int64_t first, std::int64_t last, const std::uint8_t** to) const {
    const std::int64_t channels = c_.x[1], step = strides_[2] * channels;
    each_stretch(
        first, last,
        [&](std::int64_t at, std::int64_t image, std::int64_t o0, std::int64_t o1, std::int64_t o2, std::int64_t n) {
          const std::uint8_t** row = to + at;
          for (std::int64_t t0 = 0; t0 < window_[0]; ++t0)
            for (std::int64_t t1 = 0; t1 < window_[1]; ++t1, row += last - first) {
              const std::int64_t i0 = o0 * strides_[0] + t0 * dilations_[0];
              const std::int64_t i1 = o1 * strides_[1] + t1 * dilations_[1];
              const std::uint8_t* pixel =
                  x + (((image * padded_[0] + i0) * padded_[1] + i1) * padded_[2] + o2 * strides_[2]) * channels;
              for (std::int64_t i = 0; i < n; ++i) row[i] = pixel + i * step;
            }
        });
  }

  void copy_padded(const std::uint8_t* x, std::int32_t zero, std::uint8_t* to) const {
    const std::int64_t channels = c_.x[1], row = padded_[2] * channels, rows = c_.x[0] * padded_[0] * padded_[1];
    const std::int64_t before = pads_[2] * channels, inside = in_[2] * channels;
    parallel_ranges(rows, static_cast<double>(row) * 0.05, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t image = r / padded_[1] / padded_[0], i0 = r / padded_[1] % padded_[0] - pads_[0],
                           i1 = r % padded_[1] - pads_[1];
        std::uint8_t* line = to + r * row;
        if (i0 < 0 || i0 >= in_[0] || i1 < 0 || i1 >= in_[1]) {
          std::memset(line, zero, static_cast<std::size_t>(row));
          continue;
        }
        std::memset(line, zero, static_cast<std::size_t>(before));
        std::memcpy(line + before, x + ((image * in_[0] + i0) * in_[1] + i1) * inside,
                    static_cast<std::size_t>(inside));
        std::memset(line + before + inside, zero, static_cast<std::size_t>(row - before - inside));
      }
    });
    std::memset(to + rows * row, 0, kOverread);
  }

  ConvInt8Config c_;
  bool keeps_;
  Spatial3 padded_;
  bool copied_;
  Centering centering_;
  const PanelTable& table_;
  PanelShape shape_;
  std::optional<PanelWeights> w_;  // if constant
  SumFinisher finisher_;
  PanelTiles tiles_;
  PanelLoop loop_;
  std::int64_t tasks_ = 1;
  std::size_t zero_at_ = 0, copy_at_ = 0, sums_at_ = 0, marks_at_ = 0, corrections_at_ = 0, panels_at_ = 0, own_at_ = 0;
  base::ObjectPool<SumFinisher::Kept> pool_;
};

}  // namespace
}  // namespace conv_int8_panels_cc

std::string panel_conv_int8_refuses(const ConvInt8Config& c) {
  if (std::string why = conv_int8_config_refusal(c); !why.empty()) return why;
  if (c.weights.known() && c.w_zeros > 0 && !c.w_zero.known()) return "zero points of the weights are not constant";
  if (is_copied_int8(c) && c.group > 1) return "groups of channels that are not a multiple of 4";
  if (is_copied_int8(c) && c.dilations.back() > 1) return "channels that are not a multiple of 4, and lie apart";
  if (c.group > 1 && c.w[0] / c.group < kPanelLanes / 2) return "groups of few filters";
  constexpr std::int64_t kMostTaps = 1024;
  if (!bounded_product(std::span(c.w).subspan(2), kMostTaps)) return "a large window";
  return "";
}

std::unique_ptr<Kernel> make_panel_conv_int8(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<PanelConvInt8>(config, packed, true);
}
std::unique_ptr<Kernel> make_panel_conv_int8_of_copies(const ConvInt8Config& config, PackedConstants& packed) {
  return std::make_unique<PanelConvInt8>(config, packed, false);
}

}  // namespace norn::kernels
