// Products of rows of bytes with a matrix of bytes, whose columns are packed in panels, by dot products of four bytes,
// by products of tiles or, where there is neither, by products of two bytes or of two 16-bit integers. A row of a
// convolution is an output pixel: its bytes lie at one address for each tap of the window. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/int8_candidates.h"

namespace norn::kernels {

constexpr std::int64_t kPanelLanes = 16;   // columns of a vector
constexpr std::int64_t kPanelVectors = 4;  // of a panel, at most
constexpr std::int64_t kPanelSums = 2048;  // most sums that are computed together

// What rows consist of. Where products take only uint8 on the left, bytes of int8 are flipped: each counts for 128
// more. Those of uint8 that are flipped are signed, and each counts for 128 less.
enum class PanelBytes : std::uint8_t { Uint8, FlippedInt8, Int8, FlippedUint8 };
constexpr bool is_signed(PanelBytes x) { return x == PanelBytes::Int8 || x == PanelBytes::FlippedUint8; }
constexpr bool flips(PanelBytes x) { return x == PanelBytes::FlippedInt8 || x == PanelBytes::FlippedUint8; }

// Some rows times a panel.
struct PanelProduct {
  const std::uint8_t* const* x;  // of the first tap's rows; those of the next tap lie `x_tap` pointers behind
  std::int64_t x_tap;
  std::int64_t offset;       // in bytes, added to each address
  std::int64_t taps, quads;  // of bytes at each address
  const std::int8_t* w;      // by tap, unit of depth, vector, column, byte; vectors that are apart come first
  const std::int32_t* base;  // of each of `columns` columns: sums begin with it; null for 0
  std::int64_t columns;
  // With corrections for each column, these times the sum of the row's bytes are added to the sums.
  const std::int32_t *corrections, *row_sums;
  const std::uint64_t* marks = nullptr;  // of the panel's vectors
  // What gather() wrote of a tile's rows, of which those that are multiplied begin at `row`; multiply() may add to it.
  std::uint8_t* gathered = nullptr;
  std::int64_t row = 0;
  // What is read next, and may be fetched meanwhile.
  const std::int8_t* ahead = nullptr;
  std::int64_t ahead_bytes = 0;
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

// Which rows are copied before they are multiplied: those of a depth that is not in whole units of the table, or all.
enum class RowCopies : std::uint8_t { None, Ragged, All };

struct PanelTable {
  std::int64_t rows[kPanelVectors];  // most at a time, by vectors of the panel less 1
  std::int64_t row_unit, quad_unit;  // rows are best cut into multiples of this; quads of a tap have to be
  std::int64_t depth_unit;           // bytes of a column that lie side by side: 4, or 2 that divide a quad
  bool takes_int8;                   // on the left, always
  bool takes_signed;                 // on the left, best where the zero point is near the middle of the type
  bool vectors_apart;                // of a panel: one behind the other, not side by side
  RowCopies copies;                  // by gather()
  // Writes `rows` rows of 16 * vectors sums, `sums_row` apart.
  void (*multiply)(const PanelProduct& p, std::int64_t rows, std::int64_t vectors, PanelBytes x, std::int32_t* sums,
                   std::int64_t sums_row);
  // Null where SumFinisher does it.
  void (*finish)(const PanelFinish& f, const std::int32_t* sums, std::int64_t rows, std::int64_t vectors);
  // to[r] = the sum of row r's bytes, `depth` at each tap.
  void (*row_sums)(const PanelProduct& p, std::int64_t depth, std::int64_t rows, PanelBytes x, std::int32_t* to);
  // Packs a panel of `columns` columns of a matrix of `depth` rows, `row` bytes apart; with `flip` they are uint8, and
  // packed less 128. sums: of what is packed, by column, in whole vectors.
  void (*pack)(const std::uint8_t* from, std::int64_t row, std::int64_t depth, std::int64_t columns, bool flip,
               std::int8_t* to, std::int32_t* sums);

