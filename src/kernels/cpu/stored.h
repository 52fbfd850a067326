// The packed form of a matrix of few bits and its loops for each instruction set. Internal to the kernels.
//
// Columns lie in panels, as wide as those of gemm.h; a panel is a run of blocks of rows; a block is its scales (f32,
// one to a column), its zero points (a byte each, if they differ, up to a whole word), and then units: a unit of
// integers of 2 or 4 bits holds 16 or 8 rows in a 32-bit word for each column, the first row lowest; any other is one
// row. All of it is read once and in order.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace norn::kernels {

enum class StoredForm : std::uint8_t { Bits2, Bits4, Bits8, Float16, BFloat16 };
inline constexpr int kStoredForms = 5;

constexpr std::int64_t rows_of_unit(StoredForm form) {
  return form == StoredForm::Bits2 ? 16 : form == StoredForm::Bits4 ? 8 : 1;
}
constexpr std::int64_t unit_bytes_of_column(StoredForm form) {
  return form == StoredForm::Bits8 ? 1 : form == StoredForm::Float16 || form == StoredForm::BFloat16 ? 2 : 4;
}

struct StoredPanels {
  StoredForm form = StoredForm::Bits8;
  bool zeros = false;  // of each block; else `zero` for all
  std::int32_t zero = 0;
  std::int64_t k = 0, n = 0, block = 1, width = 1;
  const std::uint8_t* data = nullptr;

  std::int64_t panels() const { return (n + width - 1) / width; }
  std::int64_t blocks() const { return (k + block - 1) / block; }
  std::int64_t header_bytes() const { return width * 4 + (zeros ? whole_words(width) : 0); }
  std::int64_t unit_bytes() const { return width * unit_bytes_of_column(form); }
  // Every block of a panel has room for as many rows as the first.
  std::int64_t block_bytes() const {
    const std::int64_t rows = rows_of_unit(form);
    return header_bytes() + whole_words((block + rows - 1) / rows * unit_bytes());
  }
  std::int64_t panel_bytes() const { return blocks() * block_bytes(); }
  static std::int64_t whole_words(std::int64_t bytes) { return (bytes + 3) / 4 * 4; }
};

inline constexpr std::int64_t kStoredRows = 4;  // that `few` computes at a time

struct StoredTable {
  // C[m, n] = alpha * sum_k A[m, k] B[k, n] + bias[n] for the columns of panels [first, last) and m <= kStoredRows. c
  // and bias, which may be null, begin at column 0.
  void (*few)(const StoredPanels& b, std::int64_t first, std::int64_t last, std::int64_t m, const float* a,
              std::int64_t a_row, std::int64_t a_column, float* c, std::int64_t c_row, const float* bias, float alpha);
  // Rows [k0, k1) of a panel in f32, `width` to a row; k0 begins a unit.
  void (*expand)(const StoredPanels& b, std::int64_t panel, std::int64_t k0, std::int64_t k1, float* to);
};
const StoredTable& stored_table();

// The same with A in 8 bits: one scale for each stretch of kStretch elements of a row, in an order that the matrix's
// form asks for. Rows end with zeros that fill the last stretch.
inline constexpr std::int64_t kStretch = 32;

// Which of 16 elements of a row stands where: as rows lie in the bytes of a word, or of a unit of 2 bits.
inline constexpr std::int8_t kOrderBeside2Bits[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
inline constexpr std::int8_t kOrderBeside4Bits[16] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
constexpr const std::int8_t* order_of_elements(StoredForm form) {
  return form == StoredForm::Bits2 ? kOrderBeside2Bits : kOrderBeside4Bits;
}

// The scale of a stretch whose largest element has this size, and what its elements are multiplied by; `odd` is 0, or
// NaN if an element is not finite, which the scale is then. The inverse of the least scales is infinite.
struct ByteScale {
  float scale, inverse;
};
constexpr ByteScale byte_scale(float most, float odd) {
  if (odd != 0) return {odd, 0};
  return {most / 127, most > 1e-35f ? 127 / most : 0};
}

struct QuantizedRows {
  const std::int8_t* elements;
  const float* scales;
  const std::int32_t* sums;     // of the elements of each stretch
  std::int64_t row, stretches;  // elements, and stretches, of a row
};

inline constexpr std::int64_t kQuantizedRows = 4;  // that `multiply` computes at a time

// A row of A in fixed point: each stretch as numbers of 32 bits, whose unit is 2^-30 of a power of two above its
// largest element; what is below the unit is rounded. Each of the four bytes of a number, the lowest first and all of
// them signed, lies in a plane of its own, in the order of QuantizedRows.
inline constexpr std::int64_t kPlanes = 4;
inline constexpr std::int64_t kSplitRows = 2;

struct SplitRow {
  const std::int8_t* planes;
  const float* scales;  // the units
  const float* sums;   // of each stretch: of its upper halves, whose unit is 2^16 of the others', and of its lower ones
  std::int64_t plane;  // elements from one plane to the next
};

// Whether units, and what numbers are divided by, stay normal in a stretch whose largest element is `most`.
constexpr bool can_split(float most) { return most == 0 || (most >= 0x1p-90f && most <= 0x1p90f); }
// Elements that are not 0 and smaller than this part of the largest lose digits that they keep as floats: no more than
// so many of a stretch may be.
inline constexpr float kLittle = 0x1p-11f;
inline constexpr int kMostLittle = static_cast<int>(kStretch / 2);
// The exponent of a power of two above `most`.
constexpr int exponent_above(float most) {
  return most == 0 ? 30 : static_cast<int>(std::bit_cast<std::uint32_t>(most) >> 23) - 126;
}
// 2^exponent, which is normal.
constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

struct StoredInt8Table {
  std::int64_t width;            // of the panels that it takes
  std::int64_t most_split_rows;  // at most kSplitRows; beyond them shared elements that are widened are as fast
  // Elements that are not finite make their stretch's scale NaN.
  void (*quantize)(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int8_t* elements,
                   float* scales, std::int32_t* sums);
  // As StoredTable::few, for one panel; form Bits2 or Bits4, in blocks of whole stretches. c and bias begin at the
  // panel's column.
  void (*multiply)(const StoredPanels& b, std::int64_t panel, std::int64_t m, const QuantizedRows& a, float* c,
                   std::int64_t c_row, std::int64_t columns, const float* bias, float alpha);
  // False if an element is not finite, or a stretch's largest one is far from 1 (can_split) or from most of the others
  // (kLittle): the row is not written whole then.
  bool (*split)(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int64_t plane,
                std::int8_t* planes, float* scales, float* sums);
  // As `multiply`, for a row that is split: sums of a stretch are exact, those of stretches are of f32.
  void (*multiply_split)(const StoredPanels& b, std::int64_t panel, const SplitRow& a, float* c, std::int64_t columns,
                         const float* bias, float alpha);
};
// Null on machines with neither dot products of 8-bit integers of AVX-512 nor AVX2 alone.
const StoredInt8Table* stored_int8_table();
const StoredInt8Table* stored_int8_avx2_table();

}  // namespace norn::kernels
