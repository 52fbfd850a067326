// Products of rows of bytes with a matrix of bytes, whose columns are packed in panels, by dot products of four bytes.
// A row of a convolution is an output pixel: its bytes lie at one address for each tap of the window.
// Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/int8_candidates.h"

namespace norn::kernels {

constexpr std::int64_t kPanelLanes = 16;   // columns of a vector
constexpr std::int64_t kPanelVectors = 4;  // of a panel, at most
constexpr std::int64_t kPanelSums = 384;   // most sums that are computed together

// Some rows times a panel.
struct PanelProduct {
  const std::uint8_t* const* x;  // of the first tap's rows; those of the next tap lie `x_tap` pointers behind
  std::int64_t x_tap;
  std::int64_t offset;       // in bytes, added to each address
  std::int64_t taps, quads;  // of bytes at each address
  const std::int8_t* w;      // by tap, quad, vector, column, byte of the quad
  const std::int32_t* base;  // of each of `columns` columns: sums begin with it; null for 0
  std::int64_t columns;
  // With corrections for each column, these times the sum of the row's bytes are added to the sums.
  const std::int32_t *corrections, *row_sums;
};

// What becomes of the sums of a panel where scales are known (SumOutput::tame), base included: the same numbers as
// SumFinisher gives.
struct PanelFinish {
  const float* scale;    // by column
  std::int64_t columns;  // of the panel
  // Bounds of what is rounded first; those of the result, and its zero point.
  float bottom, top, last_top;
  std::int32_t zero, low, high;
  bool is_signed;   // the result
  bool is_bounded;  // whatever is rounded is far within 32 bits
  std::uint8_t* y;
  std::int64_t y_row;  // of y, and of another tensor
  // Null for none.
  const std::uint8_t* other;
  bool other_is_signed;
  float middle_scale, other_scale, shift;
};

struct PanelTable {
  std::int64_t rows[kPanelVectors];  // most at a time, by vectors of the panel less 1
  // Writes `rows` rows of 16 * vectors sums, `sums_row` apart. With `flip` x is int8, and each byte counts for 128
  // more.
  void (*multiply)(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, bool flip, std::int32_t* sums,
                   std::int64_t sums_row);
  void (*finish)(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows, std::int64_t vectors);
  // to[r] = the sum of row r's bytes, `depth` at each tap.
  void (*row_sums)(const PanelProduct& p, std::int64_t depth, std::int64_t rows, bool flip, std::int32_t* to);
  // Packs a panel of `columns` columns of a matrix of `depth` rows, `row` bytes apart; with `flip` they are uint8, and
  // packed less 128. sums: of what is packed, by column, in whole vectors.
  void (*pack)(const std::uint8_t* from, std::int64_t row, std::int64_t depth, std::int64_t columns, bool flip,
               std::int8_t* to, std::int32_t* sums);
};
// Null where there are no dot products of bytes.
const PanelTable* panel_table();
// Empty where the machine has them.
std::string panels_refuse_machine();
// Whether oneDNN multiplies tiles (AMX), in most cases in less time.
bool tiles_beat_panels();

// A matrix for each group, of `taps` x `depth` rows.
struct PanelShape {
  std::int64_t taps = 1, depth = 1, columns = 1, groups = 1;

  std::int64_t quads() const { return (depth + 3) / 4; }
  std::int64_t vectors() const { return (columns + kPanelLanes - 1) / kPanelLanes; }
  std::int64_t panels() const { return (vectors() + kPanelVectors - 1) / kPanelVectors; }
  std::int64_t first_vector(std::int64_t panel) const { return vectors() * panel / panels(); }
  std::int64_t vector_bytes() const { return taps * quads() * 4 * kPanelLanes; }
  std::int64_t bytes() const { return groups * vectors() * vector_bytes(); }
  struct Column {
    std::int64_t at, quad;  // of its first byte; between quads
  };
  Column place(std::int64_t group, std::int64_t tap, std::int64_t column) const;
  // Columns of the groups before one, in whole vectors.
  std::int64_t columns_before(std::int64_t group) const { return group * vectors() * kPanelLanes; }
};

// A matrix for each group, packed.
struct PanelMatrix {
  PanelShape shape;
  const std::int8_t* panels = nullptr;
  const std::int32_t* corrections = nullptr;  // in whole vectors for each group; null for none

