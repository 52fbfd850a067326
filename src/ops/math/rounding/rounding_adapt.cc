// Version steps of Ceil and Floor.
#include "ops/math/rounding/rounding.h"
#include "transform/shared_steps.h"

namespace norn::ops {

void rounding_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Ceil, &Floor}) {
    table.add(*op, 1, 6, transform::drop_consumed_inputs, transform::unchanged);
  }
}

}  // namespace norn::ops