  // Null where there is nothing to be done. Marks the pairs of a tap's quads of a vector, which is packed already,
  // whose products might saturate: words of PanelShape::mark_words().
  void (*mark)(const std::int8_t* w, std::int64_t quads, std::uint64_t* marks);
  // Around the products of a piece of work, on its thread:
  void (*begin)();
  void (*end)();
  // Writes the addresses of rows as multiply() wants them, and copies or what else it knows of them to memory of
  // `copy_bytes`: `parts` taps, of `depth` bytes each, become one. What is multiplied then has no offset.
  std::int64_t (*copy_bytes)(std::int64_t rows, std::int64_t taps, std::int64_t depth);
  void (*gather)(const PanelProduct& p, std::int64_t parts, std::int64_t depth, std::int64_t rows, PanelBytes x,
                 const std::uint8_t** to, std::uint8_t* copy);
  // Bytes of a matrix that the second cache does not hold, so that tiles have more rows, in up to `tile_bytes`: each
  // tile reads it anew. 0: of no matrix.
  std::int64_t large_matrix = 0, tile_bytes = 0;
  // Bytes of the least matrix whose panels are fetched before they are read, if the third cache is slow.
  std::int64_t fetched_matrix = std::numeric_limits<std::int64_t>::max();
};
// For tables that have nothing quicker: PanelTable::row_sums, and the corrections of sums that stand in memory.
void panel_row_sums(const PanelProduct& p, std::int64_t depth, std::int64_t rows, PanelBytes x, std::int32_t* to);
void add_corrections(const PanelProduct& p, std::int64_t rows, std::int64_t columns, std::int32_t* sums,
                     std::int64_t sums_row);

// Null where there are no dot products of bytes.
const PanelTable* panel_table();
// Null where there are no products of tiles (AMX).
const PanelTable* tile_table();
// Null but for CPUs whose best are AVX2's products of two bytes.
const PanelTable* byte_pair_table();
// By pairs of 16-bit integers, on every machine.
const PanelTable& pair_table();
// What takes less time for `rows` rows of `taps` addresses, of `depth` bytes each, and panels of `columns` columns.
const PanelTable& panel_table_for(std::int64_t rows, std::int64_t taps, std::int64_t depth, std::int64_t columns);

// A matrix for each group, of `taps` x `depth` rows.
struct PanelShape {
  std::int64_t taps = 1, depth = 1, columns = 1, groups = 1;
  std::int64_t quad_unit = 1, depth_unit = 4;  // of the table
  bool vectors_apart = false;
  void (*mark)(const std::int8_t*, std::int64_t, std::uint64_t*) = nullptr;
  std::int64_t parts = 1;  // of the rows of one tap, whose bytes lie at addresses of their own

