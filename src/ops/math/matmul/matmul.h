// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::opset {
class InferContext;
}

namespace norn::ops {

extern const opset::Operator MatMul;

// A product of matrices m x k and k x n, for each index of the dimensions before them, which broadcast.
struct MatMulShape {
  std::int64_t m, k, n;
  norn::Shape a_batch, b_batch, batch;
  norn::Shape out;
};
// Throws if operands of these shapes cannot be multiplied.
MatMulShape resolve_matmul(const opset::NodeView& node, const norn::Shape& a, const norn::Shape& b);
// Output 0 is the product, of type `elem`, of the inputs numbered a and b.
void infer_matmul(opset::InferContext& ctx, int a, int b, DataType elem);

}  // namespace norn::ops
