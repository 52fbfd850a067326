// A constant matrix of 8-bit integers by which quantized rows are multiplied for the gates of an LSTM: packed such that
// the four gates' sums of 16 units are computed together. Internal to the kernels.
//
// With AVX-512's dot products of bytes, rows are uint8, and their zero point is taken out of the sums
// (GateSums::column_sums); elsewhere rows and weights are without their zero points, in 16 bits.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/recurrent_row.h"

namespace norn::kernels {

class GatePanels {
 public:
  // weights: [depth, 4 * hidden]; its zero points: one or 4 * hidden.
  GatePanels(const Contents& weights, const Centering& centering, std::int64_t depth, std::int64_t hidden,
             PackedConstants& packed);

  static std::int64_t blocks(std::int64_t hidden) { return (hidden + kGateUnits - 1) / kGateUnits; }
  // How numbers by column, gate behind gate, lie in blocks: `count` is 1 or 4 * hidden.
  static void to_blocks(const float* from, std::int64_t count, std::int64_t hidden, float* to);

  // Memory of a quantized row.
  std::int64_t row_bytes() const;
  void quantize(const float* x, const DynamicRange& range, std::uint8_t* row) const;
  // The zero point that is still in the sums.
  std::int32_t zero_in_sums(const DynamicRange& range) const { return by_quads_ ? range.zero : 0; }
  const std::int32_t* column_sums() const;  // of the weights, in blocks

  // Some rows, one behind the other, times the columns of blocks [first, last), in this order or the reverse.
  struct Product {
    const std::uint8_t* rows;
    std::int64_t count;
    std::int64_t first, last;
    bool forwards;
    const std::int32_t* base;  // of all columns: sums begin with it, where rows have zero points; null for 0
    std::int32_t* sums;        // of all columns of the first row; those of the next are sums_row behind
    std::int64_t sums_row;
  };
  void multiply(const Product& wanted) const;

 private:
  void multiply_quads(const Product& wanted, std::int64_t block) const;
  std::int64_t pairs() const { return (depth_ + 1) / 2; }

  std::int64_t depth_, hidden_;
  bool by_quads_;
  std::optional<PanelWeights> quads_;
  std::shared_ptr<const void> pairs_;  // of 16-bit integers; then zeros in place of sums of columns
};

}  // namespace norn::kernels