  std::int64_t quads() const { return base::quotient_up((depth + 3) / 4, quad_unit) * quad_unit; }
  std::int64_t part_depth() const { return base::quotient(depth, parts); }
  std::int64_t vectors() const { return (columns + kPanelLanes - 1) / kPanelLanes; }
  std::int64_t panels() const { return (vectors() + kPanelVectors - 1) / kPanelVectors; }
  std::int64_t first_vector(std::int64_t panel) const { return base::quotient(vectors() * panel, panels()); }
  std::int64_t vector_bytes() const { return taps * quads() * 4 * kPanelLanes; }
  std::int64_t bytes() const { return groups * vectors() * vector_bytes(); }
  static constexpr std::int64_t kMarked = 32;  // quads whose pairs have a bit in each of two words
  std::int64_t tap_mark_words() const { return mark ? 2 * ((quads() + kMarked - 1) / kMarked) : 0; }
  std::int64_t mark_words() const { return taps * tap_mark_words(); }  // of a vector
  void mark_vectors(std::int64_t first, std::int64_t count, const std::int8_t* panels, std::uint64_t* marks) const;
  struct Column {
    std::int64_t at, unit, pitch;  // of its first byte; bytes side by side, and from one unit to the next
    // The place of byte k, and of those behind it.
    struct Walk {
      std::int64_t byte, inside, unit, skip;
      void next() {
        ++byte;
        if (++inside < unit) return;
        byte += skip;
        inside = 0;
      }
    };
    Walk from(std::int64_t k) const { return {at + k / unit * pitch + k % unit, k % unit, unit, pitch - unit}; }
  };
  Column place(std::int64_t group, std::int64_t tap, std::int64_t column) const;
  std::string key() const;
  // Columns of the groups before one, in whole vectors.
  std::int64_t columns_before(std::int64_t group) const { return group * vectors() * kPanelLanes; }
};

// The shape as the table's products want it.
PanelShape laid_out_for(const PanelTable& table, PanelShape shape);

// A matrix for each group, packed.
struct PanelMatrix {
  PanelShape shape;
  const std::int8_t* panels = nullptr;
  const std::int32_t* corrections = nullptr;  // in whole vectors for each group; null for none
  const std::uint64_t* marks = nullptr;       // of each group's vectors, where the shape has marks

  void set(PanelProduct& p, std::int64_t group, std::int64_t panel) const {
    const std::int64_t first = shape.first_vector(panel);
    p.taps = shape.taps;
    p.quads = shape.quads();
    p.w = panels + (group * shape.vectors() + first) * shape.vector_bytes();
    p.corrections = corrections ? corrections + shape.columns_before(group) + first * kPanelLanes : nullptr;
    p.marks = marks + (group * shape.vectors() + first) * shape.mark_words();
  }
  // `next`: which panel of all groups.
  void set_ahead(PanelProduct& p, std::int64_t next) const {
    const auto [group, panel] = base::divide(next, shape.panels());
    const std::int64_t first = shape.first_vector(panel);
    p.ahead = panels + (group * shape.vectors() + first) * shape.vector_bytes();
    p.ahead_bytes = (shape.first_vector(panel + 1) - first) * shape.vector_bytes();
  }
};

// The weights of a product, packed, and what follows from them. Weights less their zero points that do not fit into
// int8 are packed as they are, less 128 if they are uint8, and the rest is done by corrections.
class PanelWeights {
 public:
  // element(g, tap, k, n) is the index among `count` weights of row (tap, k) of group g's matrix, column n; taps are
  // those that have addresses.
  template <class Element>
  PanelWeights(const PanelShape& shape, const Contents& weights, const Centering& centering, std::int64_t count,
               const std::string& key, PackedConstants& packed, const Element& element)
      : shape_(shape), fits_(centering.fits(weights, count)) {
    packed_ = packed.get(weights, 0, "int8 panels " + key + centering.key() + shape_.key(), [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(marks_at()) +
                                   static_cast<std::size_t>(shape_.groups * shape_.vectors() * shape_.mark_words()) *
                                       sizeof(std::uint64_t));
      auto* to = static_cast<std::int8_t*>(buffer.get());
      auto* sums = reinterpret_cast<std::int32_t*>(to + shape_.bytes());
      std::int32_t* corrections = sums + shape_.columns_before(shape_.groups);
      std::fill_n(to, shape_.bytes(), std::int8_t{0});
      std::fill_n(sums, 2 * shape_.columns_before(shape_.groups), 0);
      const std::vector<std::int8_t> bytes = as_int8(weights.data, centering, count);
      const std::int64_t parts = shape_.parts, part_depth = shape_.part_depth(), taps = shape_.taps * parts;
      for (std::int64_t g = 0; g < shape_.groups; ++g)
        for (std::int64_t n = 0; n < shape_.columns; ++n) {
          const std::int32_t more = fits_ ? 0 : centering.excess_of(element(g, 0, 0, n));
          std::int64_t sum = 0;
          for (std::int64_t tap = 0; tap < taps; ++tap) {
            PanelShape::Column::Walk place = shape_.place(g, tap / parts, n).from(tap % parts * part_depth);
            for (std::int64_t k = 0; k < part_depth; ++k, place.next()) {
              const std::int8_t w = bytes[static_cast<std::size_t>(element(g, tap, k, n))];
              to[place.byte] = w;
              sum += w + more;
            }
          }
          sums[g * shape_.columns + n] = static_cast<std::int32_t>(sum);
          corrections[shape_.columns_before(g) + n] = more;
        }
      shape_.mark_vectors(0, shape_.groups * shape_.vectors(), to, reinterpret_cast<std::uint64_t*>(to + marks_at()));
      return buffer;
    });
  }

