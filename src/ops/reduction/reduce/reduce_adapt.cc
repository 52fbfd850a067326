// Version steps of the reductions: the axes move from attribute to input and back; integers leave the logarithmic ones.
#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/identity/identity.h"
#include "opset/schema.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace reduce_adapt_cc {
namespace {

using namespace transform;

void reduced_to_input(NodeEdit& edit) {
  const auto axes = edit.attrs().find_ints("axes");
  edit.remove_attr("axes");
  if (axes && !axes->empty()) edit.set_input_ints(1, *axes);
}

void reduced_to_attribute(NodeEdit& edit, bool identity) {
  std::vector<std::int64_t> axes;
  if (edit.has_input(1)) axes = constant_ints(edit, 1);
  if (edit.input_count() > 1) edit.drop_input(1);
  const bool noop = axes.empty() && edit.attrs().flag("noop_with_empty_axes");
  edit.remove_attr("noop_with_empty_axes");
  if (noop) {
    if (!identity) edit.cannot("noop_with_empty_axes is set, which the older version cannot express");
    edit.remove_attr("keepdims");
    return edit.become(Identity, 13);
  }
  if (!axes.empty()) edit.set_attr("axes", axes);
}
void plain_axes_to_attribute(NodeEdit& edit) { reduced_to_attribute(edit, true); }
void composite_axes_to_attribute(NodeEdit& edit) { reduced_to_attribute(edit, false); }

// Integers are computed in double and truncated, as they were before.
void integers_through_double(NodeEdit& edit) {
  const DataType type = edit.input_type(0).elem;
  if (type == DataType::Undefined) edit.cannot("the element type is not known; integers are no longer allowed");
  if ((opset::types::kFloats >> static_cast<unsigned>(type)) & 1u) return;
  edit.wrap_input(0, Cast, 13, {make_attr("to", static_cast<std::int64_t>(DataType::Double))});
  edit.wrap_output(0, Cast, 13, {make_attr("to", static_cast<std::int64_t>(type))});
}

}  // namespace
}  // namespace reduce_adapt_cc

void reduce_steps(StepTable& table) {
  for (const opset::Operator* op : {&ReduceMean, &ReduceSum, &ReduceMax, &ReduceMin, &ReduceProd, &ReduceL1, &ReduceL2,
                                    &ReduceLogSum, &ReduceLogSumExp, &ReduceSumSquare}) {
    table.add(*op, 1, 11, unchanged, axes_from_front);
    const int attribute = op == &ReduceSum ? 11 : 13, input = op == &ReduceSum ? 13 : 18;
    const bool plain =
        op == &ReduceMean || op == &ReduceSum || op == &ReduceMax || op == &ReduceMin || op == &ReduceProd;
    table.add(*op, attribute, input, reduced_to_input, plain ? plain_axes_to_attribute : composite_axes_to_attribute);
  }
  for (const opset::Operator* op : {&ReduceLogSum, &ReduceLogSumExp}) {
    table.add(*op, 18, 28, integers_through_double, unchanged);
    table.keeps(*op, 18, "an element type that is not known; version 28 takes no integers");
  }
}

}  // namespace norn::ops
