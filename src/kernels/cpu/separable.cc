// A block of the middle channels at a time: what the first product gives is kept as a ring of as many rows as windows
// reach over, which stays in the first cache, and each group of rows goes on through the depthwise convolution.
//
// A piece of work is a strip of the output's rows, whose product follows at once while the second cache has them;
// strips compute the rows between them twice. Of few pixels, a piece is a range of the blocks, and the last product is
// a second round over pixels.
#include "kernels/cpu/separable.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/depthwise.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/pieces.h"
#include "kernels/cpu/pixel_steps.h"
#include "kernels/cpu/windows.h"

namespace norn::kernels {
inline namespace separable_cc {
namespace {

using Stage = SeparableConfig::Stage;
using Bounds = std::pair<float, float>;

constexpr std::int64_t kFewPixels = 512;   // of an image, for work by channels
constexpr std::int64_t kGroupPixels = 24;  // fewest of a group of rows
constexpr std::int64_t kLeastRows = 12;    // of a strip
constexpr std::int64_t kRingFloats = 11 << 10;
constexpr std::int64_t kMostPieces = 8;
constexpr std::int64_t kMostWindow = 11;  // rows or columns
constexpr double kProductsPerNs = 80;
constexpr float kNone = std::numeric_limits<float>::infinity();  // no bound, or that below 0

// A form may be kept in a file: the bytes behind its elements are defined, too.
std::shared_ptr<void> zeroed_tail(std::size_t bytes, std::int64_t floats) {
  auto buffer = aligned_buffer(bytes);
  const std::size_t used = static_cast<std::size_t>(floats) * sizeof(float);
  std::memset(static_cast<char*>(buffer.get()) + used, 0, bytes - used);
  return buffer;
}

std::size_t bytes_of(std::int64_t floats) { return static_cast<std::size_t>(round_up(floats, 16)) * sizeof(float); }

// One of the steps that the bounds of registers do not cover, or none.
struct Posts {
  explicit Posts(const std::vector<ElementStep>& steps) {
    const auto found = bounds_of(steps);
    if (found) bounds = *found;
    if (!found) left = &steps;
  }
  Bounds bounds = {-kNone, kNone};
  const std::vector<ElementStep>* left = nullptr;

  void apply(float* to, std::int64_t n) const {
    if (left == nullptr) return;
    for (const ElementStep& step : *left) step_table_f32()(step.op)(to, nullptr, to, n, step.a, step.b);
  }
};

class Separable final : public Kernel {
 public:
  Separable(const SeparableConfig& config, PackedConstants& packed)
      : c_(config),
        table_(separable_table()),
        rounding_(c_.rounds ? rounded_window_table() : nullptr),
        expanded_(c_.post_expand),
        deep_(c_.projects() ? c_.post_depthwise : c_.post),
        row_loop_(depthwise_loop(c_.window[0], c_.window[1], c_.strides[1], c_.dilations[1])),
        steps_(c_.out, c_.post, c_.extra),
        last_(steps_.in_registers()) {
    pixels_ = c_.out[2] * c_.out[3];
    const std::int64_t taps = c_.window[0] * c_.window[1], middle = c_.middle;
    const double in_pixels = static_cast<double>(c_.x[2] * c_.x[3]), out_pixels = static_cast<double>(pixels_);
    double products = out_pixels * static_cast<double>(middle * taps) * 2;
    if (c_.expands()) products += in_pixels * static_cast<double>(c_.x[1] * middle);
    if (c_.projects()) products += out_pixels * static_cast<double>(middle * c_.out[1]);
    image_ns_ = products / kProductsPerNs;
    span_ = (c_.window[0] - 1) * c_.dilations[0] + 1;

    by_channels_ = pixels_ < kFewPixels && middle > table_.width;
    group_ = c_.out[2];
    if (!by_channels_) group_ = std::clamp<std::int64_t>((kGroupPixels + c_.out[3] - 1) / c_.out[3], 1, group_);
    ring_ = std::min(c_.x[2], (group_ - 1) * c_.strides[0] + span_);
    const std::int64_t most =
        std::clamp(kRingFloats / (ring_ * c_.x[3]) / table_.lanes * table_.lanes, table_.lanes, table_.width);
    block_ = round_up((middle + (middle + most - 1) / most - 1) / ((middle + most - 1) / most), table_.lanes);
    blocks_ = (middle + block_ - 1) / block_;
    const std::int64_t want = contraction_pieces(image_ns_, kMostPieces);
    pieces_ = by_channels_ ? std::min(want, blocks_)
                           : std::clamp<std::int64_t>(c_.out[2] / kLeastRows, 1, std::max<std::int64_t>(want, 1));
    if (pieces_ > 1 && !by_channels_) pieces_ -= pieces_ % 2;  // for two threads
    for (const ElementStep& step : c_.post) unary_ = unary_ && !is_binary(step.op);
    apart_ = (deep_.left != nullptr && (c_.projects() || unary_)) || (c_.rounds && c_.projects());

    const auto place = [&](std::int64_t floats) {
      const std::size_t at = piece_bytes_;
      piece_bytes_ += bytes_of(floats);
      return at;
    };
    if (c_.expands()) ring_at_ = place(ring_ * c_.x[3] * block_);
    if (apart_) deep_at_ = place(group_ * c_.out[3] * block_);
    scratch_ = piece_bytes_ * static_cast<std::size_t>(c_.x[0] * pieces_);
    if (c_.projects()) {
      whole_at_ = scratch_;
      scratch_ += bytes_of(c_.x[0] * pixels_ * middle);
    }
    if (c_.rounds && c_.expands()) {
      rounded_at_ = scratch_;
      scratch_ += bytes_of(element_count(c_.x));
    }
    if (c_.expands()) pack(Stage::Expand, middle, c_.x[1], block_, packed);
    if (c_.projects()) pack(Stage::Project, c_.out[1], middle, table_.width, packed);
    packed_[Stage::Depthwise] =
        packed.get(c_.weights[Stage::Depthwise], 0, "taps " + to_string(c_.window) + " " + std::to_string(middle), [&] {
          auto buffer = zeroed_tail(bytes_of(taps * middle), taps * middle);
          const auto* w = static_cast<const float*>(c_.weights[Stage::Depthwise].data);
          for (std::int64_t t = 0; t < taps; ++t)
            for (std::int64_t m = 0; m < middle; ++m)
              static_cast<float*>(buffer.get())[t * middle + m] = float_at(w + m * taps + t);
          return buffer;
        });
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  bool reads(std::size_t i) const override { return i != 1 && i != 3 && i != 5; }

  void run(void* const* operands, void* scratch) const override {
    Call call{};
    call.x = static_cast<const float*>(operands[0]);
    for (std::size_t i = 0; i < 3; ++i) call.bias[i] = static_cast<const float*>(operands[2 + 2 * i]);
    call.extras = operands + 7;
    call.out = static_cast<float*>(operands[7 + c_.extra.size()]);
    char* const base = static_cast<char*>(scratch);
    call.whole = reinterpret_cast<float*>(base + whole_at_);
    if (c_.rounds && c_.expands()) {
      auto* const rounded = reinterpret_cast<std::uint16_t*>(base + rounded_at_);
      parallel_ranges(element_count(c_.x), 0.05, 64, [&](std::int64_t begin, std::int64_t end) {
        rounding_->round(1, end - begin, call.x + begin, 0, rounded + begin, 0);
      });
      call.rounded = rounded;
    }
    base::parallel_for(c_.x[0] * pieces_, [&](std::int64_t i) {
      char* const work = base + static_cast<std::size_t>(i) * piece_bytes_;
      const auto [image, piece] = base::divide(i, pieces_);
      if (by_channels_) {
        for (auto [b, last_b] = base::part_of(blocks_, pieces_, piece); b < last_b; ++b)
          rows(call, image, 0, c_.out[2], b * block_, work);
        return;
      }
      const auto [r0, r1] = base::part_of(c_.out[2], pieces_, piece);
      for (std::int64_t b = 0; b < blocks_; ++b) rows(call, image, r0, r1, b * block_, work);
      if (c_.projects()) project(call, image * pixels_ + r0 * c_.out[3], (r1 - r0) * c_.out[3]);
    });
    if (!by_channels_ || !c_.projects()) return;
    const double pixel_ns = static_cast<double>(c_.middle * c_.out[1]) / kProductsPerNs * 2;
    parallel_ranges(c_.x[0] * pixels_, pixel_ns, kGroupPixels,
                    [&](std::int64_t begin, std::int64_t end) { project(call, begin, end - begin); });
  }

 private:
  struct Call {
    const float* x;
    const std::uint16_t* rounded;  // x, if the first product rounds it
    const float* bias[3];
    void* const* extras;
    float* out;
    float* whole;  // what the depthwise convolution gives, if a product follows; rounded, of half the size
  };

  void pack(Stage stage, std::int64_t filters, std::int64_t channels, std::int64_t width, PackedConstants& packed) {
    if (!c_.rounds) {
      packed_[stage] = pack_for_separable(c_.weights[stage], filters, channels, width, packed);
      return;
    }
    WindowForm& form = forms_[stage];
    form.filters = filters;
    form.channels = channels;
    form.width = width;
    form.lanes = rounding_->lanes;
    form.rounded = true;
    packed_[stage] = pack_windows(c_.weights[stage], form, packed);
  }

  // Pixels of rounded values times the panels of some filters, from `first` on.
  void multiply_rounded(Stage stage, std::int64_t pixels, std::int64_t first, std::int64_t filters,
                        const std::uint16_t* x, const float* bias, const float* added, Bounds bounds, float* to) const {
    constexpr std::int64_t kRows = 96;
    const WindowForm& form = forms_[stage];
    const void* addresses[kRows];
    for (std::int64_t row = 0; row < pixels; row += kRows) {
      const std::int64_t rows = std::min(kRows, pixels - row);
      for (std::int64_t r = 0; r < rows; ++r) addresses[r] = x + (row + r) * form.channels;
      for (std::int64_t n = 0; n < filters; n += form.width) {
        const std::int64_t at = row * filters + n;
        rounding_->multiply({.x = addresses,
                             .x_tap = 0,
                             .offset = 0,
                             .taps = 1,
                             .depth = form.depth(),
                             .w = static_cast<const char*>(packed_[stage].get()) + form.at(0, (first + n) / form.width),
                             .bias = bias == nullptr ? nullptr : bias + n,
                             .added = added == nullptr ? nullptr : added + at,
                             .low = bounds.first,
                             .high = bounds.second,
                             .c = to + at,
                             .c_row = filters,
                             .columns = std::min(form.width, filters - n)},
                            rows);
      }
    }
  }

  const float* weights(Stage stage) const { return static_cast<const float*>(packed_[stage].get()); }
  static const float* at(const float* values, std::int64_t i) { return values == nullptr ? nullptr : values + i; }

  // Rows [r0, r1) of an image's output, middle channels [first, first + block_).
  void rows(const Call& call, std::int64_t image, std::int64_t r0, std::int64_t r1, std::int64_t first,
            char* work) const {
    const std::int64_t channels = std::min(block_, c_.middle - first), columns = c_.out[3];
    float* const ring = reinterpret_cast<float*>(work + ring_at_);
    float* const deep = reinterpret_cast<float*>(work + deep_at_);
    std::int64_t ready = 0;  // rows of x that have been expanded end here
    for (std::int64_t r = r0; r < r1; r += group_) {
      const std::int64_t end = std::min(r1, r + group_);
      if (c_.expands()) {
        const std::int64_t from = std::max<std::int64_t>(0, r * c_.strides[0] - c_.pads_begin[0]);
        const std::int64_t to = std::min(c_.x[2], (end - 1) * c_.strides[0] - c_.pads_begin[0] + span_);
        for (ready = std::max(ready, from); ready < to;) {
          const std::int64_t slot = ready % ring_, count = std::min(to - ready, ring_ - slot);
          expand(call, (image * c_.x[2] + ready) * c_.x[3], count * c_.x[3], first, channels,
                 ring + slot * c_.x[3] * channels);
          ready += count;
        }
      }
      const std::int64_t pixel = image * pixels_ + r * columns, pixels = (end - r) * columns;
      float* const to = (c_.projects() ? call.whole : call.out) + pixel * c_.middle + first;
      for (std::int64_t row = r; row < end; ++row) {
        const std::int64_t at = (row - r) * columns;
        if (apart_)
          deepen(call, image, row, first, channels, ring, deep + at * channels, channels);
        else
          deepen(call, image, row, first, channels, ring, to + at * c_.middle, c_.middle);
      }
      if (apart_) {
        deep_.apply(deep, pixels * channels);
        if (c_.rounds && c_.projects()) {
          rounding_->round(pixels, channels, deep, channels,
                           reinterpret_cast<std::uint16_t*>(call.whole) + pixel * c_.middle + first, c_.middle);
          continue;
        }
        for (std::int64_t p = 0; p < pixels; ++p) std::copy_n(deep + p * channels, channels, to + p * c_.middle);
      } else if (deep_.left != nullptr) {
        for (std::int64_t p = pixel; p < pixel + pixels; ++p)
          steps_.apply(call.out, call.extras, p * c_.middle + first, channels, first, channels);
      }
    }
  }

  // All others stay in the caches.
  static Upcoming panels_of(std::int64_t weights) { return {.panels = is_far(weights)}; }

  void expand(const Call& call, std::int64_t pixel, std::int64_t pixels, std::int64_t first, std::int64_t channels,
              float* to) const {
    if (c_.rounds)
      multiply_rounded(Stage::Expand, pixels, first, channels, call.rounded + pixel * c_.x[1],
                       at(call.bias[Stage::Expand], first), nullptr, expanded_.bounds, to);
    else
      table_.multiply(pixels, channels, c_.x[1], call.x + pixel * c_.x[1], c_.x[1],
                      weights(Stage::Expand) + first * c_.x[1], panels_of(c_.x[1] * c_.middle),
                      at(call.bias[Stage::Expand], first), nullptr, expanded_.bounds.first, expanded_.bounds.second, to,
                      channels);
    expanded_.apply(to, pixels * channels);
  }

  // A row of the depthwise convolution.
  void deepen(const Call& call, std::int64_t image, std::int64_t row, std::int64_t first, std::int64_t channels,
              const float* ring, float* to, std::int64_t to_step) const {
    const float *x[kMostWindow], *w[kMostWindow];  // first columns of the window's rows that lie in x
    std::int64_t count = 0;
    const std::int64_t step = c_.expands() ? channels : c_.middle;
    for (std::int64_t k = 0; k < c_.window[0]; ++k) {
      const std::int64_t i = row * c_.strides[0] - c_.pads_begin[0] + k * c_.dilations[0];
      if (i < 0 || i >= c_.x[2]) continue;
      x[count] = c_.expands() ? ring + base::divide(i, ring_).rest * c_.x[3] * channels
                              : call.x + (image * c_.x[2] + i) * c_.x[3] * c_.middle + first;
      w[count++] = weights(Stage::Depthwise) + k * c_.window[1] * c_.middle + first;
    }
    const float* bias = at(call.bias[Stage::Depthwise], first);
    if (row_loop_ != nullptr && channels >= table_.lanes) {
      DepthwiseRow line;
      line.height = count;
      std::copy_n(x, count, line.rows);
      line.columns = c_.x[3];
      line.outputs = c_.out[3];
      line.left = c_.pads_begin[1];
      line.x_pixel = step;
      line.w_pixel = c_.middle;
      line.out_pixel = to_step;
      line.channels = channels;
      line.weights = count > 0 ? w[0] : nullptr;  // rows of the window that lie in x follow on each other
      line.bias = bias;
      line.low = deep_.bounds.first;
      line.high = deep_.bounds.second;
      return row_loop_(line, to);
    }
    const std::int64_t stride = c_.strides[1], dilation = c_.dilations[1], pad = c_.pads_begin[1], taps = c_.window[1];
    // Pixels [begin, end) of which all taps lie in x.
    const std::int64_t room = c_.x[3] - 1 - (taps - 1) * dilation + pad;
    const std::int64_t end = room < 0 ? 0 : std::min(c_.out[3], base::quotient(room, stride) + 1);
    const std::int64_t begin = std::min(base::quotient_up(pad, stride), end);
    const auto go = [&](std::int64_t p0, std::int64_t p1, std::int64_t t0, std::int64_t t1) {
      if (p0 >= p1) return;
      const float *from[kMostWindow], *by[kMostWindow];
      for (std::int64_t i = 0; i < count; ++i) {
        from[i] = x[i] + (p0 * stride - pad + t0 * dilation) * step;
        by[i] = w[i] + t0 * c_.middle;
      }
      table_.depthwise(p1 - p0, channels, count, from, stride * step, t1 - t0, dilation * step, by, c_.middle, bias,
                       deep_.bounds.first, deep_.bounds.second, to + p0 * to_step, to_step);
    };
    const auto edge = [&](std::int64_t p) {
      const std::int64_t left = p * stride - pad;
      const std::int64_t t0 = left < 0 ? std::min(taps, base::quotient_up(-left, dilation)) : 0;
      const std::int64_t t1 = left >= c_.x[3] ? 0 : std::min(taps, base::quotient(c_.x[3] - 1 - left, dilation) + 1);
      go(p, p + 1, t0, std::max(t0, t1));
    };
    for (std::int64_t p = 0; p < begin; ++p) edge(p);
    go(begin, end, 0, taps);
    for (std::int64_t p = end; p < c_.out[3]; ++p) edge(p);
  }

  void project(const Call& call, std::int64_t pixel, std::int64_t pixels) const {
    const std::int64_t filters = c_.out[1], at = pixel * filters;
    const auto [extra, bounds] = last_.value_or(PixelSteps::InRegisters{-1, Bounds(-kNone, kNone)});
    const float* const added = extra < 0 ? nullptr : static_cast<const float*>(call.extras[extra]) + at;
    if (c_.rounds)
      multiply_rounded(Stage::Project, pixels, 0, filters,
                       reinterpret_cast<const std::uint16_t*>(call.whole) + pixel * c_.middle,
                       call.bias[Stage::Project], added, bounds, call.out + at);
    else
      table_.multiply(pixels, filters, c_.middle, call.whole + pixel * c_.middle, c_.middle, weights(Stage::Project),
                      panels_of(c_.middle * filters), call.bias[Stage::Project], added, bounds.first, bounds.second,
                      call.out + at, filters);
    if (!last_) steps_.apply(call.out, call.extras, at, pixels * filters, 0, filters);
  }

  const SeparableConfig c_;
  const SeparableTable& table_;
  const WindowTable* const rounding_;  // of products in bfloat16
  std::array<WindowForm, 3> forms_;    // theirs
  const Posts expanded_, deep_;
  void (*const row_loop_)(const DepthwiseRow& row, float* out);  // null: taps are added one after the other
  const PixelSteps steps_;
  const std::optional<PixelSteps::InRegisters> last_;  // behind the last product
  bool by_channels_, unary_ = true, apart_ = false;    // apart_: steps come before rows go to their place
  double image_ns_;
  std::int64_t pixels_, span_, block_, blocks_, group_, pieces_, ring_;
  std::size_t piece_bytes_ = 0, scratch_ = 0, ring_at_ = 0, deep_at_ = 0, whole_at_ = 0, rounded_at_ = 0;
  std::array<std::shared_ptr<const void>, 3> packed_;
};

std::string separable_refuses(const SeparableConfig& c) {
  if (c.x.size() != 4 || c.out.size() != 4) return "not two spatial dimensions";
  if (c.window.size() != 2 || c.strides.size() != 2 || c.dilations.size() != 2 || c.pads_begin.size() != 2)
    return "ranks do not fit together";
  if (!c.weights[Stage::Depthwise].known()) return "the weights are not constant";
  if (!c.expands() && !c.projects()) return "a depthwise convolution alone";
  if (c.rounds) {
    if (rounded_window_table() == nullptr) return "the CPU has no dot products of bfloat16";
    if (separable_table().width != rounded_window_table()->width) return "vectors of another length for f32";
    if ((c.expands() && c.x[1] % 2 != 0) || (c.projects() && c.middle % 2 != 0)) return "an odd number of channels";
  }
  for (const Shape* dims : {&c.x, &c.out, &c.window, &c.strides, &c.dilations})
    for (std::int64_t d : *dims)
      if (d < 1) return "a size below 1";
  for (std::int64_t p : c.pads_begin)
    if (p < 0) return "negative padding";
  if (c.window[0] > kMostWindow || c.window[1] > kMostWindow) return "a window of more than 11 rows or columns";
  if (!bounded(c.pads_begin) || !bounded(c.strides) || !bounded(c.dilations)) return "windows beyond any memory";
  for (std::size_t d = 0; d < 2; ++d)
    if (!bounded_product({c.window[d], c.dilations[d]}) || !bounded_product({c.out[d + 2], c.strides[d]}))
      return "windows that reach beyond any memory";
  if (c.x[0] != c.out[0] || (!c.expands() && c.x[1] != c.middle) || (!c.projects() && c.out[1] != c.middle))
    return "channels do not fit together";
  for (const auto* steps : {&c.post_expand, &c.post_depthwise})
    for (const ElementStep& step : *steps)
      if (is_binary(step.op)) return "a step between the convolutions reads another value";
  for (const ElementStep& step : c.post)
    if (is_binary(step.op) && (step.operand < 0 || static_cast<std::size_t>(step.operand) >= c.extra.size()))
      return "a step's operand is not among the extras";
  if (!PixelSteps(c.out, c.post, c.extra).can_read()) return "a step's operand is not laid out as pixels";
  const Shape products = {c.x[1] + kMostWindow * kMostWindow, round_up(c.middle, 64), 4},
              last = {round_up(c.out[1], 64), c.middle, 4},
              inside = {c.x[0], c.x[2] + c.out[2], c.x[3] + c.out[3], c.middle, 16};
  return extent_refusal({&c.x, &c.out, &products, &last, &inside});
}

std::unique_ptr<Kernel> make_separable(const SeparableConfig& c, PackedConstants& packed) {
  return std::make_unique<Separable>(c, packed);
}

constexpr Candidate<SeparableConfig> kSeparableCandidates[] = {{"separable", separable_refuses, make_separable}};

}  // namespace
}  // namespace separable_cc

bool separable_rounding_pays() { return rounded_window_table() != nullptr && !has_byte_tiles(); }

std::shared_ptr<const void> pack_for_separable(const Contents& weights, std::int64_t n, std::int64_t k,
                                               std::int64_t width, PackedConstants& packed) {
  return packed.get(weights, 0, to_string(Shape{n, k}) + " in panels of " + std::to_string(width), [&] {
    const std::int64_t lanes = separable_table().lanes;
    auto buffer = zeroed_tail(bytes_of(round_up(n, lanes) * k), round_up(n, lanes) * k);
    const auto* w = static_cast<const float*>(weights.data);
    const double panel_ns = static_cast<double>(k * width) * 2;
    parallel_ranges((n + width - 1) / width, panel_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int64_t first = p * width, columns = std::min(width, round_up(n - first, lanes));
        float* to = static_cast<float*>(buffer.get()) + first * k;
        for (std::int64_t i = 0; i < k; ++i)
          for (std::int64_t j = 0; j < columns; ++j) *to++ = first + j < n ? float_at(w + (first + j) * k + i) : 0.0f;
      }
    });
    return buffer;
  });
}

std::span<const Candidate<SeparableConfig>> separable_candidates() { return kSeparableCandidates; }

}  // namespace norn::kernels
