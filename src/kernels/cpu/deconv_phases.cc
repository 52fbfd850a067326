// Transposed convolution with channels first as convolutions: the elements of an output that lie as far apart as the
// strides are a convolution of x by those positions of the kernel that fall on them, from its end. Without strides
// there is one of them; else the elements of a row are put together from as many as there are along it.
//
// Trap: what pads x is multiplied, so that weights that are not finite would give NaN. With such weights, products are
// added up where they fall.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/plane_adds.h"

namespace norn::kernels {
inline namespace deconv_phases_cc {
namespace {

constexpr std::int64_t kMostPhases = 64;

// Along a dimension: the elements first, first + stride, ... of the output, `count` of them, and the positions of the
// kernel that fall on them: tap, tap + taps_apart, ...
struct LinePhase {
  std::int64_t first = 0, count = 0, tap = 0, taps = 0, taps_apart = 1, dilation = 1;
  // The convolution gives `before` elements more, and some behind, where x is longer than what they need.
  std::int64_t pad_begin = 0, pad_end = 0, before = 0, given = 0;
};

LinePhase line_phase(std::int64_t phase, std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                     std::int64_t dilation, std::int64_t pad) {
  LinePhase line;
  line.first = ((phase - pad) % stride + stride) % stride;
  if (line.first < out) line.count = (out - 1 - line.first) / stride + 1;
  const std::int64_t common = std::gcd(stride, dilation);
  line.taps_apart = stride / common;
  line.dilation = dilation / common;
  while (line.tap < std::min(kernel, line.taps_apart) && line.tap * dilation % stride != phase) ++line.tap;
  if (line.tap >= std::min(kernel, line.taps_apart)) return line;
  line.taps = (kernel - 1 - line.tap) / line.taps_apart + 1;
  const std::int64_t start = (line.first + pad - line.tap * dilation) / stride;  // the element of x that tap 0 meets
  const std::int64_t reach = (line.taps - 1) * line.dilation;
  line.pad_begin = reach - start;
  line.before = std::max<std::int64_t>(-line.pad_begin, 0);
  line.pad_begin = std::max<std::int64_t>(line.pad_begin, 0);
  line.given = line.before + line.count;
  line.pad_end = line.given + reach - in - line.pad_begin;
  line.given += std::max<std::int64_t>(-line.pad_end, 0);
  line.pad_end = std::max<std::int64_t>(line.pad_end, 0);
  return line;
}

struct Phase {
  LinePhase lines[3];
  std::int64_t weights_at = 0;  // among the turned ones
  bool is_empty() const {
    return std::ranges::any_of(lines, [](const LinePhase& line) { return line.taps == 0 || line.count == 0; });
  }
  std::int64_t taps() const { return lines[0].taps * lines[1].taps * lines[2].taps; }
  std::int64_t given() const { return lines[0].given * lines[1].given * lines[2].given; }
};

struct DeconvPlaces : SpatialSizes {
  using SpatialSizes::SpatialSizes;

  // Those of a row follow one another.
  std::vector<Phase> list(std::int64_t pairs) const {
    std::vector<Phase> phases;
    Spatial3 at{};
    std::int64_t weights = 0;
    do {
      Phase phase;
      for (std::size_t d = 0; d < 3; ++d)
        phase.lines[d] = line_phase(at[d], in_[d], out_[d], window_[d], strides_[d], dilations_[d], pads_[d]);
      phase.weights_at = weights;
      if (!phase.is_empty()) weights += pairs * phase.taps();
      phases.push_back(phase);
    } while (advance(at, strides_));
    return phases;
  }
  // Whether the convolution writes the output itself.
  bool is_direct(const std::vector<Phase>& phases) const {
    return phases.size() == 1 && !phases[0].is_empty() &&
           std::ranges::all_of(phases[0].lines, [](const LinePhase& line) { return line.given == line.count; });
  }
};

// Of images where nothing lies along the first of three dimensions.
ConvConfig conv_of(const DeconvConfig& c, const DeconvPlaces& places, const Phase& phase) {
  ConvConfig conv;
  conv.x = {c.x[0], c.x[1]};
  conv.w = {c.w[1] * c.group, c.x[1] / c.group};
  conv.out = {c.x[0], c.w[1] * c.group};
  conv.group = c.group;
  conv.has_bias = c.has_bias;
  const bool is_image = places.in_[0] == 1 && places.window_[0] == 1 && phase.lines[0].given == 1;
  for (std::size_t d = is_image ? 1 : 0; d < 3; ++d) {
    const LinePhase& line = phase.lines[d];
    conv.x.push_back(places.in_[d]);
    conv.w.push_back(line.taps);
    conv.out.push_back(line.given);
    conv.strides.push_back(1);
    conv.dilations.push_back(line.dilation);
    conv.pads_begin.push_back(line.pad_begin);
    conv.pads_end.push_back(line.pad_end);
  }
  return conv;
}

const Candidate<ConvConfig>* candidate_of(const ConvConfig& conv) {
  for (const Candidate<ConvConfig>& candidate : channels_first_conv_candidates())
    if (candidate.refuses(conv).empty()) return &candidate;
  return nullptr;
}

class DeconvPhases final : public Kernel {
 public:
  DeconvPhases(const DeconvConfig& c, PackedConstants& packed)
      : c_(c),
        places_(c),
        pairs_(c.w[0] * c.w[1]),
        phases_(places_.list(pairs_)),
        is_direct_(places_.is_direct(phases_)),
        planes_(c.x[0] * c.out[1]) {
    if (c.weights.known()) {
      turned_.resize(static_cast<std::size_t>(weight_count()));
      turn(static_cast<const float*>(c.weights.data), turned_.data());
    } else {
      added_ = make_added_deconv(c, packed);
    }
    const auto in_row = static_cast<std::size_t>(places_.strides_[2]);
    std::size_t row_bytes = 0;
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      const Phase& phase = phases_[p];
      if (p % in_row == 0) row_bytes = 0;
      at_.push_back(row_bytes);
      if (phase.is_empty()) {
        convs_.push_back(nullptr);
        continue;
      }
      if (!is_direct_) row_bytes += align64(static_cast<std::size_t>(planes_ * phase.given()) * sizeof(float));
      ConvConfig conv = conv_of(c_, places_, phase);
      if (!turned_.empty()) {
        const std::size_t bytes = static_cast<std::size_t>(pairs_ * phase.taps()) * sizeof(float);
        conv.weights = {turned_.data() + phase.weights_at, false, bytes};
      }
      convs_.push_back(candidate_of(conv)->make(conv, packed));
      conv_bytes_ = std::max(conv_bytes_, align64(convs_.back()->scratch_bytes()));
      out_bytes_ = std::max(out_bytes_, row_bytes);
    }
  }

  std::size_t scratch_bytes() const override {
    return std::max(weight_bytes() + out_bytes_ + conv_bytes_, added_ ? added_->scratch_bytes() : 0);
  }
  bool reads(std::size_t i) const override { return i != 1 || turned_.empty(); }
  std::size_t bytes() const noexcept override {
    std::size_t bytes = 512 + turned_.size() * sizeof(float);
    for (const auto& conv : convs_) bytes += conv ? conv->bytes() : 0;
    return bytes;
  }

  void run(void* const* operands, void* scratch) const override {
    auto* const base = static_cast<std::byte*>(scratch);
    const float* weights = turned_.data();
    if (turned_.empty()) {
      auto* const to = reinterpret_cast<float*>(base);
      if (!turn(static_cast<const float*>(operands[1]), to)) return added_->run(operands, scratch);
      weights = to;
    }
    std::byte* const rows = base + weight_bytes();
    const std::int64_t in_row = places_.strides_[2];
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(phases_.size()); first += in_row) {
      for (std::int64_t p = first; p < first + in_row; ++p) {
        const auto i = static_cast<std::size_t>(p);
        if (!convs_[i]) continue;
        void* const conv[] = {operands[0], const_cast<float*>(weights + phases_[i].weights_at), operands[2],
                              is_direct_ ? operands[3] : rows + at_[i]};
        convs_[i]->run(conv, rows + out_bytes_);
      }
      if (!is_direct_) join(first, rows, static_cast<const float*>(operands[2]), static_cast<float*>(operands[3]));
    }
  }

 private:
  std::int64_t weight_count() const {
    std::int64_t count = 0;
    for (const Phase& phase : phases_) count += phase.is_empty() ? 0 : pairs_ * phase.taps();
    return count;
  }
  // Of those that a run brings.
  std::size_t weight_bytes() const {
    return turned_.empty() ? align64(static_cast<std::size_t>(weight_count()) * sizeof(float)) : 0;
  }

  // [channels, filters of a group, ...] as [filters, channels of a group, ...] for each phase, whose windows begin with
  // the last position. False if some are not finite.
  bool turn(const float* w, float* to) const {
    const std::int64_t channels = c_.w[0] / c_.group, filters = c_.w[1],
                       taps = places_.window_[0] * places_.window_[1] * places_.window_[2];
    float nothing = 0;  // NaN if one is not finite
    for (const Phase& phase : phases_) {
      if (phase.is_empty()) continue;
      const auto& [z, y, x] = phase.lines;
      for (std::int64_t g = 0; g < c_.group; ++g)
        for (std::int64_t f = 0; f < filters; ++f)
          for (std::int64_t c = 0; c < channels; ++c) {
            const float* const from = w + ((g * channels + c) * filters + f) * taps;
            for (std::int64_t i = z.taps; i-- > 0;)
              for (std::int64_t j = y.taps; j-- > 0;) {
                const std::int64_t row = (z.tap + i * z.taps_apart) * places_.window_[1] + y.tap + j * y.taps_apart;
                for (std::int64_t k = x.taps; k-- > 0;) {
                  const float v = float_at(from + row * places_.window_[2] + x.tap + k * x.taps_apart);
                  nothing += v * 0.0f;
                  *to++ = v;
                }
              }
          }
    }
    return nothing == 0;
  }

  // Rows of the output from those phases that lie along them.
  void join(std::int64_t first, const std::byte* rows, const float* bias, float* out) const {
    const std::int64_t step = places_.strides_[2], width = places_.out_[2];
    const Phase& any = phases_[static_cast<std::size_t>(first)];
    const auto& [layers, lines, columns] = any.lines;
    // By where they begin.
    std::size_t order[kMostPhases];
    for (std::int64_t p = first; p < first + step; ++p)
      order[phases_[static_cast<std::size_t>(p)].lines[2].first] = static_cast<std::size_t>(p);
    const auto [whole, rest] = base::divide(width, step);
    const double plane_ns = static_cast<double>(layers.count * lines.count * width) * 0.3;
    parallel_ranges(planes_, plane_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const float other = bias != nullptr ? bias[p % c_.out[1]] : 0.0f;
        for (std::int64_t z = 0; z < layers.count; ++z)
          for (std::int64_t y = 0; y < lines.count; ++y) {
            const std::int64_t layer = p * places_.out_[0] + layers.first + z * places_.strides_[0];
            float* const to = out + (layer * places_.out_[1] + lines.first + y * places_.strides_[1]) * width;
            const float* from[kMostPhases];
            for (std::int64_t k = 0; k < step; ++k) from[k] = row_of(order[k], rows, p, z, y);
            if (step == 1 && from[0] != nullptr) {
              std::memcpy(to, from[0], static_cast<std::size_t>(width) * sizeof(float));
              continue;
            }
            adds_.join(from, step, whole, other, to);
            for (std::int64_t k = 0; k < rest; ++k) to[whole * step + k] = from[k] == nullptr ? other : from[k][whole];
          }
      }
    });
  }
  // What a phase gives to a row of the output; null for nothing.
  const float* row_of(std::size_t phase, const std::byte* rows, std::int64_t plane, std::int64_t z,
                      std::int64_t y) const {
    if (!convs_[phase]) return nullptr;
    const auto& [layer, line, column] = phases_[phase].lines;
    return reinterpret_cast<const float*>(rows + at_[phase]) +
           ((plane * layer.given + layer.before + z) * line.given + line.before + y) * column.given + column.before;
  }

  DeconvConfig c_;
  DeconvPlaces places_;
  std::int64_t pairs_;
  std::vector<Phase> phases_;
  bool is_direct_;
  std::int64_t planes_;
  std::vector<float> turned_;                   // if they are constant
  std::vector<std::unique_ptr<Kernel>> convs_;  // by phase; null where nothing falls
  std::vector<std::size_t> at_;                 // where the output of each lies among those of a row
  std::size_t conv_bytes_ = 0, out_bytes_ = 0;
  std::unique_ptr<Kernel> added_;
  const PlaneAdds& adds_ = plane_adds();
};

