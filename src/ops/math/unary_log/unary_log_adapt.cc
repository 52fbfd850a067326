// Version steps of Log and Reciprocal.
#include "ops/math/unary_log/unary_log.h"
#include "transform/shared_steps.h"

namespace norn::ops {

void unary_log_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Log, &Reciprocal}) {
    table.add(*op, 1, 6, transform::drop_consumed_inputs, transform::unchanged);
  }
}

}  // namespace norn::ops