  void set(PanelProduct& p, std::int64_t group, std::int64_t panel) const {
    const std::int64_t first = shape.first_vector(panel);
    p.taps = shape.taps;
    p.quads = shape.quads();
    p.w = panels + (group * shape.vectors() + first) * shape.vector_bytes();
    p.corrections = corrections ? corrections + shape.columns_before(group) + first * kPanelLanes : nullptr;
  }
};

// The weights of a product, packed, and what follows from them. Weights less their zero points that do not fit into
// int8 are packed as they are, less 128 if they are uint8, and the rest is done by corrections.
class PanelWeights {
 public:
  // element(g, tap, k, n) is the index among `count` weights of row (tap, k) of group g's matrix, column n.
  template <class Element>
  PanelWeights(const PanelShape& shape, const Contents& weights, const Centering& centering, std::int64_t count,
               const std::string& key, PackedConstants& packed, const Element& element)
      : shape_(shape), fits_(centering.fits(weights.data, count)) {
    packed_ = packed.get(weights, 0, "int8 panels " + key + centering.key(), [&] {
      auto buffer =
          aligned_buffer(static_cast<std::size_t>(shape_.bytes()) +
                         static_cast<std::size_t>(shape_.columns_before(shape_.groups)) * 2 * sizeof(std::int32_t));
      auto* to = static_cast<std::int8_t*>(buffer.get());
      auto* sums = reinterpret_cast<std::int32_t*>(to + shape_.bytes());
      std::int32_t* corrections = sums + shape_.columns_before(shape_.groups);
      std::fill_n(to, shape_.bytes(), std::int8_t{0});
      std::fill_n(sums, 2 * shape_.columns_before(shape_.groups), 0);
      const std::vector<std::int8_t> bytes = as_int8(weights.data, centering, count);
      for (std::int64_t g = 0; g < shape_.groups; ++g)
        for (std::int64_t n = 0; n < shape_.columns; ++n) {
          const std::int32_t more = fits_ ? 0 : centering.excess_of(element(g, 0, 0, n));
          std::int64_t sum = 0;
          for (std::int64_t tap = 0; tap < shape_.taps; ++tap) {
            const PanelShape::Column column = shape_.place(g, tap, n);
            for (std::int64_t k = 0; k < shape_.depth; ++k) {
              const std::int8_t w = bytes[static_cast<std::size_t>(element(g, tap, k, n))];
              to[column.at + k / 4 * column.quad + k % 4] = w;
              sum += w + more;
            }
          }
          sums[g * shape_.columns + n] = static_cast<std::int32_t>(sum);
          corrections[shape_.columns_before(g) + n] = more;
        }
      return buffer;
    });
  }

  const PanelShape& shape() const { return shape_; }
  // Of the columns, without zero points.
  const std::int32_t* sums() const { return reinterpret_cast<const std::int32_t*>(panels() + shape_.bytes()); }
  PanelMatrix matrix() const {
    return {shape_, panels(), fits_ ? nullptr : sums() + shape_.columns_before(shape_.groups)};
  }

 private:
  const std::int8_t* panels() const { return static_cast<const std::int8_t*>(packed_.get()); }
  std::vector<std::int8_t> as_int8(const void* weights, const Centering& centering, std::int64_t count) const;

