// 21 gave scales a type of their own.
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace qlinear_matmul_adapt_cc {
namespace {

void require_float_scales(transform::NodeEdit& edit) {
  if (edit.input_type(1).elem != DataType::Float) edit.cannot("before version 21 scales are floats");
}

}  // namespace
}  // namespace qlinear_matmul_adapt_cc

void qlinear_matmul_steps(transform::StepTable& table) {
  table.add(QLinearMatMul, 10, 21, transform::unchanged, require_float_scales);
}

}  // namespace norn::ops
