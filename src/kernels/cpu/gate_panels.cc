#include "kernels/cpu/gate_panels.h"

#include <algorithm>

#include "base/division.h"
#include "kernels/cpu/align.h"

namespace norn::kernels {
inline namespace gate_panels_cc {
namespace {

constexpr std::int64_t kGates = 4, kMostRows = 32;
static_assert(kGateColumns == kPanelVectors * kPanelLanes);

// The column of a matrix of gates that lies at `place` of the blocks. What is behind the last unit does not matter.
std::int64_t column_at(std::int64_t place, std::int64_t hidden) {
  const std::int64_t block = place / kGateColumns, gate = place % kGateColumns / kGateUnits;
  return gate * hidden + std::min(block * kGateUnits + place % kGateUnits, hidden - 1);
}

}  // namespace
}  // namespace gate_panels_cc

GatePanels::GatePanels(const Contents& weights, const Centering& centering, std::int64_t depth, std::int64_t hidden,
                       PackedConstants& packed)
    : depth_(depth), hidden_(hidden), by_quads_(panel_table() != nullptr) {
  const std::int64_t columns = kGates * hidden, places = blocks(hidden) * kGateColumns;
  const std::string key = "gates " + std::to_string(hidden);
  if (by_quads_) {
    quads_.emplace(laid_out_for(*panel_table(), {1, depth, places, 1}), weights, centering, depth * columns, key,
                   packed, [&](std::int64_t, std::int64_t, std::int64_t k, std::int64_t place) {
                     return k * columns + column_at(place, hidden);
                   });
    return;
  }
  pairs_ = packed.get(weights, 0, "int16 " + key + centering.key(), [&] {
    const std::int64_t elements = places * 2 * pairs();
    auto buffer = aligned_buffer(static_cast<std::size_t>(elements * 2 + places * 4));
    auto* to = static_cast<std::int16_t*>(buffer.get());
    std::fill_n(to, elements + 2 * places, std::int16_t{0});
    for (std::int64_t place = 0; place < places; ++place) {
      std::int16_t* const column = to + place / kGateColumns * 2 * pairs() * kGateColumns + place % kGateColumns * 2;
      const std::int64_t from = column_at(place, hidden);
      for (std::int64_t k = 0; k < depth; ++k)
        column[k / 2 * 2 * kGateColumns + k % 2] = static_cast<std::int16_t>(
            zero_point(weights.data, centering.type, k * columns + from) - centering.zero_of(from));
    }
    return buffer;
  });
}

void GatePanels::to_blocks(const float* from, std::int64_t count, std::int64_t hidden, float* to) {
  const std::int64_t places = blocks(hidden) * kGateColumns;
  if (count == 1) {
    std::fill_n(to, places, *from);
    return;
  }
  for (std::int64_t place = 0; place < places; place += kGateUnits, to += kGateUnits) {
    const std::int64_t unit = place / kGateColumns * kGateUnits, n = std::min(kGateUnits, hidden - unit);
    std::copy_n(from + place % kGateColumns / kGateUnits * hidden + unit, n, to);
    std::fill(to + n, to + kGateUnits, 0.0f);
  }
}

std::int64_t GatePanels::row_bytes() const { return round_up(by_quads_ ? depth_ : 4 * pairs(), 64); }

void GatePanels::quantize(const float* x, const DynamicRange& range, std::uint8_t* row) const {
  if (by_quads_) return quantize_table().to_uint8(x, range.divisor, range.zero, row, depth_);
  std::uint8_t* const bytes = row + depth_;
  quantize_table().to_uint8(x, range.divisor, range.zero, bytes, depth_);
  auto* const wide = reinterpret_cast<std::int16_t*>(row);
  recurrent_table().centre(bytes, range.zero, depth_, wide);
  if (depth_ % 2 != 0) wide[depth_] = 0;
}

const std::int32_t* GatePanels::column_sums() const {
  if (by_quads_) return quads_->sums();
  return reinterpret_cast<const std::int32_t*>(static_cast<const std::int16_t*>(pairs_.get()) +
                                               blocks(hidden_) * kGateColumns * 2 * pairs());
}

void GatePanels::multiply(const Product& wanted) const {
  for (std::int64_t i = wanted.first; i < wanted.last; ++i) {
    const std::int64_t block = wanted.forwards ? i : wanted.first + wanted.last - 1 - i;
    if (by_quads_) {
      multiply_quads(wanted, block);
      continue;
    }
    const auto* w = static_cast<const std::int16_t*>(pairs_.get()) + block * kGateColumns * 2 * pairs();
    recurrent_table().multiply_pairs(reinterpret_cast<const std::int16_t*>(wanted.rows), row_bytes() / 2, wanted.count,
                                     w, pairs(), wanted.sums + block * kGateColumns, wanted.sums_row);
  }
}

void GatePanels::multiply_quads(const Product& wanted, std::int64_t block) const {
  const PanelTable& table = *panel_table();
  const std::int64_t most = table.rows[kPanelVectors - 1];
  static_assert(kPanelSums / kGateColumns <= kMostRows);
  const std::uint8_t* addresses[kMostRows];
  std::int32_t row_sums[kMostRows];
  PanelProduct p{};
  p.x = addresses;
  p.row_sums = row_sums;
  p.base = wanted.base == nullptr ? nullptr : wanted.base + block * kGateColumns;
  p.columns = kGateColumns;
  quads_->matrix().set(p, 0, block);
  const std::int64_t pieces = base::quotient_up(wanted.count, most);
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t begin = base::quotient(wanted.count * i, pieces);
    const std::int64_t n = base::quotient(wanted.count * (i + 1), pieces) - begin;
    for (std::int64_t r = 0; r < n; ++r) addresses[r] = wanted.rows + (begin + r) * row_bytes();
    p.x_tap = n;
    if (p.corrections) table.row_sums(p, depth_, n, PanelBytes::Uint8, row_sums);
    table.multiply(p, n, kPanelVectors, PanelBytes::Uint8, wanted.sums + begin * wanted.sums_row + block * kGateColumns,
                   wanted.sums_row);
  }
}

}  // namespace norn::kernels