bool are_finite(const DeconvConfig& c) {
  return c.weights.are("finite floats: " + std::to_string(element_count(c.w)), [&] {
    const auto* const w = static_cast<const float*>(c.weights.data);
    for (std::int64_t i = 0; i < element_count(c.w); ++i)
      if (!std::isfinite(float_at(w + i))) return false;
    return true;
  });
}

double phases_ns(const DeconvConfig& c) {
  constexpr double kElementNs = 0.3, kTurnNs = 3, kConvNs = 500;
  const DeconvPlaces places(c);
  const std::vector<Phase> phases = places.list(c.w[0] * c.w[1]);
  double ns = places.is_direct(phases) ? 0 : kElementNs * static_cast<double>(element_count(c.out));
  if (!c.weights.known()) ns += kTurnNs * static_cast<double>(element_count(c.w));
  for (const Phase& phase : phases) {
    if (phase.is_empty()) continue;
    const ConvConfig conv = conv_of(c, places, phase);
    ns += kConvNs + channels_first_conv_ns(
                        {conv.x, conv.w, conv.out, conv.strides, conv.dilations, conv.group, c.weights.known()});
  }
  return ns;
}

// By sizes alone.
std::string phases_refusal(const DeconvConfig& c, double most_ns) {
  if (c.type != DataType::Float) return "does not compute " + std::string(data_type_name(c.type));
  if (std::string why = deconv_sizes_refuse(c); !why.empty()) return why;
  if (!bounded_product(c.strides, kMostPhases)) return "many elements between those that lie next to each other in x";
  const DeconvPlaces places(c);
  for (const Phase& phase : places.list(c.w[0] * c.w[1]))
    if (!phase.is_empty() && candidate_of(conv_of(c, places, phase)) == nullptr) return "no convolution takes a part";
  return phases_ns(c) > most_ns ? "sums of products take less time" : "";
}

}  // namespace
}  // namespace deconv_phases_cc

bool deconv_phases_gain(const DeconvConfig& c, double ns) { return phases_refusal(c, ns).empty(); }

std::string deconv_phases_refuse(const DeconvConfig& c) {
  if (c.layout != Layout::Dense) return "channels are last";
  if (std::string why = phases_refusal(c, deconv_added_ns(c)); !why.empty()) return why;
  return c.weights.known() && !are_finite(c) ? "weights that are not finite" : "";
}

std::unique_ptr<Kernel> make_deconv_phases(const DeconvConfig& c, PackedConstants& packed) {
  return std::make_unique<DeconvPhases>(c, packed);
}

}  // namespace norn::kernels
