// Matrix products, f32, with numpy's batch dimensions: out = post(alpha * A B + beta * C).
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: a, b, c (null without one), extras..., then the output. Everything is dense but a and b, if they have
// strides.
struct MatMulConfig {
  Shape a, b, out;  // ranks >= 2; leading dimensions of a and b broadcast to those of out
  std::vector<std::int64_t> a_strides, b_strides;  // of their dims, in elements, not negative; empty: dense
  bool trans_a = false, trans_b = false;  // the stored matrix is the transpose of the factor (last two dimensions)
  float alpha = 1, beta = 1;              // beta scales c only
  bool has_c = false;
  Shape c;                           // broadcasts to out
  Contents b_constant;               // of b
  const void* c_constant = nullptr;  // the contents of c if they are constants
  std::vector<ElementStep> post;
  std::vector<ExtraOperand> extra;  // for post
  // The extra that lies where the output does; as in ConvConfig.
  int in_place_extra = -1;

  auto fields() const noexcept {
    return std::tie(a, b, out, a_strides, b_strides, trans_a, trans_b, alpha, beta, has_c, c, b_constant, c_constant,
                    post, extra, in_place_extra);
  }
};

// Of how many matrices it is the product: rows that lie evenly and have one B are one matrix.
std::int64_t product_count(const MatMulConfig& config);

std::span<const Candidate<MatMulConfig>> matmul_candidates();
// Those that round the factors to bfloat16; sums stay f32.
std::span<const Candidate<MatMulConfig>> matmul_bf16_candidates();

}  // namespace norn::kernels
