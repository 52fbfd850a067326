// Version 1 places B by attributes, which takes known ranks to express. Since 12 the exponent may have a type of its
// own.
#include "ops/math/pow/pow.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace pow_adapt_cc {
namespace {

void require_equal_types(transform::NodeEdit& edit) {
  const DataType x = edit.input_type(0).elem, y = edit.input_type(1).elem;
  if (x == DataType::Undefined || x != y)
    edit.cannot("before version 12 the exponent has the base's type, and both are floating");
}

}  // namespace
}  // namespace pow_adapt_cc

void pow_steps(transform::StepTable& table) {
  table.add(Pow, 1, 7, transform::broadcast_as_numpy, transform::broadcast_by_axis);
  table.add(Pow, 7, 12, transform::unchanged, require_equal_types);
  table.keeps(Pow, 1, "\"axis\" places B, which takes known ranks to express");
}

}  // namespace norn::ops
