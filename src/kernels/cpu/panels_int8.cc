#include "kernels/cpu/panels_int8.h"

#include <cmath>

#include "kernels/cpu/instruction_set.h"
#ifdef NORN_ONEDNN
#include "kernels/cpu/onednn.h"
#endif

namespace norn::kernels {
inline namespace panels_int8_cc {
namespace {

constexpr float kMostSum = 0x1p31f, kFarWithin = 0x1p30f;  // whatever is rounded to an integer has to fit in one

}  // namespace
}  // namespace panels_int8_cc

std::string panels_refuse_machine() {
  if (panel_table() == nullptr) return "is for CPUs with AVX-512's dot products of 8-bit integers";
  return "";
}

bool tiles_beat_panels() {
#ifdef NORN_ONEDNN
  return multiplies_tiles();
#else
  return false;
#endif
}

PanelShape::Column PanelShape::place(std::int64_t group, std::int64_t tap, std::int64_t column) const {
  const std::int64_t vector = column / kPanelLanes;
  std::int64_t panel = vector / kPanelVectors;  // not before it, since none has more vectors
  while (first_vector(panel + 1) <= vector) ++panel;
  const std::int64_t first = first_vector(panel), wide = first_vector(panel + 1) - first;
  const std::int64_t unit = tap * quads() * wide + (vector - first);
  return {(group * vectors() + first) * vector_bytes() + (unit * kPanelLanes + column % kPanelLanes) * 4,
          wide * kPanelLanes * 4};
}

std::vector<std::int8_t> PanelWeights::as_int8(const void* weights, const Centering& centering,
                                               std::int64_t count) const {
  static constexpr std::uint8_t kHalf = 128;
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  Centering how = centering;
  if (!fits_) how = centering.type == DataType::Uint8 ? Centering{centering.type, &kHalf, 1, 1} : Centering{};
  how.to_int8(weights, count, bytes.data());
  return bytes;
}

PanelFinish PanelLoop::finish_of(const SumFinisher::Run& run, std::int64_t channel, std::int64_t columns) const {
  const Finish& f = run.finish;
  const auto least = [](DataType type) { return type == DataType::Int8 ? -128 : 0; };
  PanelFinish to = {};
  to.scale = f.scale + channel;
  to.columns = columns;
  to.bottom = static_cast<float>(f.low - f.zero);
  to.top = to.last_top = static_cast<float>(f.high - f.zero);
  to.zero = f.zero;
  to.low = f.low;
  to.high = f.high;
  to.is_bounded = true;
  for (std::int64_t c = channel; c < channel + columns; ++c)
    to.is_bounded = to.is_bounded && kMostSum * std::abs(f.scale[c]) < kFarWithin;
  to.is_signed = output_.output() == DataType::Int8;
  if (output_.other == DataType::Undefined) return to;
  to.low = least(output_.last);
  to.high = to.low + 255;
  if (f.relu) to.low = std::max(to.low, f.last_zero);
  to.zero = f.last_zero;
  to.last_top = static_cast<float>(to.high - f.last_zero);
  to.other_is_signed = output_.other == DataType::Int8;
  to.middle_scale = f.middle;
  to.other_scale = f.other;
  to.shift = static_cast<float>(f.zero - f.middle_zero) * f.middle - static_cast<float>(f.other_zero) * f.other;
  to.is_bounded = to.is_bounded && 255 * (std::abs(f.middle) + std::abs(f.other)) + std::abs(to.shift) < kFarWithin;
  return to;
}

void PanelLoop::unit(PanelProduct p, const SumFinisher::Run& run, std::int64_t rows, std::int64_t first,
                     std::int64_t group, std::int64_t panel, std::int64_t y_row) const {
  const PanelShape& s = shape_;
  const std::int64_t vector = s.first_vector(panel), vectors = s.first_vector(panel + 1) - vector;
  const std::int64_t channel = group * s.columns + vector * kPanelLanes;
  p.columns = std::min(vectors * kPanelLanes, s.columns - vector * kPanelLanes);
  const bool finishes_here = finishes(run), stays = stays_sum(run) && p.columns == vectors * kPanelLanes;
  p.base = finishes_here || stays ? run.base + channel : nullptr;
  PanelFinish f = finish_of(run, channel, p.columns);
  f.y_row = y_row;
  const std::int64_t most = table_.rows[vectors - 1], pieces = (rows + most - 1) / most;
  const std::uint8_t* const* const x = p.x;
  const std::int32_t* const row_sums = p.row_sums;
  alignas(64) std::int32_t sums[kPanelSums];
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t r0 = rows * i / pieces, count = rows * (i + 1) / pieces - r0;
    const std::int64_t y_at = (first + r0) * y_row + channel;
    p.x = x + r0;
    p.row_sums = row_sums + r0;
    if (output_.other != DataType::Undefined && finishes_here)  // it was written long ago
      for (std::int64_t r = 0; r < count; ++r)
        __builtin_prefetch(static_cast<const std::uint8_t*>(run.operands[Int8Operand::Other]) + y_at + r * y_row);
    if (stays) {
      table_.multiply(p, count, vectors, flip_, static_cast<std::int32_t*>(run.operands[Int8Operand::Y]) + y_at, y_row);
      continue;
    }
    table_.multiply(p, count, vectors, flip_, sums, vectors * kPanelLanes);
    if (finishes_here) {
      f.y = static_cast<std::uint8_t*>(run.operands[Int8Operand::Y]) + y_at;
      if (output_.other != DataType::Undefined)
        f.other = static_cast<const std::uint8_t*>(run.operands[Int8Operand::Other]) + y_at;
      table_.finish(f, sums, count, vectors);
    } else {
      finisher_.rows(run, sums, vectors * kPanelLanes, count, channel, p.columns, y_at, y_row);
    }
  }
}

}  // namespace norn::kernels
