// The operators of this slice, for other rooms to name.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Gemm;

struct GemmParams {
  bool trans_a, trans_b;
  bool exact_c;  // C has the product's shape, without broadcasting
  float alpha, beta;
};
GemmParams resolve_gemm(const opset::NodeView& node);

}  // namespace norn::ops