  const PanelShape& shape() const { return shape_; }
  // Of the columns, without zero points.
  const std::int32_t* sums() const { return reinterpret_cast<const std::int32_t*>(panels() + shape_.bytes()); }
  PanelMatrix matrix() const {
    return {shape_, panels(), fits_ ? nullptr : sums() + shape_.columns_before(shape_.groups),
            reinterpret_cast<const std::uint64_t*>(panels() + marks_at())};
  }

 private:
  const std::int8_t* panels() const { return static_cast<const std::int8_t*>(packed_.get()); }
  std::vector<std::int8_t> as_int8(const void* weights, const Centering& centering, std::int64_t count) const;
  // Behind panels, sums and corrections.
  std::int64_t marks_at() const {
    return shape_.bytes() + shape_.columns_before(shape_.groups) * 2 * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

  PanelShape shape_;
  bool fits_;
  std::shared_ptr<const void> packed_;  // panels; sums of their columns; corrections, in whole vectors for each group
};

// Rows of x that lie one behind the other and are read in quads: the last ones, where a quad may reach beyond them,
// from copies.
class LastRows {
 public:
  LastRows(std::int64_t rows, std::int64_t depth, const PanelTable& table) : depth_(depth) {
    const bool copies = table.copies == RowCopies::None && depth % 4 != 0;
    count_ = copies ? std::min<std::int64_t>(rows, depth == 1 ? 3 : 1) : 0;
    first_ = rows - count_;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(count_ * pitch()); }
  void copy(const std::uint8_t* x, std::uint8_t* to) const {
    for (std::int64_t i = 0; i < count_; ++i) std::copy_n(x + (first_ + i) * depth_, depth_, to + i * pitch());
  }
  const std::uint8_t* at(const std::uint8_t* x, std::int64_t row, const std::uint8_t* copies) const {
    return row < first_ ? x + row * depth_ : copies + (row - first_) * pitch();
  }

 private:
  std::int64_t pitch() const { return (depth_ + 3) / 4 * 4; }

  std::int64_t depth_, count_ = 0, first_ = 0;
};

// How rows are shared by tasks: tiles of them, which a task multiplies by one panel after the other.
struct PanelTiles {
  std::int64_t rows = 0, count = 1, each = 0;  // of rows; of tiles; rows of a tile, of which the last may have fewer

