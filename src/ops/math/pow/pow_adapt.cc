// Version 1 places B by attributes, which takes known ranks to express. Since 12 the exponent may have a type of its
// own.
#include "ops/math/pow/pow.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void up_7_12(transform::NodeEdit&) {}
void down_12_7(transform::NodeEdit& edit) {
  const DataType x = edit.input_type(0).elem, y = edit.input_type(1).elem;
  if (x == DataType::Undefined || x != y)
    edit.cannot("before version 12 the exponent has the base's type, and both are floating");
}

}  // namespace

void pow_steps(transform::StepTable& table) {
  table.keeps(Pow, 1, "\"axis\" places B, which takes known ranks to express");
  table.add(Pow, 7, 12, up_7_12);
  table.add(Pow, 12, 7, down_12_7);
}

}  // namespace norn::ops
