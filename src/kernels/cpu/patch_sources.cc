#include "kernels/cpu/patch_sources.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/cpu/align.h"

namespace norn::kernels {
inline namespace patch_sources_cc {
namespace {

constexpr std::int64_t kMostWidth = 32;  // pixels of a panel

// Runs of neighbouring pixels of the output, of a panel.
struct OutputRun {
  Spatial3 at;
  std::int64_t n, to;
};

// The rows of padded x that windows meet along a dimension.
std::int64_t met_rows(const ImageWindow& w, std::size_t d) {
  return (w.out[d] - 1) * w.strides[d] + (w.window[d] - 1) * w.dilations[d] + 1;
}

}  // namespace
}  // namespace patch_sources_cc

ImageWindow image_window(const Shape& x, const Shape& w, const Shape& out, const Shape& strides, const Shape& dilations,
                         const Shape& pads) {
  ImageWindow window{.in = spatial3(x, 2, 1),
                     .out = spatial3(out, 2, 1),
                     .window = spatial3(w, 2, 1),
                     .strides = spatial3(strides, 0, 1),
                     .dilations = spatial3(dilations, 0, 1),
                     .pads = spatial3(pads, 0, 0)};
  const auto count = [](const Spatial3& size) { return size[0] * size[1] * size[2]; };
  window.taps = count(window.window);
  window.plane = count(window.in);
  window.pixels = count(window.out);
  if (window.taps == 1 && window.in == window.out && window.strides == Spatial3{1, 1, 1})
    window.in = window.out = {1, 1, window.plane};
  return window;
}

GatheredPanels::GatheredPanels(const ImageWindow& w) : w_(w), width_(2 * table_.lanes) {
  for (std::int64_t k = 0; k < w.window[2]; ++k) {
    const std::int64_t at = k * w.dilations[2] - w.pads[2], stride = w.strides[2];
    const std::int64_t first = at >= 0 ? 0 : base::quotient_up(-at, stride);
    const std::int64_t last = at >= w.in[2] ? 0 : base::quotient(w.in[2] - 1 - at, stride) + 1;
    inside_.push_back({first, std::min(last, w.out[2])});
  }
}

std::size_t GatheredPanels::list_bytes() const {
  const std::int64_t runs = std::min((width_ + w_.out[2] - 2) / w_.out[2] + 1, width_);
  return align64(static_cast<std::size_t>(w_.taps) * sizeof(PatchTap)) +
         align64(static_cast<std::size_t>(w_.taps * runs) * sizeof(PatchRun));
}

PatchRun* GatheredPanels::runs_of(std::byte* list) const {
  return reinterpret_cast<PatchRun*>(list + align64(static_cast<std::size_t>(w_.taps) * sizeof(PatchTap)));
}

void GatheredPanels::list(std::int64_t pixel, std::int64_t pixels, std::byte* to) const {
  PatchTap* taps = taps_of(to);
  PatchRun* runs = runs_of(to);
  std::array<OutputRun, kMostWidth> lines;
  std::size_t n = 0;
  for (std::int64_t at = 0; at < pixels; at += lines[n++].n) {
    const Spatial3 o = pixel_at(pixel + at, w_.out).at;
    lines[n] = {o, std::min(pixels - at, w_.out[2] - o[2]), at};
  }
  std::array<std::int64_t, kMostWidth> rows;
  for (std::int64_t k0 = 0; k0 < w_.window[0]; ++k0)
    for (std::int64_t k1 = 0; k1 < w_.window[1]; ++k1) {
      for (std::size_t l = 0; l < n; ++l) rows[l] = row_of(lines[l].at, k0, k1);
      for (std::int64_t k2 = 0; k2 < w_.window[2]; ++k2, ++taps) {
        *taps = {};
        const auto [begin, end] = inside_[static_cast<std::size_t>(k2)];
        const std::int64_t column = k2 * w_.dilations[2] - w_.pads[2];
        for (std::size_t l = 0; l < n; ++l) {
          const std::int64_t o = lines[l].at[2], first = std::max(o, begin), last = std::min(o + lines[l].n, end);
          if (rows[l] < 0 || first >= last) continue;
          *runs++ = {rows[l] + first * w_.strides[2] + column, static_cast<std::int32_t>(last - first),
                     static_cast<std::int32_t>(lines[l].to + first - o)};
          ++taps->runs;
          taps->count += static_cast<std::int32_t>(last - first);
        }
      }
    }
}

std::int64_t GatheredPanels::row_of(const Spatial3& o, std::int64_t k0, std::int64_t k1) const {
  const std::int64_t i0 = o[0] * w_.strides[0] - w_.pads[0] + k0 * w_.dilations[0],
                     i1 = o[1] * w_.strides[1] - w_.pads[1] + k1 * w_.dilations[1];
  const bool is_inside = i0 >= 0 && i0 < w_.in[0] && i1 >= 0 && i1 < w_.in[1];
  return is_inside ? (i0 * w_.in[1] + i1) * w_.in[2] : -1;
}

void GatheredPanels::pack(std::byte* list, const float* x, std::int64_t channels, float* panel) const {
  table_.pack(taps_of(list), w_.taps, runs_of(list), w_.strides[2], x, channels, w_.plane, panel);
}

PaddedPlanes::PaddedPlanes(const ImageWindow& w)
    : w_(w),
      rows0_(met_rows(w, 0)),
      rows1_(met_rows(w, 1)),
      apart_(w.out[2] + (w.window[2] - 1) * w.dilations[2] / w.strides[2]),
      row_(apart_ * w.strides[2]),
      plane_(rows0_ * rows1_ * row_),
      in_row_(base::quotient_up(w.out[2], table_.lanes)) {}

bool PaddedPlanes::pays(const ImageWindow& w) {
  constexpr double kLeastFilled = 0.65, kMostOfPlane = 2, kMore = 512;
  constexpr std::int64_t kFarthest = 5;
  if (w.taps == 1 || w.strides[2] > kFarthest) return false;
  if (w.strides[2] > 2 && w.window[2] <= w.strides[2]) return false;  // which read each element once
  const auto size = [](std::int64_t n) { return static_cast<double>(n); };
  const double filled = size(w.out[2]) / size(round_up(w.out[2], channels_first_table().lanes));
  return filled >= kLeastFilled && copied(w) <= kMostOfPlane * size(w.plane) + kMore;
}

double PaddedPlanes::copied(const ImageWindow& w) {
  const auto size = [](std::int64_t n) { return static_cast<double>(n); };
  const double row = size(w.strides[2]) * size(w.out[2]) + size(w.window[2] - 1) * size(w.dilations[2]);
  return size(met_rows(w, 0)) * size(met_rows(w, 1)) * row;
}

void PaddedPlanes::copy(const float* x, std::int64_t planes, float* to) const {
  constexpr double kElementNs = 0.15;
  parallel_ranges(planes, static_cast<double>(plane_) * kElementNs, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) copy_plane(x + p * w_.plane, to + p * plane_);
  });
}