  PanelTiles() = default;
  // Of whole units as far as there are; `y_row`: bytes of a row of the output, if they are not few.
  PanelTiles(std::int64_t of, const PanelShape& shape, const PanelTable& table, std::int64_t y_row = 0) : rows(of) {
    const std::int64_t taps = shape.taps * shape.parts, bytes = shape.taps * shape.depth;
    // Enough of them that a panel is read from the first cache, few enough that they and their addresses stay there.
    std::int64_t most = std::clamp<std::int64_t>(2048 / taps, 32, 96);
    const std::int64_t unit = 2 * table.row_unit;
    if (table.large_matrix > 0 && bytes * shape.columns > table.large_matrix)
      most = std::clamp<std::int64_t>(table.tile_bytes / bytes, most, 512) / unit * unit;
    // Each panel's sums go to a part of every row of the output: of many long ones it has no lines at hand. Fewer cost
    // reading panels more often, from the second cache if they all stay there.
    constexpr std::int64_t kAtHand = 128 << 10, kSecondCache = 256 << 10, kLeast = 12;
    if (y_row > 0 && bytes * shape.columns <= kSecondCache)
      most = std::max(unit, std::clamp<std::int64_t>(kAtHand / y_row, kLeast, most) / unit * unit);
    count = std::max<std::int64_t>(1, (rows + most - 1) / most);
    each = ((rows + count - 1) / count + unit - 1) / unit * unit;
  }
  std::int64_t first(std::int64_t tile) const { return std::min(rows, each * tile); }
  std::int64_t most() const { return std::min(rows, each); }
};

// PanelTiles' y_row: of bytes there are few.
inline std::int64_t bytes_of_row(const SumOutput& output, std::int64_t columns) {
  const auto size = static_cast<std::int64_t>(element_size(output.output()));
  return size > 1 ? size * columns : 0;
}

// Where rows go whose groups are places of a block of the output (ConvInt8Config::blocks): rows are pixels, and those
// of a line go to one line of the output, side by side.
struct PanelPlaces {
  std::int64_t line = 0;   // pixels of a line; 0: rows lie one behind the other, with all channels of theirs
  std::int64_t lines = 1;  // of a layer
  std::int64_t layer_places = 1, line_places = 1;  // of a block

  // The row of y in which the rows of x's line begin, as they are at place `group` of the layers and lines.
  std::int64_t first(std::int64_t x_line, std::int64_t group) const {
    const auto [layer, in_layer] = base::divide(x_line, lines);
    const auto [layer_place, line_place] = base::divide(group, line_places);
    return (((layer * layer_places + layer_place) * lines + in_layer) * line_places + line_place) * line;
  }
};

// Multiplies tiles of rows by panels, and hands on the sums.
class PanelLoop {
 public:
  PanelLoop(const PanelShape& shape, const SumFinisher& finisher, const SumOutput& output, const PanelTiles& tiles,
            DataType x_type, const PanelTable& table, const PanelPlaces& places = {})
      : shape_(shape),
        finisher_(finisher),
        output_(output),
        tiles_(tiles),
        x_type_(x_type),
        table_(table),
        places_(places) {}

