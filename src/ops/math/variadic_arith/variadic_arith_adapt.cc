// Version steps of Max, Min, Sum and Mean. Between versions 6 and 8 only nodes pass whose inputs are known to have one
// shape; others of version 6 stay, so that what is fed is checked by that rule.
#include "ops/math/variadic_arith/variadic_arith.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace variadic_arith_adapt_cc {
namespace {

using namespace transform;

void require_equal_shapes(NodeEdit& edit) {
  for (int i = 1; i < edit.input_count(); ++i) {
    if (have_one_shape(edit, 0, i)) continue;
    edit.cannot("before version 8 all inputs must have the same shape, which is not known of " +
                    edit.input_type(0).to_string() + " and " + edit.input_type(i).to_string(),
                "expand the inputs to one shape first");
  }
}

}  // namespace
}  // namespace variadic_arith_adapt_cc

void variadic_arith_steps(StepTable& table) {
  for (const opset::Operator* op : {&Max, &Min, &Sum, &Mean}) {
    table.add(*op, 1, 6, drop_consumed_inputs, unchanged);
    table.add(*op, 6, 8, require_equal_shapes, require_equal_shapes);
    table.keeps(*op, 6, "its inputs must have one shape, which only known shapes show");
  }
}

}  // namespace norn::ops
