// Version steps of Add, Sub, Mul and Div.
#include "ops/math/binary_arith/binary_arith.h"
#include "transform/shared_steps.h"

namespace norn::ops {

using namespace transform;

void binary_arith_steps(StepTable& table) {
  for (const opset::Operator* op : {&Add, &Sub, &Mul, &Div}) {
    table.add(*op, 1, 6, drop_consumed_inputs, unchanged);
    table.add(*op, 6, 7, broadcast_as_numpy, broadcast_by_axis);
    table.keeps(*op, 6, "\"axis\" places B, which takes known ranks to express");
  }
}

}  // namespace norn::ops