  std::int64_t units() const { return tiles_.count * units_per_tile(); }
  // How rows are taken whose zero point is `zero`.
  PanelBytes bytes_for(std::int32_t zero) const {
    const bool is_int8 = x_type_ == DataType::Int8;
    if (table_.takes_signed && std::abs(is_int8 ? zero : zero - 128) < 64)
      return is_int8 ? PanelBytes::Int8 : PanelBytes::FlippedUint8;
    if (!is_int8) return PanelBytes::Uint8;
    return table_.takes_int8 ? PanelBytes::Int8 : PanelBytes::FlippedInt8;
  }
  // x's zero point as it counts for the sums.
  std::int32_t counted_zero(std::int32_t zero) const {
    const PanelBytes bytes = bytes_for(zero);
    return zero + (bytes == PanelBytes::FlippedInt8 ? 128 : bytes == PanelBytes::FlippedUint8 ? -128 : 0);
  }
  // Of each task: addresses, sums and copies of a tile's rows.
  std::size_t task_bytes() const { return copy_at() + static_cast<std::size_t>(copy_bytes()); }
  // Units [begin, end) of rows `x` times `w`, whose first row of y is `y_first`. fill(first, last, addresses) writes
  // the addresses of a tile's rows, tap by tap; `group_bytes`: by which those of the next group lie behind.
  template <class Fill>
  void run(PanelBytes x, const PanelMatrix& w, const SumFinisher::Run& finish, std::int64_t begin, std::int64_t end,
           std::int64_t group_bytes, std::int64_t y_first, std::int64_t y_row, void* own, const Fill& fill) const {
    auto** const addresses = static_cast<const std::uint8_t**>(own);
    auto** const gathered = addresses + tiles_.most() * shape_.taps * shape_.parts;
    auto* const row_sums =
        reinterpret_cast<std::int32_t*>(gathered + (table_.gather ? tiles_.most() * shape_.taps : 0));
    const bool fetches = shape_.bytes() >= table_.fetched_matrix && has_slow_third_cache();
    if (table_.begin) table_.begin();
    std::int64_t tile = -1, group = -1;
    const std::int64_t per_tile = units_per_tile(), panels = shape_.panels();
    for (std::int64_t u = begin; u < end; ++u) {
      const auto [t, in_tile] = base::divide(u, per_tile);
      const auto [g, panel] = base::divide(in_tile, panels);
      const std::int64_t first = tiles_.first(t), rows = tiles_.first(t + 1) - first;
      if (rows == 0) continue;
      PanelProduct p;
      p.x = addresses;
      p.x_tap = rows;
      p.offset = g * group_bytes;
      w.set(p, g, panel);
      p.taps *= shape_.parts;  // until they are gathered
      const bool others = t != tile || (g != group && group_bytes != 0);
      if (t != tile) fill(first, first + rows, addresses);
      if (p.corrections && others) table_.row_sums(p, shape_.part_depth(), rows, x, row_sums);
      if (table_.gather) {
        if (others)
          table_.gather(p, shape_.parts, shape_.part_depth(), rows, x, gathered,
                        static_cast<std::uint8_t*>(own) + copy_at());
        p.x = gathered;
        p.gathered = static_cast<std::uint8_t*>(own) + copy_at();
        p.offset = 0;
        p.taps = shape_.taps;
      }
      if (fetches && u + 1 < end) w.set_ahead(p, in_tile + 1 < per_tile ? in_tile + 1 : 0);
      tile = t;
      group = g;
      p.row_sums = row_sums;
      unit(p, x, finish, rows, y_first + first, g, panel, y_row);
    }
    if (table_.end) table_.end();
  }

 private:
  std::size_t copy_at() const {
    const auto rows = static_cast<std::size_t>(tiles_.most());
    const std::int64_t taps = shape_.taps * (shape_.parts + (table_.gather ? 1 : 0));
    return (rows * (static_cast<std::size_t>(taps) * sizeof(void*) + sizeof(std::int32_t)) + 63) / 64 * 64;
  }
  std::int64_t copy_bytes() const {
    return table_.gather ? (table_.copy_bytes(tiles_.most(), shape_.taps, shape_.depth) + 63) / 64 * 64 : 0;
  }
  std::int64_t units_per_tile() const { return shape_.groups * shape_.panels(); }
  bool finishes(const SumFinisher::Run& run) const {
    return table_.finish && output_.tame && !run.wide && output_.type != DataType::Int32 &&
           output_.type != DataType::Float;
  }
  // What is asked for are the sums with their base.
  bool stays_sum(const SumFinisher::Run& run) const { return output_.output() == DataType::Int32 && !run.wide; }
  PanelFinish finish_of(const SumFinisher::Run& run, std::int64_t channel, std::int64_t columns) const;
  void unit(PanelProduct p, PanelBytes x, const SumFinisher::Run& finish, std::int64_t rows, std::int64_t first,
            std::int64_t group, std::int64_t panel, std::int64_t y_row) const;
  void put(PanelFinish& f, const SumFinisher::Run& finish, const std::int32_t* sums, std::int64_t rows,
           std::int64_t vectors, std::int64_t channel, std::int64_t y_at, std::int64_t y_row) const;

  PanelShape shape_;
  const SumFinisher& finisher_;
  const SumOutput& output_;
  PanelTiles tiles_;
  DataType x_type_;
  const PanelTable& table_;
  PanelPlaces places_;
};

}  // namespace norn::kernels