  PanelShape shape_;
  bool fits_;
  std::shared_ptr<const void> packed_;  // panels; sums of their columns; corrections, in whole vectors for each group
};

// How rows are shared by tasks: tiles of them, which a task multiplies by one panel after the other.
struct PanelTiles {
  std::int64_t rows = 0, count = 1;  // of rows; of tiles

  PanelTiles() = default;
  PanelTiles(std::int64_t of, std::int64_t taps) : rows(of) {
    // Enough of them that a panel is read from the first cache, few enough that they and their addresses stay there.
    const std::int64_t most = std::clamp<std::int64_t>(2048 / taps, 24, 96);
    count = std::max<std::int64_t>(1, (rows + most - 1) / most);
  }
  std::int64_t first(std::int64_t tile) const { return rows * tile / count; }
  std::int64_t most() const { return (rows + count - 1) / count; }
};

// Multiplies tiles of rows by panels, and hands on the sums.
class PanelLoop {
 public:
  PanelLoop(const PanelShape& shape, const SumFinisher& finisher, const SumOutput& output, const PanelTiles& tiles,
            bool flip)
      : shape_(shape), finisher_(finisher), output_(output), tiles_(tiles), flip_(flip), table_(*panel_table()) {}

  std::int64_t units() const { return tiles_.count * per_tile(); }
  // Of each task: addresses and sums of a tile's rows.
  std::size_t task_bytes() const {
    const auto rows = static_cast<std::size_t>(tiles_.most());
    return (rows * static_cast<std::size_t>(shape_.taps) * sizeof(void*) + rows * sizeof(std::int32_t) + 63) / 64 * 64;
  }
  // Units [begin, end) of rows times `w`, whose first row of y is `y_first`. fill(first, last, addresses) writes the
  // addresses of a tile's rows, tap by tap; `group_bytes`: by which those of the next group lie behind.
  template <class Fill>
  void run(const PanelMatrix& w, const SumFinisher::Run& finish, std::int64_t begin, std::int64_t end,
           std::int64_t group_bytes, std::int64_t y_first, std::int64_t y_row, void* own, const Fill& fill) const {
    auto** addresses = static_cast<const std::uint8_t**>(own);
    auto* row_sums = reinterpret_cast<std::int32_t*>(addresses + tiles_.most() * shape_.taps);
    std::int64_t tile = -1, group = -1;
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t t = u / per_tile(), g = u % per_tile() / shape_.panels();
      const std::int64_t first = tiles_.first(t), rows = tiles_.first(t + 1) - first;
      if (rows == 0) continue;
      PanelProduct p;
      p.x = addresses;
      p.x_tap = rows;
      p.offset = g * group_bytes;
      w.set(p, g, u % shape_.panels());
      if (t != tile) fill(first, first + rows, addresses);
      if (p.corrections && (t != tile || g != group)) table_.row_sums(p, shape_.depth, rows, flip_, row_sums);
      tile = t;
      group = g;
      p.row_sums = row_sums;
      unit(p, finish, rows, y_first + first, g, u % shape_.panels(), y_row);
    }
  }

 private:
  std::int64_t per_tile() const { return shape_.groups * shape_.panels(); }
  bool finishes(const SumFinisher::Run& run) const {
    return output_.tame && !run.wide && output_.type != DataType::Int32 && output_.type != DataType::Float;
  }
  // What is asked for are the sums with their base.
  bool stays_sum(const SumFinisher::Run& run) const { return output_.output() == DataType::Int32 && !run.wide; }
  PanelFinish finish_of(const SumFinisher::Run& run, std::int64_t channel, std::int64_t columns) const;
  void unit(PanelProduct p, const SumFinisher::Run& finish, std::int64_t rows, std::int64_t first, std::int64_t group,
            std::int64_t panel, std::int64_t y_row) const;

  PanelShape shape_;
  const SumFinisher& finisher_;
  const SumOutput& output_;
  PanelTiles tiles_;
  bool flip_;
  const PanelTable& table_;
};

}  // namespace norn::kernels
