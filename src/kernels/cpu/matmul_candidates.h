// The ways to multiply matrices, for the table in matmul.cc. Internal to the kernels.
#pragma once
#include "kernels/cpu/matmul.h"

namespace norn::kernels {

// A configuration as products of plain matrices.
struct MatMulShape {
  explicit MatMulShape(const MatMulConfig& config);
  std::int64_t m, n, k;
  std::int64_t batches = 1;                       // products
  std::vector<std::int64_t> a_at, b_at;           // where each batch's factors begin, in elements
  std::int64_t a_row, a_column, b_row, b_column;  // strides of the factors
};

// What no candidate accepts; "" if the configuration makes sense.
std::string matmul_config_refusal(const MatMulConfig& config);
// C is one row that every row of the output gets, unscaled or scaled by beta; or one value.
enum class CForm { None, Row, Other };
CForm c_form(const MatMulConfig& config);

std::string onednn_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_onednn_matmul(const MatMulConfig& config, PackedConstants& packed);

std::string own_matmul_refuses(const MatMulConfig& config);
std::string own_small_matmul_refuses(const MatMulConfig& config);
std::unique_ptr<Kernel> make_own_matmul(const MatMulConfig& config, PackedConstants& packed);

}  // namespace norn::kernels
