// Version 27 only added narrow types and what they are counted in.
#include "ops/generator/range/range.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace range_adapt_cc {
namespace {

void no_narrow_types(transform::NodeEdit& edit) {
  const DataType elem = edit.input_type(0).elem;
  if (elem == DataType::Undefined || elem == DataType::Float16 || elem == DataType::BFloat16)
    edit.cannot("before version 27 there are no ranges of 16-bit floating types");
  edit.remove_attr("stash_type");
}

}  // namespace
}  // namespace range_adapt_cc

void range_steps(transform::StepTable& table) { table.add(Range, 11, 27, transform::unchanged, no_narrow_types); }

}  // namespace norn::ops