void PaddedPlanes::copy_plane(const float* x, float* to) const {
  for (std::int64_t i0 = -w_.pads[0]; i0 < rows0_ - w_.pads[0]; ++i0)
    for (std::int64_t i1 = -w_.pads[1]; i1 < rows1_ - w_.pads[1]; ++i1, to += row_)
      if (i0 >= 0 && i0 < w_.in[0] && i1 >= 0 && i1 < w_.in[1])
        copy_row(x + (i0 * w_.in[1] + i1) * w_.in[2], to);
      else
        std::fill_n(to, row_, 0.0f);
}

void PaddedPlanes::copy_row(const float* x, float* to) const {
  const std::int64_t stride = w_.strides[2];
  for (std::int64_t phase = 0; phase < stride; ++phase, to += apart_) {
    // The neighbour i is column i * stride + phase of padded x.
    const std::int64_t before = w_.pads[2] - phase, room = w_.in[2] + before;
    const std::int64_t first = std::min(before > 0 ? base::quotient_up(before, stride) : 0, apart_);
    const std::int64_t last = room > 0 ? std::clamp(base::quotient_up(room, stride), first, apart_) : first;
    std::fill_n(to, first, 0.0f);
    if (first < last) table_.take(x + first * stride - before, stride, last - first, to + first);
    std::fill_n(to + last, apart_ - last, 0.0f);
  }
}

PaddedPlanes::Place PaddedPlanes::place(std::int64_t vector) const {
  const auto [line, in_line] = base::divide(vector, in_row_);
  const auto [o0, o1] = base::divide(line, w_.out[1]);
  const std::int64_t o2 = in_line * table_.lanes;
  return {(o0 * w_.strides[0] * rows1_ + o1 * w_.strides[1]) * row_ + o2, line * w_.out[2] + o2,
          std::min(table_.lanes, w_.out[2] - o2)};
}

std::vector<std::int64_t> PaddedPlanes::tap_offsets() const {
  std::vector<std::int64_t> offsets;
  Spatial3 k{};
  do {
    const auto [column, phase] = base::divide(k[2] * w_.dilations[2], w_.strides[2]);
    offsets.push_back((k[0] * w_.dilations[0] * rows1_ + k[1] * w_.dilations[1]) * row_ + phase * apart_ + column);
  } while (advance(k, w_.window));
  return offsets;
}

}  // namespace norn::kernels
