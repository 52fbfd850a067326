// 21 gave scales a type of their own.
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "transform/shared_steps.h"

namespace norn::ops {
namespace {

void require_float_scales(transform::NodeEdit& edit) {
  if (edit.input_type(1).elem != DataType::Float) edit.cannot("before version 21 scales are floats");
}

}  // namespace

void qlinear_matmul_steps(transform::StepTable& table) {
  table.add(QLinearMatMul, 10, 21, transform::unchanged, require_float_scales);
}

}  // namespace norn::ops
