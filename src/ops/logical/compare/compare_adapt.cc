// Version 1 places B by attributes.
#include "ops/logical/compare/compare.h"
#include "transform/shared_steps.h"

namespace norn::ops {

void compare_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Equal, &Greater, &Less}) {
    table.add(*op, 1, 7, transform::broadcast_as_numpy, transform::broadcast_by_axis);
    table.keeps(*op, 1, "\"axis\" places B, which takes known ranks to express");
  }
}

}  // namespace norn::ops
