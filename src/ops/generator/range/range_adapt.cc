// Version 27 only added narrow types and what they are counted in.
#include "ops/generator/range/range.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void up_11_27(transform::NodeEdit&) {}
void down_27_11(transform::NodeEdit& edit) {
  const DataType elem = edit.input_type(0).elem;
  if (elem == DataType::Undefined || elem == DataType::Float16 || elem == DataType::BFloat16)
    edit.cannot("before version 27 there are no ranges of 16-bit floating types");
  edit.remove_attr("stash_type");
}

}  // namespace

void range_steps(transform::StepTable& table) {
  table.add(Range, 11, 27, up_11_27);
  table.add(Range, 27, 11, down_27_11);
}

}  // namespace norn::ops
