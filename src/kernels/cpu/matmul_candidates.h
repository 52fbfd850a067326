// The ways to multiply matrices, for the table in matmul.cc. Internal to the kernels.
#pragma once
#include <algorithm>

#include "kernels/cpu/matmul.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

// Where the matrices of one factor begin, in elements, by batch.
class MatrixOffsets {
 public:
  MatrixOffsets() = default;
  // `lead`: the batch dimensions of the product; `dims` and `strides`: the factor's, of which `skip` leading ones are
  // missing.
  MatrixOffsets(const Shape& lead, const Shape& dims, const std::vector<std::int64_t>& strides, std::size_t skip);

  std::int64_t operator[](std::int64_t batch) const {
    std::int64_t offset = 0;
    for (std::size_t d = dims_.size(); d-- > 1;) {
      offset += batch % dims_[d].size * dims_[d].stride;
      batch /= dims_[d].size;
    }
    return dims_.empty() ? 0 : offset + batch * dims_[0].stride;
  }
  std::int64_t last() const {
    std::int64_t offset = 0;
    for (const StridedDim& d : dims_) offset += (d.size - 1) * d.stride;
    return offset;
  }

 private:
  std::vector<StridedDim> dims_;  // outermost first
};

// A configuration as products of plain matrices.
struct MatMulShape {
  explicit MatMulShape(const MatMulConfig& config);
  std::int64_t m, n, k;
  std::int64_t batches = 1;  // products
  MatrixOffsets a_at, b_at;
  std::int64_t a_row, a_column, b_row, b_column;  // strides of the factors
};

// Why no candidate accepts the configuration; "" if it is valid.
std::string matmul_config_refusal(const MatMulConfig& config);
// C is one row that every row of the output gets, unscaled or scaled by beta; or one value.
enum class CForm { None, Row, Other };
CForm c_form(const MatMulConfig& config);

// Pieces to cut products into that take `all_ns` together, `most` at most: as piece_count has it, but two of what takes
// 20 microseconds, which another thread's help shortens by a third and more. A function of the shape alone.
inline std::int64_t product_pieces(double all_ns, std::int64_t most = 32) {
  const std::int64_t pieces = piece_count(1 << 20, all_ns / (1 << 20), most);
  return pieces == 1 && all_ns >= 20e3 ? std::min<std::int64_t>(2, most) : pieces;
}

// Why the sizes are beyond oneDNN's integers; "" if they are not.
std::string onednn_matmul_size_refusal(const MatMulShape& shape);
std::string onednn_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_onednn_matmul(const MatMulConfig& config, PackedConstants& packed);

std::span<const Candidate<MatMulConfig>> onednn_matmul_bf16_candidates();

std::string thin_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_thin_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string rows_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_rows_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string narrow_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_narrow_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string shallow_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_shallow_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string panel_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_panel_matmul(const MatMulConfig& config, PackedConstants& packed);
// The constant matrices of B, one behind the other, in panels as gemm.h has them, all of them whole.
std::shared_ptr<const void> packed_panels(const MatMulConfig& config, const MatMulShape& shape,
                                          PackedConstants& packed);

std::string batch_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_batch_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string simd_matmul_refuses(const MatMulConfig& config);
std::string simd_small_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_simd_matmul(const MatMulConfig& config, PackedConstants& packed);

}  // namespace norn::kernels
