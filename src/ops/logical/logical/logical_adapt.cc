// Version 1 places B by attributes, which takes known ranks to express.
#include "ops/logical/logical/logical.h"
#include "transform/version_step.h"

namespace norn::ops {

void logical_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&And, &Or, &Xor})
    table.keeps(*op, 1, "\"axis\" places B, which takes known ranks to express");
}

}  // namespace norn::ops
