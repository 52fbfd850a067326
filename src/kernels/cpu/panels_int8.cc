#include "kernels/cpu/panels_int8.h"

#include <cmath>

#include "base/division.h"
#include "kernels/cpu/instruction_set.h"

namespace norn::kernels {
inline namespace panels_int8_cc {
namespace {

constexpr float kMostSum = 0x1p31f, kFarWithin = 0x1p30f;  // whatever is rounded to an integer has to fit in one

}  // namespace
}  // namespace panels_int8_cc

const PanelTable& panel_table_for(std::int64_t rows, std::int64_t taps, std::int64_t depth, std::int64_t columns) {
  constexpr std::int64_t kRows = 16, kBytes = 64;                  // of a tile
  constexpr double kQuad = 0.5, kTile = 1, kCopy = 2.5, kRow = 2;  // cycles of a row, by vector, and to copy a line
  const PanelTable *const tiles = tile_table(), *const dots = panel_table();
  if (dots == nullptr) return byte_pair_table() != nullptr ? *byte_pair_table() : pair_table();
  if (tiles == nullptr) return *dots;
  const auto up = [](std::int64_t n, std::int64_t unit) {
    const std::int64_t units = (n + unit - 1) / unit;
    return static_cast<double>(units);
  };
  // Rows that are not whole tiles are copied, tap behind tap, and so are those of windows.
  const bool copied = taps > 1 || depth % kBytes != 0;
  const double vectors = up(columns, kPanelLanes), steps = copied && depth % kBytes != 0
                                                               ? up(taps * depth, kBytes)
                                                               : up(depth, kBytes) * static_cast<double>(taps);
  const double by_quads = kQuad * static_cast<double>(taps) * up(depth, 4) * vectors;
  const double filled = static_cast<double>(kRows) / static_cast<double>(std::clamp<std::int64_t>(rows, 1, kRows));
  const double by_tiles =
      kTile * steps * vectors * filled + kRow + (copied ? kCopy * static_cast<double>(taps) * up(depth, kBytes) : 0);
  return by_tiles < by_quads ? *tiles : *dots;
}

void panel_row_sums(const PanelProduct& p, std::int64_t depth, std::int64_t rows, PanelBytes x, std::int32_t* to) {
  // A signed byte is the one with its highest bit flipped, less 128.
  const std::uint8_t flip = is_signed(x) != flips(x) ? 128 : 0;
  const std::uint32_t less = is_signed(x) ? 128u * static_cast<std::uint32_t>(depth * p.taps) : 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::uint32_t sum = 0;
    for (std::int64_t tap = 0; tap < p.taps; ++tap) {
      const std::uint8_t* const bytes = p.x[tap * p.x_tap + r] + p.offset;
      for (std::int64_t k = 0; k < depth; ++k) sum += static_cast<std::uint8_t>(bytes[k] ^ flip);
    }
    to[r] = static_cast<std::int32_t>(sum - less);
  }
}

void add_corrections(const PanelProduct& p, std::int64_t rows, std::int64_t columns, std::int32_t* sums,
                     std::int64_t sums_row) {
  if (p.corrections == nullptr) return;
  for (std::int64_t r = 0; r < rows; ++r, sums += sums_row)
    for (std::int64_t c = 0; c < columns; ++c)
      sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) +
                                          static_cast<std::uint32_t>(p.corrections[c]) *
                                              static_cast<std::uint32_t>(p.row_sums[r]));
}

PanelShape laid_out_for(const PanelTable& table, PanelShape shape) {
  shape.quad_unit = table.quad_unit;
  shape.depth_unit = table.depth_unit;
  shape.vectors_apart = table.vectors_apart;
  shape.mark = table.mark;
  // Rows that are copied anyway are copied tap behind tap.
  if (table.copies == RowCopies::All ||
      (table.copies == RowCopies::Ragged && shape.depth % (4 * table.quad_unit) != 0)) {
    shape.parts = shape.taps;
    shape.depth *= shape.taps;
    shape.taps = 1;
  }
  return shape;
}

std::string PanelShape::key() const {
  std::string key = " ";
  key += std::to_string(quads());
  if (depth_unit != 4) key += " pairs";
  if (mark != nullptr) key += " marked";
  return vectors_apart ? key + " apart" : key;
}

void PanelShape::mark_vectors(std::int64_t first, std::int64_t count, const std::int8_t* panels,
                              std::uint64_t* marks) const {
  if (mark == nullptr) return;
  for (std::int64_t tap = first * taps; tap < (first + count) * taps; ++tap)
    mark(panels + tap * quads() * 4 * kPanelLanes, quads(), marks + tap * tap_mark_words());
}

