// The ways to multiply 8-bit integers, for the tables in int8.cc, and what they share. Internal to the kernels.
#pragma once
#include <vector>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/int8.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

// Pieces for work of so many nanoseconds: products of bytes are done soon, and networks of them have small ones.
inline std::int64_t int8_pieces(double ns, std::int64_t most) {
  constexpr double kWorthTwo = 12e3;
  constexpr std::int64_t kUnits = 1 << 20;
  if (!(ns > kWorthTwo)) return 1;
  return std::max<std::int64_t>(std::min<std::int64_t>(2, most), piece_count(kUnits, ns / kUnits, most));
}

// The same sizes in f32, for the checks and shapes that these have.
ConvConfig sizes_of(const ConvInt8Config& config);
MatMulConfig sizes_of(const MatMulInt8Config& config);
// Why no candidate accepts the configuration; "" if it is valid.
std::string conv_int8_config_refusal(const ConvInt8Config& config);
// The same for those that store channels as channels only.
std::string plain_conv_int8_refusal(const ConvInt8Config& config);
std::string matmul_int8_config_refusal(const MatMulInt8Config& config);

// Whether sums are given as they are, or as real numbers.
inline bool gives_sums(const SumOutput& output) {
  return output.type == DataType::Int32 || output.type == DataType::Float;
}
std::string onednn_conv_int8_refuses(const ConvInt8Config& config);
std::unique_ptr<Kernel> make_onednn_conv_int8(const ConvInt8Config& config, PackedConstants& packed);
std::string onednn_matmul_int8_refuses(const MatMulInt8Config& config);
std::unique_ptr<Kernel> make_onednn_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed);
std::string panel_conv_int8_refuses(const ConvInt8Config& config);
std::unique_ptr<Kernel> make_panel_conv_int8(const ConvInt8Config& config, PackedConstants& packed);
// The same for constants that are copied for each run, to addresses that do not tell them apart.
std::unique_ptr<Kernel> make_panel_conv_int8_of_copies(const ConvInt8Config& config, PackedConstants& packed);
std::string beside_conv_int8_refuses(const ConvInt8Config& config);
std::unique_ptr<Kernel> make_beside_conv_int8(const ConvInt8Config& config, PackedConstants& packed);
std::string panel_matmul_int8_refuses(const MatMulInt8Config& config);
std::unique_ptr<Kernel> make_panel_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed);
std::string few_rows_matmul_int8_refuses(const MatMulInt8Config& config);
std::unique_ptr<Kernel> make_few_rows_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed);
std::string fed_matmul_int8_refuses(const MatMulInt8Config& config);
std::unique_ptr<Kernel> make_fed_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed);
std::string depthwise_int8_refuses(const ConvInt8Config& config);
std::unique_ptr<Kernel> make_depthwise_int8(const ConvInt8Config& config, PackedConstants& packed);
std::string float_conv_int8_refuses(const ConvInt8Config& config);
std::unique_ptr<Kernel> make_float_conv_int8(const ConvInt8Config& config, PackedConstants& packed);
std::unique_ptr<Kernel> make_simd_conv_int8(const ConvInt8Config& config, PackedConstants& packed);
std::unique_ptr<Kernel> make_simd_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed);

// Weights without their zero points: element i of an array has zero point i / `each` % `zeros`. `zeros` is 0 for none.
struct Centering {
  DataType type = DataType::Int8;
  const void* zero = nullptr;
  std::int64_t zeros = 0, each = 1;

  std::int32_t zero_of(std::int64_t element) const {
    if (zeros == 0) return 0;
    const std::int64_t i = element / each % zeros;
    return type == DataType::Uint8 ? static_cast<const std::uint8_t*>(zero)[i]
                                   : static_cast<const std::int8_t*>(zero)[i];
  }
  // By how much a weight without its zero point is more than the weight as int8, less 128 if it is uint8.
  std::int32_t excess_of(std::int64_t element) const { return (type == DataType::Uint8 ? 128 : 0) - zero_of(element); }
  // Whether all of them fit into int8.
  bool fits(const Contents& weights, std::int64_t elements) const;
  // Whether weights of any value do. Not if it does not know the zero points.
  bool fits_any() const;
  // Those that do not fit wrap.
  void to_int8(const void* weights, std::int64_t elements, std::int8_t* to) const;
  // For the name of what is packed: the zero points, since they are not part of the weights' address.
  std::string key() const;
};

