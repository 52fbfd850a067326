// Version 1's consumed_inputs.
#include "ops/math/rounding/rounding.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void drop_consumed_inputs(transform::NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void nothing(transform::NodeEdit&) {}

}  // namespace

void rounding_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Ceil, &Floor}) {
    table.add(*op, 1, 6, drop_consumed_inputs);
    table.add(*op, 6, 1, nothing);
  }
}

}  // namespace norn::ops