PanelShape::Column PanelShape::place(std::int64_t group, std::int64_t tap, std::int64_t column) const {
  const std::int64_t vector = column / kPanelLanes;
  if (vectors_apart)
    return {(group * vectors() + vector) * vector_bytes() + tap * quads() * kPanelLanes * 4 +
                column % kPanelLanes * depth_unit,
            depth_unit, kPanelLanes * depth_unit};
  std::int64_t panel = vector / kPanelVectors;  // not before it, since none has more vectors
  while (first_vector(panel + 1) <= vector) ++panel;
  const std::int64_t first = first_vector(panel), wide = first_vector(panel + 1) - first;
  const std::int64_t unit = tap * quads() * wide + (vector - first);
  return {(group * vectors() + first) * vector_bytes() + (unit * kPanelLanes + column % kPanelLanes) * 4, 4,
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
  int unbounded = 0;  // counted in all columns, which takes vectors
  for (std::int64_t c = channel; c < channel + columns; ++c)
    unbounded += kMostSum * std::abs(f.scale[c]) < kFarWithin ? 0 : 1;
  to.is_bounded = unbounded == 0;
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

void PanelLoop::unit(PanelProduct p, PanelBytes bytes, const SumFinisher::Run& run, std::int64_t rows,
                     std::int64_t first, std::int64_t group, std::int64_t panel, std::int64_t y_row) const {
  const PanelShape& s = shape_;
  const std::int64_t vector = s.first_vector(panel), vectors = s.first_vector(panel + 1) - vector;
  const std::int64_t channel = group * s.columns + vector * kPanelLanes;
  p.columns = std::min(vectors * kPanelLanes, s.columns - vector * kPanelLanes);
  const bool finishes_here = finishes(run);
  const bool stays = stays_sum(run) && p.columns == vectors * kPanelLanes && places_.line == 0;
  p.base = finishes_here || stays ? run.base + channel : nullptr;
  PanelFinish f = finish_of(run, channel, p.columns);
  f.y_row = y_row;
  const std::int64_t most = table_.rows[vectors - 1], row_unit = table_.row_unit;
  const std::int64_t pieces = base::quotient_up(rows, most);
  const std::int64_t each = base::quotient_up(base::quotient_up(rows, pieces), row_unit) * row_unit;
  const std::uint8_t* const* const x = p.x;
  const std::int32_t* const row_sums = p.row_sums;
  const std::int8_t* const ahead = p.ahead;
  const std::int64_t ahead_bytes = p.ahead_bytes;
  alignas(64) std::int32_t sums[kPanelSums];
  for (std::int64_t r0 = 0; r0 < rows; r0 += each) {
    const std::int64_t count = std::min(each, rows - r0);
    const std::int64_t y_at = (first + r0) * y_row + channel;
    p.x = x + r0;
    p.row = r0;
    p.row_sums = row_sums + r0;
    if (ahead_bytes > 0) {
      p.ahead = ahead + base::quotient(ahead_bytes * r0, rows);
      p.ahead_bytes = base::quotient(ahead_bytes * count, rows);
    }
    if (output_.other != DataType::Undefined && finishes_here)  // it was written long ago
      for (std::int64_t r = 0; r < count; ++r)
        __builtin_prefetch(static_cast<const std::uint8_t*>(run.operands[Int8Operand::Other]) + y_at + r * y_row);
    if (stays) {
      table_.multiply(p, count, vectors, bytes, static_cast<std::int32_t*>(run.operands[Int8Operand::Y]) + y_at, y_row);
      continue;
    }
    table_.multiply(p, count, vectors, bytes, sums, vectors * kPanelLanes);
    if (places_.line == 0) {
      put(f, run, sums, count, vectors, channel, y_at, y_row);
      continue;
    }
    for (std::int64_t r = 0, n = 0; r < count; r += n) {
      const auto [line, column] = base::divide(first + r0 + r, places_.line);
      n = std::min(count - r, places_.line - column);
      put(f, run, sums + r * vectors * kPanelLanes, n, vectors, channel,
          (places_.first(line, group) + column) * y_row + channel - group * s.columns, y_row);
    }
  }
}

// Makes of sums what is asked for.
void PanelLoop::put(PanelFinish& f, const SumFinisher::Run& run, const std::int32_t* sums, std::int64_t rows,
                    std::int64_t vectors, std::int64_t channel, std::int64_t y_at, std::int64_t y_row) const {
  if (!finishes(run)) return finisher_.rows(run, sums, vectors * kPanelLanes, rows, channel, f.columns, y_at, y_row);
  f.y = static_cast<std::uint8_t*>(run.operands[Int8Operand::Y]) + y_at;
  if (output_.other != DataType::Undefined)
    f.other = static_cast<const std::uint8_t*>(run.operands[Int8Operand::Other]) + y_at;
  table_.finish(f, sums, rows, vectors);
}

}  // namespace norn::kernels