// One number of an 8-bit type; 0 where there is none.
inline std::int32_t zero_point(const void* address, DataType type, std::int64_t i = 0) {
  if (address == nullptr) return 0;
  return type == DataType::Uint8 ? static_cast<const std::uint8_t*>(address)[i]
                                 : static_cast<const std::int8_t*>(address)[i];
}

// What is done with sums, for each instruction set.
struct Finish {
  const std::int32_t* base;  // these begin at the first channel: added to the sums
  const float* scale;
  const float* shift;  // null for none
  std::int32_t zero, low, high;
  float middle = 0, other = 0;  // scales, divided by the last one
  std::int32_t middle_zero = 0, other_zero = 0, last_zero = 0;
  bool relu = false;
};
// Rows of sums, `sums_row` apart; those of y, and of the other tensor if there is one, lie `y_row` elements apart.
struct FinishedRows {
  const std::int32_t* sums;
  const void* other;
  void* y;
  std::int64_t sums_row, y_row, rows, n;
};
using FinishRows = void (*)(const Finish& f, const FinishedRows& rows);
struct Int8Table {
  FinishRows to_int32, to_float, to_uint8, to_int8;
  FinishRows with_other[2][2];  // [other][last], Uint8 before Int8
  // sums[j] += the sum of columns j of a matrix of `rows` rows that lie `stride` apart.
  void (*column_sums)(const std::int8_t* w, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                      std::int32_t* sums);
  void (*column_sums_uint8)(const std::uint8_t* w, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                            std::int32_t* sums);
  std::int32_t (*row_sum)(const std::int8_t* x, std::int64_t n);
  std::int32_t (*row_sum_uint8)(const std::uint8_t* x, std::int64_t n);
  // to[i] += round(from[i]), where from holds whole numbers.
  void (*add_whole)(const float* from, std::int32_t* to, std::int64_t n);
  // The same without what was there; `to` may be where `from` is.
  void (*to_whole)(const float* from, std::int32_t* to, std::int64_t n);
  // out[c] = the largest x[c] over a grid of size[0] x size[1] x size[2] offsets; the least there is over an empty one.
  void (*largest_uint8)(const std::uint8_t* x, const std::int64_t* size, const std::int64_t* stride,
                        std::int64_t channels, std::uint8_t* out);
  void (*largest_int8)(const std::int8_t* x, const std::int64_t* size, const std::int64_t* stride,
                       std::int64_t channels, std::int8_t* out);
  // The least and the largest of n > 0 elements; NaN for both if one is NaN.
  void (*range)(const float* x, std::int64_t n, float* low, float* high);
};
const Int8Table& int8_table();

// Turns the sums of one run into the output.
class SumFinisher {
 public:
  SumFinisher(const SumOutput& output, std::int64_t channels, std::int64_t depth);

  // Bytes of the memory that a run needs for prepare().
  std::size_t scratch_bytes() const;
  // Reads the scales and zero points. `weight_sums`: of the weights without their zero points, by channel.
  struct Run {
    void* const* operands = nullptr;
    Finish finish = {};
    std::int32_t* base = nullptr;
    float* scale = nullptr;
    float* scaled_base = nullptr;  // the bases times the scales, of a tame output
    bool wide = false;             // sums with their base may pass 32 bits
  };
  Run prepare(void* const* operands, std::int32_t x_zero, const std::int32_t* weight_sums, void* scratch) const;

  // What prepare() made of constants, kept from run to run: of a tame output, whose operands other than x, another
  // tensor and y are constants. It is made again for constants that lie elsewhere, since plans share kernels.
  struct Kept {
    Run run;
    std::vector<void*> constants;
    std::shared_ptr<void> buffer;
  };
  // True if it was made anew.
  bool keep(Kept& kept, void* const* operands, std::int32_t x_zero, const std::int32_t* weight_sums) const;

  // `rows` rows of sums, `sums_row` apart, for `n` channels from `channel` on; y and the other tensor have rows of
  // `y_row` elements, and the first row begins at element `y_at`. `base`: in place of the run's, beginning at
  // `channel`.
  void rows(const Run& run, const std::int32_t* sums, std::int64_t sums_row, std::int64_t rows, std::int64_t channel,
            std::int64_t n, std::int64_t y_at, std::int64_t y_row, const std::int32_t* base = nullptr) const;

 private:
  void wide_row(const Run& run, const Finish& f, const std::int32_t* sums, std::int64_t channel, std::int64_t n,
                void* y, const void* other) const;

  SumOutput o_;
  std::int64_t channels_, depth_;
  std::size_t size_;  // of an element of y
  FinishRows finish_;
};

}  // namespace norn::kernels
