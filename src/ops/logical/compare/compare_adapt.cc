// Version 1 places B by attributes, which takes known ranks to express.
#include "ops/logical/compare/compare.h"
#include "transform/version_step.h"

namespace norn::ops {

void compare_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Equal, &Greater, &Less})
    table.keeps(*op, 1, "\"axis\" places B, which takes known ranks to express");
}

}  // namespace norn::ops
