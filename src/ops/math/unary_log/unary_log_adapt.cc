// Version 1's consumed_inputs.
#include "ops/math/unary_log/unary_log.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void drop_consumed_inputs(transform::NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void nothing(transform::NodeEdit&) {}

}  // namespace

void unary_log_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Log, &Reciprocal}) {
    table.add(*op, 1, 6, drop_consumed_inputs);
    table.add(*op, 6, 1, nothing);
  }
}

}  // namespace norn::ops
